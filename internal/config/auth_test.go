package config_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/patchbay-mcp/patchbay/internal/config"
)

func TestAuth(t *testing.T) {
	for auth, want := range map[string]string{
		`{bearer: "${T}"}`:                              "Authorization=Bearer sesame-opens",
		`{basic: {user: me, password: "${T}"}}`:         "Authorization=Basic bWU6c2VzYW1lLW9wZW5z",
		`{apiKey: {header: X-Key, value: "${T}"}}`:      "X-Key=sesame-opens",
		`{clientCredentials: {id: me, secret: "${T}"}}`: "client_credentials me sesame-opens",
		`{client: {id: me}}`:                            " me ",
		`{basic: {user: me}}`:                           `auth.basic of server "s" has no password`,
		`{token: x}`:                                    `auth of server "s" has not one of bearer`,
		`bearer`:                                        `auth of server "s" has not one of bearer`,
		`{bearer: "a-long-token", client: {id: also}}`:  `auth of server "s" has not one of bearer`,
	} {
		text := "servers:\n  s: {url: https://s.example/mcp, auth: " + auth + "}\n"
		environ := func(name string) (string, bool) {
			value, ok := map[string]string{"T": "sesame-opens", "HOME": t.TempDir()}[name]
			return value, ok
		}
		cfg, found, err := config.Load(config.Options{File: "patchbay.yaml", Text: &text, Dir: t.TempDir(), Environ: environ})
		if err != nil {
			t.Fatal(err)
		}
		got := ""
		if len(found) > 0 {
			got = found[0].Message
		} else {
			s := cfg.Servers[0]
			got = s.Auth.Grant + " " + s.Auth.ClientID + " " + s.Auth.ClientSecret
			for name, value := range s.Headers {
				got = name + "=" + value
			}
			if masked := cfg.Redactor.Redact("the secret is " + got); strings.Contains(masked, "sesame-opens") || strings.Contains(masked, "bWU6") {
				t.Errorf("%s: shown as %s", auth, masked)
			}
		}
		if !strings.Contains(got, want) {
			t.Errorf("%s\ngot  %s\nwant %s", auth, got, want)
		}
	}
}

// What is kept of a login is masked, in the present format and in format 1.
func TestLoginsAreMasked(t *testing.T) {
	state := t.TempDir()
	environ := func(name string) (string, bool) {
		value, ok := map[string]string{"XDG_STATE_HOME": state, "LOCALAPPDATA": state}[name]
		return value, ok
	}
	text := "servers:\n  s: {url: https://s.example/mcp}\n"
	load := func() *config.Config {
		cfg, _, err := config.Load(config.Options{File: "patchbay.yaml", Text: &text, Dir: t.TempDir(), Environ: environ})
		if err != nil {
			t.Fatal(err)
		}
		return cfg
	}
	file := load().Servers[0].Auth.TokenFile
	const login = `{"token": {"access_token": "open-sesame-1", "refresh_token": "open-sesame-2"}, "client_secret": "open-sesame-3"}`
	for _, kept := range []string{login, `{"format": 2, "content": ` + login + `}`} {
		err := os.MkdirAll(filepath.Dir(file), 0o700)
		if err == nil {
			err = os.WriteFile(file, []byte(kept), 0o600)
		}
		if err != nil {
			t.Fatal(err)
		}
		if masked := load().Redactor.Redact("open-sesame-1 open-sesame-2 open-sesame-3"); strings.Contains(masked, "sesame") {
			t.Errorf("%s: shown as %s", kept, masked)
		}
	}
}
