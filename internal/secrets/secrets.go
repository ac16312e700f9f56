// Package secrets says which values of the configuration are secret and masks them
// where text leaves the program.
package secrets

import (
	"encoding/base64"
	"encoding/json"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"
)

// MinSecret is how many bytes a secret has at least: shorter values are part of
// ordinary words, and masking those would make replies unreadable.
const MinSecret = 8

// A secret is a value of at least MinSecret bytes that is
//   - the value of a variable, or of an entry of env, whose name is like a secret's
//     (see [IsSecretName]), or a literal in such an entry,
//   - the value of any other variable in env, in a header or in a URL, and of a header
//     that has one, unless it is plain (see [Plain]),
//   - the value of any other header,
//   - in a URL, the password or a query parameter whose name is like a secret's,
//   - the value of a variable that http nodes may use,
//   - listed under secrets in patchbay.yaml.
//
// Nothing else is one. Secrets are masked where data leaves the program: graphs
// compute with the values themselves.

// plainHeaders hold no secret by definition, and their values are in many texts.
var plainHeaders = []string{"Accept", "Accept-Language", "Content-Type", "User-Agent"}

// HeaderSecrets are the secrets in the value of a header, which is one itself.
func HeaderSecrets(name, value string) []string {
	if slices.Contains(plainHeaders, http.CanonicalHeaderKey(name)) {
		return nil
	}
	return ValueSecrets(value, "secret")
}

// ValueSecrets are the secrets in a value that has these names, such as a variable's and
// that of the entry it is in: the whole of it, what follows a scheme, as in "Bearer …",
// and the parts that are secrets alone. There are none in a plain value, unless a name is
// like a secret's.
func ValueSecrets(value string, names ...string) []string {
	named := slices.ContainsFunc(names, IsSecretName)
	if !named && Plain(value) {
		return nil
	}
	_, token, _ := strings.Cut(value, " ")
	if !named && Plain(token) {
		token = ""
	}
	hidden := append([]string{value, token}, URLSecrets(value)...)
	for _, p := range patterns().pair.FindAllStringSubmatch(value, -1) {
		if text := strings.Trim(p[2], `"'`); IsSecretName(p[1]) {
			hidden = append(hidden, text)
			if json.Unmarshal([]byte(p[2]), &text) == nil {
				hidden = append(hidden, text)
			}
		}
	}
	if m := patterns().account.FindStringSubmatch(value); m != nil && named {
		hidden = append(hidden, m[1])
	}
	return hidden
}

// URLSecrets are the secrets in the URLs of a text: the password, or the user
// without one, and query parameters named like a secret.
func URLSecrets(text string) []string {
	if !strings.Contains(text, "://") {
		return nil
	}
	found := []string{text}
	if u, err := url.Parse(text); err != nil || u.Host == "" {
		found = patterns().url.FindAllString(text, -1)
	}
	var hidden []string
	for _, text := range found {
		u, err := url.Parse(text)
		if err != nil { // the password may have characters that are not escaped
			for _, m := range patterns().password.FindAllStringSubmatch(text, -1) {
				hidden = append(hidden, m[1])
			}
			continue
		}
		if password, ok := u.User.Password(); ok {
			hidden = append(hidden, password)
		} else if u.User != nil {
			hidden = append(hidden, u.User.Username())
		}
		query := u.Query()
		for _, name := range slices.Sorted(maps.Keys(query)) {
			if IsSecretName(name) {
				hidden = append(hidden, query[name]...)
			}
		}
	}
	return hidden
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
