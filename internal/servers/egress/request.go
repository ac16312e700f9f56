package egress

import (
	"bytes"
	"encoding/json"
	"mime"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync/atomic"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"
	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/unicode"

	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/internal/servers/apis"
)

// Methods are those of RFC 9110 and RFC 5789 that a node may use.
var Methods = []string{"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"}

// requestSpec is a request as a node writes it, its expressions evaluated.
type requestSpec struct {
	Method  string          `json:"method"`
	URL     string          `json:"url"`
	Query   json.RawMessage `json:"query"`
	Headers json.RawMessage `json:"headers"`
	Auth    json.RawMessage `json:"auth"`
	Body    json.RawMessage `json:"body"`
}

// request is one that is ready to be sent.
type request struct {
	method string
	url    *url.URL
	header http.Header
	body   []byte
	named  string // what messages call it: as the author wrote it

	used        []string // variables in all of it
	originBound []string // headers that are not sent to another origin
	secrets     []string // to mask in messages

	sent   atomic.Bool // a connection was made, so a server may have got something
	status int         // of the response, 0 before it
}

// newRequest builds a request; with a fault it is as far as it got.
func (c *Client) newRequest(raw json.RawMessage) (*request, *diag.Fault) {
	m := &request{header: http.Header{"User-Agent": {"patchbay"}, "Accept": {"*/*"}}}
	var o requestSpec
	if err := json.Unmarshal(raw, &o); err != nil {
		return m, badRequest("", "the request cannot be read: %v", err)
	}
	m.method, m.named = o.Method, o.Method+" "+shown(o.URL)
	if !slices.Contains(Methods, m.method) {
		return m, badRequest("the methods are "+strings.Join(Methods, ", "), "unknown method %q", o.Method)
	}
	for _, step := range []func(*request, *requestSpec) *diag.Fault{c.address, c.headers, c.auth, c.body} {
		if fault := step(m, &o); fault != nil {
			return m, fault
		}
	}
	return m, c.allows(m.url, m.used)
}

// text expands a scalar; ok is false for null, which leaves the field out.
func (c *Client) text(m *request, raw json.RawMessage, what string) (s string, ok bool, fault *diag.Fault) {
	switch {
	case len(raw) == 0 || string(raw) == "null":
		return "", false, nil
	case raw[0] == '{' || raw[0] == '[':
		return "", false, badRequest("write a string, a number, true or false", "%s is an object or a list", what)
	case raw[0] != '"':
		return string(raw), true, nil
	}
	if err := json.Unmarshal(raw, &s); err != nil {
		return "", false, badRequest("", "%s cannot be read: %v", what, err)
	}
	s, used, fault := c.expand(s)
	m.used = append(m.used, used...)
	return s, true, fault
}

// member is one member of a JSON object.
type member struct {
	name  string
	value json.RawMessage
}

// members lists those of an object in order.
func members(raw json.RawMessage, what string) ([]member, *diag.Fault) {
	if len(raw) == 0 || string(raw) == "null" {
		return nil, nil
	}
	wrong := badRequest("write {<name>: <value>}", "%s is not an object", what)
	dec := jsontext.NewDecoder(bytes.NewReader(raw), jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))
	if tok, err := dec.ReadToken(); err != nil || tok.Kind() != '{' {
		return nil, wrong
	}
	var list []member
	for dec.PeekKind() != '}' {
		tok, err := dec.ReadToken()
		if err != nil {
			return nil, wrong
		}
		name := tok.String()
		v, err := dec.ReadValue()
		if err != nil {
			return nil, wrong
		}
		list = append(list, member{name, json.RawMessage(bytes.Clone(v))})
	}
	return list, nil
}

// address appends the query to the URL.
func (c *Client) address(m *request, o *requestSpec) *diag.Fault {
	text, used, fault := c.expand(o.URL)
	if fault != nil {
		return fault
	}
	m.used, m.secrets = append(m.used, used...), append(m.secrets, c.asHost(used)...)
	if m.url, fault = parseURL(text); fault != nil {
		return expandedFault(fault, o.URL, used)
	}
	query, fault := c.form(m, o.Query, "query")
	if fault == nil && query != "" {
		if m.url.RawQuery != "" {
			query = "&" + query
		}
		m.url.RawQuery += query
	}
	return fault
}

// expandedFault is the fault of a URL with its variables still unexpanded.
func expandedFault(f *diag.Fault, address string, used []string) *diag.Fault {
	if len(used) > 0 {
		f.Message = "with its variables inserted, " + shown(address) + " is not a URL"
		f.Hint = ""
	}
	return f
}

// form writes an object as a query or a form: in its order, a list as the name
// several times.
func (c *Client) form(m *request, raw json.RawMessage, what string) (string, *diag.Fault) {
	list, fault := members(raw, what)
	if fault != nil {
		return "", fault
	}
	var parts []string
	for _, p := range list {
		values := []json.RawMessage{p.value}
		if len(p.value) > 0 && p.value[0] == '[' {
			if err := json.Unmarshal(p.value, &values); err != nil {
				return "", badRequest("", "%s: %q cannot be read: %v", what, p.name, err)
			}
		}
		for _, v := range values {
			text, ok, fault := c.text(m, bytes.TrimSpace(v), what+": "+p.name)
			if fault != nil {
				return "", fault
			}
			if ok {
				parts = append(parts, url.QueryEscape(p.name)+"="+url.QueryEscape(text))
			}
		}
	}
	return strings.Join(parts, "&"), nil
}

