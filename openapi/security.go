package openapi

import (
	"cmp"
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/internal/servers/apis"
)

// A Credential is what a security scheme of a document sends: a token, of bearer and
// apiKey schemes; a name and a password, of basic ones; a client and its secret, of
// OAuth 2 client credentials.
type Credential struct {
	Token              string
	Username, Password string

	ClientID, ClientSecret string
	TokenURL               string            // in place of the document's
	Scopes                 []string          // in place of those that an operation asks for
	Parameters             map[string]string // of the request for a token, such as audience or resource
}

// String does not say the credential.
func (Credential) String() string { return "***" }

// GoString is String, for %#v.
func (c Credential) GoString() string { return c.String() }

// kinds of security schemes.
const (
	bearer = "bearer"
	basic  = "basic"
	apiKey = "apiKey"
	oauth2 = "oauth2"
)

// A scheme is one way in which an API wants to know who calls.
type scheme struct {
	name      string
	kind      string // "" if it is not supported
	in, param string // of an API key
	tokenURL  string
	discovery string // the URL of the metadata of an OpenID Connect provider
	scopes    []string
	given     *Credential // nil if the operator gives none
	tokens    *tokens     // of OAuth 2 client credentials
}

// security reads the schemes and gives them the operator's credentials.
func (a *api) security() error {
	a.schemes = map[string]*scheme{}
	schemes := a.file.root.get("components").get("securitySchemes")
	if a.swagger {
		schemes = a.file.root.get("securityDefinitions")
	}
	for name, at := range schemes.fields() {
		n, err := a.resolve(at)
		if err != nil {
			return err
		}
		a.schemes[name] = readScheme(name, n)
	}
	a.secured = a.file.root.get("security") != nil
	for _, item := range a.file.root.get("paths").fields() {
		for _, n := range item.fields() {
			a.secured = a.secured || n.get("security") != nil
		}
	}
	for _, name := range slices.Sorted(maps.Keys(a.options.Auth)) {
		if err := a.give(name, a.options.Auth[name]); err != nil {
			return err
		}
	}
	return nil
}

func readScheme(name string, n *node) *scheme {
	s := &scheme{name: name}
	switch n.get("type").str() {
	case "http":
		if kind := strings.ToLower(n.get("scheme").str()); kind == bearer || kind == basic {
			s.kind = kind
		}
	case basic: // of Swagger
		s.kind = basic
	case "apiKey":
		s.kind, s.in, s.param = apiKey, n.get("in").str(), n.get("name").label()
	case "oauth2", "openIdConnect":
		s.kind = oauth2
		flow := n.get("flows").get("clientCredentials")
		if n.get("flow").str() == "application" { // of Swagger
			flow = n
		}
		s.tokenURL, s.discovery = flow.get("tokenUrl").str(), n.get("openIdConnectUrl").str()
		for scope := range flow.get("scopes").fields() {
			s.scopes = append(s.scopes, scope)
		}
	}
	return s
}

// give sets a scheme's credential. A token does for every scheme but basic.
func (a *api) give(name string, c Credential) error {
	s := a.schemes[name]
	if s == nil {
		known := slices.Sorted(maps.Keys(a.schemes))
		if len(known) == 0 {
			return fmt.Errorf("%s: auth names the security scheme %s, and the document has none: use headers", a.file.name, diag.Quote(name))
		}
		return fmt.Errorf("%s: auth names the security scheme %s; the document has %s", a.file.name, diag.Quote(name), diag.OneOf(known, 10))
	}
	bad := func(want string) error {
		return fmt.Errorf("%s: the security scheme %s takes %s", a.file.name, diag.Quote(name), want)
	}
	s.given = &c
	switch {
	case s.kind == "":
		return fmt.Errorf("%s: the security scheme %s is of a kind that is not supported: use headers", a.file.name, diag.Quote(name))
	case s.kind == basic:
		if c.Username == "" || strings.Contains(c.Username, ":") {
			return bad("a username without a colon, and a password")
		}
	case s.kind == oauth2 && c.Token == "":
		if c.ClientID == "" {
			return bad("a token, or a clientId and a clientSecret")
		}
		s.tokens = &tokens{client: a.client, credential: c, turn: make(chan struct{}, 1)}
		address, to := cmp.Or(c.TokenURL, s.tokenURL), &s.tokens.url
		if address == "" {
			address, to = s.discovery, &s.tokens.discovery
		}
		u, err := a.tokenURL(address, c)
		if err != nil {
			return bad(err.Error())
		}
		*to = u
	case c.Token == "":
		return bad("a token")
	case !isFieldValue(c.Token):
		return bad("a token without line breaks")
	case s.kind == apiKey && (s.param == "" || s.in != "query" && !isToken(s.param)):
		return bad("nothing: the document does not say the name of its key")
	}
	return nil
}

