package downstream

import (
	"net/url"
)

// address is a url as it may be shown: without user, password and query.
func address(raw string) string {
	u, err := url.Parse(raw)
	if err != nil {
		return "its url"
	}
	return (&url.URL{Scheme: u.Scheme, Host: u.Host, Path: u.Path}).String()
}
