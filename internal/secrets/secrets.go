// Package secrets says which values of the configuration are secret and masks them
// where text leaves the program.
package secrets

import (
	"encoding/base64"
	"maps"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"sync"
)

// MinSecret is how many bytes a secret has at least: shorter values are part of
// ordinary words, and masking those would make replies unreadable.
const MinSecret = 8

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

var secretName = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?i:(?:token|secret|password|passwd)$|(?:^|[_.-]|api|access|secret|private)key$|^(?:[a-z0-9-]*-)?(?:sig|signature)$)|[a-z]Key$`)
})

// IsSecretName reports whether what has that name is a secret, in any case of
// letters where the list does not say otherwise:
//   - a name that ends in token, secret, password or passwd;
//   - key itself, or a name that ends in key after _, -, . or one of the words api,
//     access, secret and private, such as GITHUB_API_KEY or apikey;
//   - a name that ends in Key after a lower-case letter, such as signingKey;
//   - sig and signature, also after a hyphen, such as x-amz-signature.
func IsSecretName(name string) bool { return secretName().MatchString(name) }

// plainHeaders hold no secret by definition, and their values are in many texts.
var plainHeaders = []string{"Accept", "Accept-Language", "Content-Type", "User-Agent"}

// HeaderSecrets are the secrets in the value of a header: the whole of it, and
// what follows the scheme, as in "Bearer …".
func HeaderSecrets(name, value string) []string {
	if slices.Contains(plainHeaders, http.CanonicalHeaderKey(name)) {
		return nil
	}
	if _, token, ok := strings.Cut(value, " "); ok {
		return []string{value, token}
	}
	return []string{value}
}

// URLSecrets are the secrets in a text that is a URL: the password, or the user
// where there is none, and query parameters named like a secret.
func URLSecrets(text string) []string {
	if !strings.Contains(text, "://") {
		return nil
	}
	u, err := url.Parse(text)
	if err != nil {
		return nil
	}
	var hidden []string
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
