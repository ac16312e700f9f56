package config

import (
	"encoding/base64"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"

	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/graph"
)

// minSecret is how many bytes a secret has at least: shorter values are part of
// ordinary words, and masking those would make replies unreadable.
const minSecret = 8

// A secret is a value of at least minSecret bytes that is
//   - the value of a header of a server,
//   - the value of an environment variable, or of an entry of env, whose name is
//     like a secret's (see isSecretName),
//   - in a URL, the password or a query parameter whose name is like a secret's,
//   - the value of a variable that http nodes may use,
//   - listed under secrets in patchbay.yaml.
//
// Nothing else is one. Secrets are masked where data leaves the program: graphs
// compute with the values themselves.

var secretName = regexp.MustCompile(`(?i:(?:token|secret|password|passwd)$|(?:^|[_.-]|api|access|secret|private)key$|^(?:[a-z0-9-]*-)?(?:sig|signature)$)|[a-z]Key$`)

// isSecretName reports whether what has that name is a secret: names that end in
// TOKEN, KEY, SECRET or PASSWORD, such as GITHUB_TOKEN or apiKey, and the names
// of signatures in URLs.
func isSecretName(name string) bool { return secretName.MatchString(name) }

// plainHeaders hold no secret by definition, and their values are in many texts.
var plainHeaders = []string{"Accept", "Accept-Language", "Content-Type", "User-Agent"}

// headerSecrets are the secrets in the value of a header: the whole of it, and
// what follows the scheme, as in "Bearer …".
func headerSecrets(name, value string) []string {
	if slices.Contains(plainHeaders, http.CanonicalHeaderKey(name)) {
		return nil
	}
	if _, token, ok := strings.Cut(value, " "); ok {
		return []string{value, token}
	}
	return []string{value}
}

// urlSecrets are the secrets in a text that is a URL: the password, or the user
// where there is none, and query parameters named like a secret.
func urlSecrets(text string) []string {
	if !strings.Contains(text, "://") {
		return nil
	}
	u, err := url.Parse(text)
	if err != nil {
		return nil
	}
	var secrets []string
	if password, ok := u.User.Password(); ok {
		secrets = append(secrets, password)
	} else if u.User != nil {
		secrets = append(secrets, u.User.Username())
	}
	for name, values := range u.Query() {
		if isSecretName(name) {
			secrets = append(secrets, values...)
		}
	}
	return secrets
}

// expand expands the variables of a text, and notes the secrets in it.
func (l *loader) expand(text string) expansion {
	x := l.expander.expand(text)
	for _, v := range x.used {
		if isSecretName(v.name) {
			l.secrets = append(l.secrets, v.value)
		}
	}
	l.secrets = append(l.secrets, urlSecrets(x.text)...)
	return x
}

// secretList reads the secrets that the operator lists: each is the name of an
// environment variable, a text with ${VAR}, or the value itself.
func (l *loader) secretList(o origin, v graph.Value) {
	for _, item := range l.texts(o, v, "names of environment variables, ${VAR} or values") {
		text := item.Text()
		if isVariable(text) && (strings.ToUpper(text) == text || l.isSet(text)) {
			text = "${" + text + "}"
		}
		x := l.expander.expand(text)
		var d *diag.Diagnostic
		switch {
		case x.fault != "" || len(x.inputs) > 0:
			d = o.file.Diagnostics.Report(ruleBadVariable, item.Path(), item.Range(), "a secret has a ${…} that is not a variable")
			d.Hint = "write NAME or ${NAME}; $${ stands for ${"
		case len(x.missing) > 0:
			d = o.file.Diagnostics.Report(ruleMissingVariable, item.Path(), item.Range(), "the environment variable %q, listed under secrets, is not set", x.missing[0])
			d.Hint = "set " + x.missing[0] + " in the environment that patchbay starts in, or remove it from secrets"
		case len(strings.TrimSpace(x.text)) < minSecret:
			d = o.file.Diagnostics.Report(ruleBadSetting, item.Path(), item.Range(), "a value under secrets is shorter than %d bytes and is not masked", minSecret)
			d.Severity, d.Hint = diag.Warning, "use a longer secret: a short one is part of ordinary words"
		default:
			l.secrets = append(l.secrets, x.text)
		}
	}
}

func (l *loader) isSet(name string) bool {
	_, ok := l.expander.environ(name)
	return ok
}

// base64Forms are what base64 makes of a text, wherever in the encoded bytes it
// stands: the characters that depend on nothing else.
func base64Forms(text string) []string {
	var forms []string
	for before, first := range []int{0, 2, 3} {
		coded := base64.RawStdEncoding.EncodeToString(append(make([]byte, before), text...))
		coded = coded[first : (before+len(text))*8/6]
		forms = append(forms, coded, strings.NewReplacer("+", "-", "/", "_").Replace(coded))
	}
	return forms
}
