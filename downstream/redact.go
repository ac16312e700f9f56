package downstream

import (
	"net/url"
	"slices"
	"strings"
)

// minSecret is the length from which a value is taken for a secret: shorter
// ones ("1", "true") are parts of ordinary words.
const minSecret = 6

// redactor returns a function that hides the values of an entry's env and
// headers, and what its url carries beside host and path; then, what the
// operator's own redact hides.
func redactor(s *Server, own func(string) string) func(string) string {
	var secrets []string
	for _, v := range s.Env {
		secrets = append(secrets, v)
	}
	for _, v := range s.Headers {
		secrets = append(secrets, v)
		if _, token, ok := strings.Cut(v, " "); ok {
			secrets = append(secrets, token) // Bearer <token>
		}
	}
	if u, err := url.Parse(s.URL); err == nil {
		if password, ok := u.User.Password(); ok {
			secrets = append(secrets, password)
		}
		secrets = append(secrets, u.RawQuery, u.User.String())
		for _, values := range u.Query() {
			secrets = append(secrets, values...)
		}
	}
	secrets = slices.DeleteFunc(secrets, func(v string) bool { return len(v) < minSecret })
	// Where one secret begins another, the longer is hidden as a whole.
	slices.SortFunc(secrets, func(a, b string) int { return len(b) - len(a) })
	var pairs []string
	for _, v := range slices.Compact(secrets) {
		pairs = append(pairs, v, "***")
	}
	replacer := strings.NewReplacer(pairs...)
	return func(text string) string {
		text = replacer.Replace(text)
		if own != nil {
			text = own(text)
		}
		return text
	}
}

// address is a url as it may be shown: without user, password and query.
func address(raw string) string {
	u, err := url.Parse(raw)
	if err != nil {
		return "its url"
	}
	return (&url.URL{Scheme: u.Scheme, Host: u.Host, Path: u.Path}).String()
}