// tokenURL is an address from which the tokens of a scheme are fetched, or what says it. A
// document that was fetched may only name its own origin, and that of the API.
func (a *api) tokenURL(address string, c Credential) (*url.URL, error) {
	u, err := url.Parse(address)
	if err == nil && a.base != nil {
		u = a.base.ResolveReference(u)
	}
	switch {
	case err != nil || address == "" || u.Scheme != "http" && u.Scheme != "https" || u.Host == "":
		return nil, errors.New("a tokenUrl, an http or https URL, because the document has none")
	case c.TokenURL != "":
	case a.file.url == nil:
		a.reach(u)
	case origin(u) != origin(a.file.url) && (a.base == nil || origin(u) != origin(a.base)):
		return nil, fmt.Errorf("a tokenUrl, because that of the document, %s, is of another origin", apis.Address(address))
	}
	return u, nil
}

// authorize chooses the credentials of an operation: those of the first alternative for
// which the operator gives all. Where the document does not say what any operation
// needs, all that are given are sent.
func (a *api) authorize(op *operation) {
	needs := op.node.get("security")
	if needs == nil {
		needs = a.file.root.get("security")
	}
	if !a.secured {
		for _, name := range slices.Sorted(maps.Keys(a.schemes)) {
			if a.schemes[name].given != nil {
				op.auth = append(op.auth, a.schemes[name])
			}
		}
		return
	}
	var missing []string
	anonymous := false
	for alternative := range needs.items() {
		var list []*scheme
		complete := true
		for name, scopes := range alternative.fields() {
			s := a.schemes[name]
			if s == nil || s.given == nil {
				complete = false
				missing = append(missing, name)
				continue
			}
			s.want(scopes)
			list = append(list, s)
		}
		if complete && len(list) > 0 {
			op.auth = list
			return
		}
		anonymous = anonymous || complete
	}
	if !anonymous {
		op.missing = missing
	}
}

// want adds scopes to those that a token is asked for.
func (s *scheme) want(scopes *node) {
	if s.tokens == nil {
		return
	}
	for scope := range scopes.items() {
		if !slices.Contains(s.tokens.scopes, scope.str()) {
			s.tokens.scopes = append(s.tokens.scopes, scope.str())
		}
	}
}

// apply adds a scheme's credential to a request. What it returns, if anything, drops the
// token that was sent, so that the next one is another.
func (s *scheme) apply(ctx context.Context, r *apis.Request) (drop func(), err error) {
	switch {
	case s.kind == basic:
		r.Header.Set("Authorization", basicAuth(s.given.Username, s.given.Password))
	case s.tokens != nil:
		token, err := s.tokens.get(ctx)
		if err != nil {
			return nil, err
		}
		r.Header.Set("Authorization", "Bearer "+token)
		return func() { s.tokens.forget(token) }, nil
	case s.kind == apiKey && s.in == "header":
		r.Header.Set(s.param, s.given.Token)
	case s.kind == apiKey && s.in == "cookie":
		addCookie(r.Header, s.param+"="+escapeCookie(s.given.Token))
	case s.kind == apiKey:
		join := "?"
		if strings.Contains(r.URL, "?") {
			join = "&"
		}
		r.URL += join + url.QueryEscape(s.param) + "=" + url.QueryEscape(s.given.Token)
	default:
		r.Header.Set("Authorization", "Bearer "+s.given.Token)
	}
	return nil, nil
}

func basicAuth(user, password string) string {
	return "Basic " + base64.StdEncoding.EncodeToString([]byte(user+":"+password))
}

// addCookie adds to the cookies of a request.
func addCookie(h http.Header, cookie string) {
	if have := h.Get("Cookie"); have != "" {
		cookie = have + "; " + cookie
	}
	h.Set("Cookie", cookie)
}
