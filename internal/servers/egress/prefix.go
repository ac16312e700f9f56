package egress

import (
	"cmp"
	"errors"
	"fmt"
	"net"
	"net/url"
	"slices"
	"strings"

	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/internal/sys/lists"
)

// A Prefix is a set of URLs that may be requested: a scheme, a host and a
// port, and a path with all below it. The host *.example.com means every
// host below example.com, * for every host.
type Prefix struct {
	Scheme, Host, Port string
	Path               string // escaped, without a slash at its end
}

// ParsePrefix reads https://api.example.com/v1/; a host alone means https.
func ParsePrefix(text string) (Prefix, error) {
	full := strings.TrimSpace(text)
	if !strings.Contains(full, "://") {
		full = "https://" + full
	}
	u, err := url.Parse(full)
	switch {
	case err != nil:
		return Prefix{}, errors.New("it is not a URL")
	case u.Scheme != "http" && u.Scheme != "https":
		return Prefix{}, errors.New("its scheme is neither https nor http")
	case u.Hostname() == "":
		return Prefix{}, errors.New("it has no host")
	case u.User != nil || u.RawQuery != "" || u.ForceQuery || u.Fragment != "":
		return Prefix{}, errors.New("it has more than a scheme, a host, a port and a path")
	}
	p := Prefix{Scheme: u.Scheme, Host: hostname(u), Port: portNumber(u), Path: strings.TrimRight(u.EscapedPath(), "/")}
	if rest := strings.TrimPrefix(p.Host, "*."); p.Host != "*" && (strings.Contains(rest, "*") || !isASCII(rest)) {
		return Prefix{}, errors.New("its host is not valid: * alone matches every host, and *. at the beginning matches every subdomain; write non-ASCII names in Punycode (xn--…)")
	}
	if fault := checkPath(u); fault != nil {
		return Prefix{}, errors.New(fault.Message)
	}
	return p, nil
}

// String is the prefix as a URL.
func (p Prefix) String() string {
	host := p.Host
	if p.Port != defaultPort(p.Scheme) {
		host = net.JoinHostPort(host, p.Port)
	} else if strings.Contains(host, ":") {
		host = "[" + host + "]"
	}
	return p.Scheme + "://" + host + p.Path + "/"
}

// covers reports whether a URL is below the prefix. A path is compared as it is
// sent: /v1%2fx is not below /v1.
func (p Prefix) covers(u *url.URL) bool {
	path := u.EscapedPath()
	return p.isAt(u) && (p.Path == "" || path == p.Path || strings.HasPrefix(path, p.Path+"/"))
}

// mayCover reports whether a URL that begins with u can be below the prefix.
func (p Prefix) mayCover(u *url.URL) bool {
	return p.isAt(u) && (p.covers(u) || strings.HasPrefix(p.Path+"/", u.EscapedPath()))
}

// isAt reports whether a URL is at the prefix's origin.
func (p Prefix) isAt(u *url.URL) bool {
	host := hostname(u)
	below, wild := strings.CutPrefix(p.Host, "*.")
	switch {
	case p.Scheme != u.Scheme || p.Port != portNumber(u):
		return false
	case p.Host == "*":
	case wild && !strings.HasSuffix(host, "."+below), !wild && host != p.Host:
		return false
	}
	return true
}

func hostname(u *url.URL) string { return strings.TrimSuffix(strings.ToLower(u.Hostname()), ".") }

func portNumber(u *url.URL) string { return cmp.Or(u.Port(), defaultPort(u.Scheme)) }

func defaultPort(scheme string) string {
	if scheme == "http" {
		return "80"
	}
	return "443"
}

// origin is what a browser takes for one site.
func origin(u *url.URL) string { return Prefix{u.Scheme, hostname(u), portNumber(u), ""}.String() }

func isASCII(s string) bool {
	return !strings.ContainsFunc(s, func(r rune) bool { return r > '~' || r <= ' ' })
}

