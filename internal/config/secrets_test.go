package config_test

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"log/slog"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/patchbay-mcp/patchbay/internal/config"
	"github.com/patchbay-mcp/patchbay/internal/secrets"
)

const secretFile = `servers:
  a:
    command: run
    args: ["--key=${KEY}", "--home=${HOME}"]
    env: {PASSWORD: "pass\"word<1>", VERBOSE: "true", NODE_ENV: production, MINE: "${KEY}-x", DIR: "${HOME}", PROJECT: orders-of-2024}
  b:
    url: "https://user:hunter22@x.example/mcp?token=${TOKEN}&v=literal-query&apiKey=in-the-url"
    headers: {Authorization: "Bearer abcdef0123456789", X-Id: "${TOKEN}"}
`

var secretVars = map[string]string{"KEY": "key-value", "TOKEN": "tok/en value", "HOME": home()}

// home is a folder that exists.
func home() string {
	dir, _ := os.Getwd()
	return dir
}

var secretValues = []string{"key-value", "pass\"word<1>", "tok/en value", "hunter22", "abcdef0123456789", "literal-query", "in-the-url"}

func TestServersPrintNoSecret(t *testing.T) {
	dir := folder(t, map[string]string{"patchbay.yaml": secretFile})
	cfg, list := load(t, config.Options{Dir: dir}, secretVars)
	if len(list) > 0 {
		t.Fatalf("diagnostics: %v", summary(list))
	}
	var log bytes.Buffer
	slog.New(slog.NewJSONHandler(&log, nil)).Info("config", "server", cfg.Servers[0], "all", cfg.Servers, "pointer", &cfg.Servers[1])
	encoded, err := json.Marshal(map[string]any{"servers": cfg.Servers, "pointer": &cfg.Servers[0]})
	if err != nil {
		t.Fatal(err)
	}
	whole, err := json.Marshal(cfg)
	if err != nil {
		t.Fatal(err)
	}
	shown := log.String() + string(encoded) + string(whole)
	for _, verb := range []string{"%v", "%+v", "%#v", "%s", "%q"} {
		for _, v := range []any{cfg.Servers, cfg.Servers[1], &cfg.Servers[0], cfg, *cfg, cfg.Redactor, cfg.Files[0], cfg.Files} {
			shown = fmt.Sprintf("%s\n"+verb, shown, v)
		}
	}
	for _, secret := range secretValues {
		if at := strings.Index(shown, secret); at >= 0 {
			t.Errorf("%q is shown behind %s", secret, shown[max(0, at-200):at])
		}
	}
}

func TestRedactor(t *testing.T) {
	dir := folder(t, map[string]string{"patchbay.yaml": secretFile})
	cfg, _ := load(t, config.Options{Dir: dir}, secretVars)
	for in, want := range map[string]string{
		"key-value":                      "***",
		"Bearer abcdef0123456789 b":      "*** b", // the longer one wins
		"Bearer abcdef0123456789":        "***",
		"only abcdef0123456789":          "only ***",
		"GET /?token=tok%2Fen+value":     "GET /?token=***",
		`{"p": "pass\"word\u003c1\u003e`: `{"p": "***`,
		`{"p": "pass\"word<1>`:           `{"p": "***`,
		home() + "/x is true production": home() + "/x is true production",
		"nothing here":                   "nothing here",
		"orders-of-2024 literal-query":   "orders-of-2024 literal-query", // neither is named like a secret
		"cut short: abcdef01…":           "cut short: ***…",
		"GET /?apiKey=in-the-url":        "GET /?apiKey=***",
		"https://user:hunter22@x":        "https://user:***@x",
	} {
		if got := cfg.Redactor.Redact(in); got != want {
			t.Errorf("Redact(%q) = %q, want %q", in, got, want)
		}
	}
	if got := (*secrets.Redactor)(nil).Redact("x"); got != "x" {
		t.Errorf("a nil Redactor gives %q", got)
	}
}

func TestRedactJSON(t *testing.T) {
	r := secrets.NewRedactor(secrets.Named("test", "1234567890", "s3cret-1", `a"quote"d`, "4321"))
	for in, want := range map[string]string{
		` {"a" : "x s3cret-1 y", "s3cret-1":[ 1234567890 , 4321,1.10, "\u00733cret-1"] }`: ` {"a" : "x *** y", "***":[ "***" , 4321,1.10, "***"] }`,
		`"a\"quote\"d"`:            `"***"`,
		`{"a":1, "b":[true,null]}`: `{"a":1, "b":[true,null]}`,
		`not json s3cret-1`:        `not json ***`,
		`{"a": "s3cret-1"`:         `{"a": "***"`,
		``:                         ``,
	} {
		if got := string(r.RedactJSON(json.RawMessage(in))); got != want {
			t.Errorf("RedactJSON(%s)\n got %s\nwant %s", in, got, want)
		}
	}
}

func TestRenderingMasksSecrets(t *testing.T) {
	dir := folder(t, map[string]string{"patchbay.yaml": `servers: {a: {command: x, env: {MY_KEY: "lit-secret"}, colour: red}}`})
	cfg, list := load(t, config.Options{Dir: dir}, nil)
	if len(list) != 1 {
		t.Fatalf("diagnostics: %v", summary(list))
	}
	text := cfg.Files[0].Render()
	if strings.Contains(text, "lit-secret") {
		t.Errorf("the secret is shown:\n%s", text)
	}
	lines := strings.Split(text, "\n")
	if at := strings.Index(lines[1], "colour"); at < 0 || at != strings.Index(lines[2], "^") {
		t.Errorf("the caret is not under the key:\n%s", text)
	}
}

