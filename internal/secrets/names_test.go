package secrets

import "testing"

func TestIsSecretName(t *testing.T) {
	for name, want := range map[string]bool{
		"GITHUB_TOKEN": true, "authtoken": true, "clientSecret": true, "DB_PASSWORD": true, "passwd": true,
		"key": true, "SSH_KEY": true, "x-key": true, "a.key": true, "apikey": true, "ACCESSKEY": true, "secretkey": true, "privatekey": true,
		"signingKey": true, "sig": true, "Signature": true, "X-Amz-Signature": true,
		"monkey": false, "HOTKEY": false, "KEYBOARD": false, "MONKEY_HOUSE": false, "design": false, "AWS_REGION": false, "my_sig": false,
		"PATH": false, "COMPAT": false, "PATTERN": false, "AUTHOR": false, "AUTHORITY": false, "COMPASS": false, "BYPASS": false, "PWD": false, "OLDPWD": false,
		"keys": true, "tokens": true, "pwd": true, "MYSQL_PWD": true, "DB_PASS": true, "DBPASS": true, "GITHUB_PAT": true, "githubPat": true, "AUTHORIZATION": true, "BASIC_AUTH": true,
		"JWT": true, "PASSPHRASE": true, "GOOGLE_CREDENTIALS": true, "API_KEYS": true, "SECRET_1": true, "SECRET2": true, "TOKEN_OLD": true, "KEY_2_BACKUP": true, "APIKey": true, "PGPASSWORD": true,
		"AUTH_TYPE": false, "TOKEN_URL": false, "AWS_ACCESS_KEY_ID": false, "KEY_FILE": false, "AUTH0_DOMAIN": false, "CACHE_KEY_PREFIX": false, "": false, "__": false,
	} {
		if got := IsSecretName(name); got != want {
			t.Errorf("%s: %v", name, got)
		}
	}
}
