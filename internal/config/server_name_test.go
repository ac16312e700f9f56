package config

import "testing"

func TestIsServerName(t *testing.T) {
	for name, want := range map[string]bool{
		"": false, "a": true, "ä9": true, "½": true, "my server": true, "a_b.c@d-e": true, "a .b": true, "a -": true,
		" a": false, "a ": false, "a  b": false, "_a": false, "-": false, "a/b": false, "a\n": false, "a\xff": false,
	} {
		if got := isServerName(name); got != want {
			t.Errorf("isServerName(%q) = %v", name, got)
		}
	}
}
