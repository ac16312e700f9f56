package secrets

import "testing"

func TestIsSecretName(t *testing.T) {
	for name, want := range map[string]bool{
		"GITHUB_TOKEN": true, "authtoken": true, "clientSecret": true, "DB_PASSWORD": true, "passwd": true,
		"key": true, "SSH_KEY": true, "x-key": true, "a.key": true, "apikey": true, "ACCESSKEY": true, "secretkey": true, "privatekey": true,
		"signingKey": true, "sig": true, "Signature": true, "X-Amz-Signature": true,
		"monkey": false, "HOTKEY": false, "keys": false, "tokens": false, "design": false, "AWS_REGION": false, "my_sig": false,
	} {
		if got := IsSecretName(name); got != want {
			t.Errorf("%s: %v", name, got)
		}
	}
}