// connection are headers that belong to the connection, which is not the node's.
var connection = []string{"Accept-Encoding", "Connection", "Content-Length", "Expect", "Host", "Http2-Settings", "Keep-Alive", "Proxy-Authenticate", "Proxy-Authorization", "Proxy-Connection", "Te", "Trailer", "Transfer-Encoding", "Upgrade"}

func (c *Client) headers(m *request, o *requestSpec) *diag.Fault {
	list, fault := members(o.Headers, "headers")
	if fault != nil {
		return fault
	}
	for _, h := range list {
		before := len(m.used)
		value, ok, fault := c.text(m, h.value, "the header "+h.name)
		if fault != nil {
			return fault
		}
		if !ok {
			continue
		}
		if fault := m.set(h.name, value); fault != nil {
			return fault
		}
		if name := http.CanonicalHeaderKey(h.name); len(m.used) > before || !slices.Contains(harmless, name) {
			m.originBound = append(m.originBound, name)
		}
	}
	return nil
}

// harmless headers are also sent to another origin after a redirect.
var harmless = []string{"Accept", "Accept-Language", "Content-Type", "User-Agent"}

// set sets a header that is one.
func (m *request) set(name, value string) *diag.Fault {
	canonical := http.CanonicalHeaderKey(name)
	switch {
	case !isToken(name):
		return badRequest("a name is letters, digits and hyphens", "%q is not a valid header name", name)
	case slices.Contains(connection, canonical):
		return badRequest("leave it out: the HTTP client sets it", "a node cannot set the header %s", name)
	case strings.ContainsFunc(value, func(r rune) bool { return r < ' ' && r != '\t' || r == 0x7f }):
		return badRequest("a header is one line; $trim cuts line ends off", "the value of the header %s has a line break or another control character", name)
	}
	m.header.Set(name, value)
	return nil
}

// isToken reports whether a text is a token of RFC 9110.
func isToken(s string) bool {
	return s != "" && !strings.ContainsFunc(s, func(r rune) bool {
		return r <= ' ' || r > '~' || strings.ContainsRune(`"(),/:;<=>?@[\]{}`, r)
	})
}

// body writes the body: an object or a list as JSON, or as the form that its
// content type asks for, a text as it is; in the charset of the content type.
func (c *Client) body(m *request, o *requestSpec) *diag.Fault {
	if len(o.Body) == 0 {
		return nil
	}
	raw := o.Body
	declared := m.header.Get("Content-Type")
	kind, params, _ := mime.ParseMediaType(declared)
	otherwise := "application/json"
	switch {
	case kind == "application/x-www-form-urlencoded" && raw[0] == '{':
		form, fault := c.form(m, raw, "body")
		m.body = []byte(form)
		return fault
	case raw[0] == '"':
		text, _, fault := c.text(m, raw, "body")
		if fault != nil {
			return fault
		}
		m.body, otherwise = []byte(text), "text/plain; charset=utf-8"
	case declared != "" && !apis.IsJSON(kind):
		return badRequest("write the body as text, or leave Content-Type out to send JSON", "an object or a list cannot be sent as %s", declared)
	default:
		full, used, fault := c.expandJSON(raw)
		if fault != nil {
			return fault
		}
		m.body, m.used = full, append(m.used, used...)
	}
	if declared == "" {
		m.header.Set("Content-Type", otherwise)
	}
	var fault *diag.Fault
	m.body, fault = encoded(strings.ToLower(params["charset"]), m.body)
	return fault
}

// charsets are the codes that a body is written in. US-ASCII is the first half of Latin-1.
var charsets = map[string]encoding.Encoding{
	"iso-8859-1": charmap.ISO8859_1, "latin1": charmap.ISO8859_1, "us-ascii": charmap.ISO8859_1, "windows-1252": charmap.Windows1252,
	"utf-16": unicode.UTF16(unicode.BigEndian, unicode.UseBOM), "utf-16be": unicode.UTF16(unicode.BigEndian, unicode.IgnoreBOM), "utf-16le": unicode.UTF16(unicode.LittleEndian, unicode.IgnoreBOM),
}

// encoded is a body in the charset that its content type declares.
func encoded(charset string, text []byte) ([]byte, *diag.Fault) {
	if charset == "" || charset == "utf-8" || charset == "utf8" {
		return text, nil
	}
	to := charsets[charset]
	if to == nil {
		return nil, badRequest("write charset=utf-8, or leave it out", "the charset %q of a body is not one that is known here: utf-8, utf-16, iso-8859-1, windows-1252 or us-ascii", charset)
	}
	lacks := func(c rune) bool {
		_, err := to.NewEncoder().String(string(c))
		return err != nil || charset == "us-ascii" && c >= utf8.RuneSelf
	}
	out, err := to.NewEncoder().Bytes(text)
	if err == nil && charset != "us-ascii" {
		return out, nil
	}
	if i := bytes.IndexFunc(text, lacks); i >= 0 {
		c, _ := utf8.DecodeRune(text[i:])
		return nil, badRequest("write charset=utf-8, or leave it out", "the body has %q, which the charset %s does not have", c, charset)
	}
	return out, nil
}