// badRequest is the fault of a node's own values.
func badRequest(hint, format string, args ...any) *diag.Fault {
	return diag.Faultf(diag.CodeBadRequest, format, args...).WithHint(hint)
}

// parseURL reads the URL of a request. What servers may read differently than
// the list of prefixes does is refused.
func parseURL(text string) (*url.URL, *diag.Fault) {
	const form = "write a whole URL, such as https://api.example.com/v1/items"
	u, err := url.Parse(text)
	switch {
	case err != nil || strings.ContainsFunc(text, func(r rune) bool { return r < ' ' || r == 0x7f }):
		return nil, badRequest(form, "%q is not a URL", shown(text))
	case u.Scheme != "http" && u.Scheme != "https" || u.Hostname() == "":
		return nil, badRequest(form, "%q is not an http or https URL", shown(text))
	case u.User != nil:
		return nil, badRequest("write auth: {basic: {username: …, password: …}}", "the URL of %s carries a name or password", u.Hostname())
	case !isASCII(u.Host):
		return nil, badRequest("write it in ASCII, as xn--…", "the host %q contains characters other than ASCII", u.Hostname())
	}
	u.Fragment, u.RawFragment = "", ""
	return u, checkPath(u)
}

// checkPath refuses segments that lead up: servers resolve them, and would answer
// from outside of what a prefix allows.
func checkPath(u *url.URL) *diag.Fault {
	path := u.Path
	for range 3 {
		for segment := range strings.FieldsFuncSeq(path, func(r rune) bool { return r == '/' || r == '\\' }) {
			segment, _, _ = strings.Cut(segment, ";") // parameters of a segment, which some servers drop
			if segment == "." || segment == ".." {
				return badRequest("name the path itself; $encodeUrlComponent keeps a value in one segment", "the path of the URL has the segment %q", segment)
			}
		}
		again, err := url.PathUnescape(path)
		if err != nil || again == path {
			break
		}
		path = again
	}
	return nil
}

// shown is a URL as messages say it: without name, password and query.
func shown(text string) string {
	text, _, _ = strings.Cut(text, "#")
	text, _, _ = strings.Cut(text, "?")
	if scheme, rest, ok := strings.Cut(text, "://"); ok {
		host, path, slash := strings.Cut(rest, "/")
		if at := strings.LastIndexByte(host, '@'); at >= 0 {
			host = host[at+1:]
		}
		text = scheme + "://" + host
		if slash {
			text += "/" + path
		}
	}
	return diag.Cut(text, 200)
}

// allows says why a request with variables must not go to a URL.
func (c *Client) allows(u *url.URL, variables []string) *diag.Fault {
	covers := func(p Prefix) bool { return p.covers(u) }
	if !slices.ContainsFunc(c.o.Allow, covers) {
		return c.notAllowed(u)
	}
	for _, name := range variables {
		v := c.o.Variables[name]
		if len(v.For) > 0 && !slices.ContainsFunc(v.For, covers) {
			names := lists.Each(v.For, func(p Prefix) string { return p.String() })
			return diag.Faultf(diag.CodeHTTPNotAllowed, "the operator does not allow ${%s} to be sent to %s", name, origin(u)).WithHint("it may be sent to " + diag.OneOf(names, 12))
		}
	}
	return nil
}

func (c *Client) notAllowed(u *url.URL) *diag.Fault {
	f := diag.Faultf(diag.CodeHTTPNotAllowed, "the operator does not allow requests to %s", shown(u.Scheme+"://"+u.Host+u.EscapedPath()))
	f.Hint = fmt.Sprintf("to allow them, the operator adds to patchbay.yaml: egress: {allow: [%q]}", origin(u))
	if len(c.o.Allow) > 0 {
		names := lists.Each(c.o.Allow, func(p Prefix) string { return p.String() })
		f.Hint = "the allowed URLs begin with " + diag.OneOf(names, 12) + "; " + f.Hint
	}
	return f
}