// TestWhatIsASecret has one case for each way of being one, and for what looks like
// one and is not.
func TestWhatIsASecret(t *testing.T) {
	dir := folder(t, map[string]string{"patchbay.yaml": `
servers:
  a:
    command: run
    args: ["${ARG_TOKEN}", "${ARG_PLAIN}", "postgres://ann:url-password@db.example/x"]
    env: {GITHUB_TOKEN: env-token-1, db_password: env-password, MONKEY: env-monkey-1, SHORT_KEY: seven77, FOLDER: "${ROOT_DIR}", MADE_KEY: "x-${ARG_PART}"}
  b:
    url: "https://user-token-1@x.example/mcp?apiKey=query-key-1&page=query-page-1&sig=query-sig-1"
    headers: {X-Tenant: header-value, Accept: application/json}
egress: {variables: [WEB_VALUE]}
secrets: [LISTED_NAME, "${LISTED_REF}-suffix", listed-literal, short, lower_name]
`})
	cfg, list := load(t, config.Options{Dir: dir}, map[string]string{
		"ARG_TOKEN": "arg-token-1", "ARG_PLAIN": "arg-plain-1", "ROOT_DIR": home(), "ARG_PART": "part-of-key",
		"WEB_VALUE": "web-value-1", "LISTED_NAME": "listed-name-1", "LISTED_REF": "listed-ref", "lower_name": "lower-name-1",
	})
	if diff := cmp.Diff([]string{"warning short-secret: a value under secrets is shorter than 8 bytes and is not masked"}, summary(list)); diff != "" {
		t.Error(diff)
	}
	for _, secret := range []string{
		"arg-token-1", "url-password", "env-token-1", "env-password", "x-part-of-key", "part-of-key", "user-token-1", "query-key-1", "query-sig-1",
		"header-value", "web-value-1", "listed-name-1", "listed-ref-suffix", "listed-literal", "lower-name-1",
	} {
		if got := cfg.Redactor.Redact("<" + secret + ">"); got != "<***>" {
			t.Errorf("%s is shown as %s", secret, got)
		}
		coded := base64.StdEncoding.EncodeToString([]byte("ann:" + secret))
		if got := cfg.Redactor.Redact(coded); got == coded {
			t.Errorf("%s in base64 is shown", secret)
		}
	}
	for _, value := range []string{"arg-plain-1", "env-monkey-1", "seven77", home(), "query-page-1", "application/json", "short"} {
		if got := cfg.Redactor.Redact(value); got != value {
			t.Errorf("%s is masked", value)
		}
	}
}

func TestListedSecretThatIsNotSet(t *testing.T) {
	dir := folder(t, map[string]string{"patchbay.yaml": "secrets: [NOT_SET, \"${ALSO_NOT}\", \"${a b}\"]\n"})
	_, list := load(t, config.Options{Dir: dir}, nil)
	want := []string{
		`warning missing-variable: the environment variable "NOT_SET", listed under secrets, is not set`,
		`warning missing-variable: the environment variable "ALSO_NOT", listed under secrets, is not set`,
		`error bad-variable: a secret has a ${…} that is not a variable`,
	}
	if diff := cmp.Diff(want, summary(list)); diff != "" {
		t.Error(diff)
	}
}

// What a variable holds may be shown by no diagnostic, however wrong it is in
// its place.
func TestDiagnosticsShowNoValue(t *testing.T) {
	dir := folder(t, map[string]string{"patchbay.yaml": `servers:
  a: {url: "${SECRET}"}
  b: {command: "${SECRET}"}
  c: {type: http, url: "https://${SECRET}"}
  d: {command: x, cwd: "${SECRET}"}
graphs: "${SECRET}"
workspace: {root: "${SECRET}"}
serve: {addr: "${SECRET}"}
`})
	for _, secret := range []string{"hush:hush hush", "hush hush", "hush://hush", "hush%zz", "hu\x00sh"} {
		cfg, list := load(t, config.Options{Dir: dir}, map[string]string{"SECRET": secret})
		shown := summary(list)
		for _, d := range list {
			shown = append(shown, fmt.Sprint(d.Hint, d.Got, d.Want))
		}
		for _, s := range cfg.Servers {
			shown = append(shown, s.String(), fmt.Sprint(s.Problem))
		}
		for _, f := range cfg.Files {
			shown = append(shown, f.Render())
		}
		if text := strings.Join(shown, "\n"); strings.Contains(strings.ReplaceAll(text, "\x00", ""), "hush") {
			t.Errorf("%q is shown in\n%s", secret, text)
		}
	}
}

func FuzzLoad(f *testing.F) {
	f.Add(secretFile)
	f.Add(`{"mcpServers": {"a": {"command": "${A:-${B:-${C}}}"}}} // x`)
	f.Add("servers: {a: {url: \"http://[::1\"}}\ntrust: a")
	f.Fuzz(func(t *testing.T, text string) {
		dir := folder(t, map[string]string{"patchbay.yaml": text, "mcp.json": text, "g.yaml": text})
		cfg, _ := load(t, config.Options{Dir: dir, MCP: []string{"mcp.json"}, Graphs: []string{"g.yaml"}}, secretVars)
		for _, file := range cfg.Files {
			file.Render()
		}
		for _, s := range cfg.Servers {
			if strings.Contains(s.Name, "/") {
				t.Errorf("server %q", s.Name)
			}
		}
	})
}
