package config

import (
	"cmp"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/graph"
	"github.com/patchbay-mcp/patchbay/internal/secrets"
)

// A Webhook starts a graph when somebody posts to /hooks/NAME.
type Webhook struct {
	Name    string
	Graph   string
	Body    string            // the argument that gets the body; "" takes the body for the arguments
	Headers map[string]string // by argument, the header that it gets
	Query   map[string]string // by argument, the parameter of the query that it gets
	Token   string            // that the sender has; "" without one
	Secret  string            // with which the sender signs the body; "" without one

	Signature *Signature // how the sender signs; nil for the ways that are known
}

// A Signature is a way in which a sender signs its requests, with HMAC.
type Signature struct {
	Header, Prefix string        // of the signature, in hexadecimal digits or base64
	Algorithm      string        // sha1, sha256 or sha512
	Template       string        // what is signed: a text with {body}, {timestamp} and {id}
	Timestamp      string        // the header with the time in Unix seconds or, if it ends with =, the part of Header; or ""
	ID             string        // the header with the id of a delivery, or ""
	Tolerance      time.Duration // how much the time may differ from ours
}

// DefaultTolerance is how much the time of a signed request may differ from ours.
const DefaultTolerance = 5 * time.Minute

var (
	hookName    = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9_.-]{0,63}$`) })
	placeholder = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`\{[^{}]*\}`) })
)

// webhooks reads the map of webhooks. One with a fault is left out: it could be open to more
// than the operator means.
func (l *loader) webhooks(o origin, v graph.Value) {
	if !o.is(v, graph.Object, "a map of names to {graph, token, secret, body}") {
		return
	}
	for name, item := range v.Members() {
		if !hookName().MatchString(name) {
			o.bad(v.Key(name), "a name of letters, digits, _, - and .")
			continue
		}
		if !o.is(item, graph.Object, "a map with graph") {
			continue
		}
		o.unknown(item, []string{"graph", "token", "secret", "body", "headers", "query", "signature"}, fmt.Sprintf("webhook %q", name))
		h := Webhook{Name: name}
		sound := l.optionals(o, item, map[string]*string{"token": &h.Token, "secret": &h.Secret, "body": &h.Body})
		var ok [4]bool
		h.Headers, ok[0] = l.readNames(o, item.Get("headers"))
		h.Query, ok[1] = l.readNames(o, item.Get("query"))
		h.Signature, ok[2] = l.signature(o, item, h.Secret)
		h.Graph, ok[3] = l.required(o, item, "graph", "the name of a graph")
		if !sound || slices.Contains(ok[:], false) {
			continue
		}
		l.secrets = append(l.secrets, secrets.Secret{Name: "webhooks." + name + ".token", Value: h.Token}, secrets.Secret{Name: "webhooks." + name + ".secret", Value: h.Secret})
		l.cfg.Webhooks = append(l.cfg.Webhooks, h)
	}
}

// optionals reads optional texts of a map. It is false if one of them is wrong.
func (l *loader) optionals(o origin, m graph.Value, to map[string]*string) bool {
	sound := true
	for key, into := range to {
		text, ok := l.optional(o, m, key)
		*into, sound = text, sound && ok
	}
	return sound
}

// readNames reads a map from arguments to the names of headers or parameters.
func (l *loader) readNames(o origin, v graph.Value) (map[string]string, bool) {
	if !given(v) {
		return nil, true
	}
	if !o.is(v, graph.Object, "a map of arguments to names, such as {event: X-GitHub-Event}") {
		return nil, false
	}
	names := map[string]string{}
	for argument := range v.Members() {
		name, ok := l.optional(o, v, argument)
		if !ok {
			return nil, false
		}
		names[argument] = name
	}
	return names, true
}

// signature reads how the requests of a webhook are signed; nil if it does not say it.
func (l *loader) signature(o origin, hook graph.Value, secret string) (*Signature, bool) {
	v := hook.Get("signature")
	if !given(v) {
		return nil, true
	}
	if !o.is(v, graph.Object, "a map with header") {
		return nil, false
	}
	o.unknown(v, []string{"header", "prefix", "algorithm", "template", "timestamp", "id", "toleranceMs"}, "signature")
	s := &Signature{Tolerance: DefaultTolerance}
	var ok bool
	if s.Header, ok = l.required(o, v, "header", "the header of the signature, such as X-Signature"); !ok ||
		!l.optionals(o, v, map[string]*string{"prefix": &s.Prefix, "algorithm": &s.Algorithm, "template": &s.Template, "timestamp": &s.Timestamp, "id": &s.ID}) {
		return nil, false
	}
	s.Algorithm, s.Template = cmp.Or(s.Algorithm, "sha256"), cmp.Or(s.Template, "{body}")
	if ms := v.Get("toleranceMs"); given(ms) {
		n, ok := o.number(ms, 1, 24*60*60*1000)
		if !ok {
			return nil, false
		}
		s.Tolerance = time.Duration(n) * time.Millisecond
	}
	may := map[string]bool{"{body}": true, "{timestamp}": s.Timestamp != "", "{id}": s.ID != ""}
	wrong := func(at, hint, format string, args ...any) (*Signature, bool) {
		where := v
		if v.Has(at) {
			where = v.Get(at)
		}
		o.report(ruleBadSetting, where, hint, format, args...)
		return nil, false
	}
	for _, one := range placeholder().FindAllString(s.Template, -1) {
		if known, ok := may[one]; !ok {
			return wrong("template", "write {body}, {timestamp} and {id}", "the template of a signature has %s, which is not one of %s", diag.Quote(one), diag.OneOf(slices.Sorted(maps.Keys(may)), 3))
		} else if !known {
			return wrong("template", "add "+strings.Trim(one, "{}")+": the header that has it", "the template of a signature has %s, and the signature has no %s", one, strings.Trim(one, "{}"))
		}
	}
	switch {
	case secret == "":
		return wrong("header", "add secret: what the sender signs with", "the webhook has a signature and no secret")
	case s.Algorithm != "sha1" && s.Algorithm != "sha256" && s.Algorithm != "sha512":
		return wrong("algorithm", "write sha1, sha256 or sha512", "the algorithm of a signature is %s, expected sha1, sha256 or sha512", diag.Quote(s.Algorithm))
	case !strings.Contains(s.Template, "{body}"):
		return wrong("template", "write what the sender signs, such as {timestamp}.{body}", "the template of a signature has no {body}")
	case s.Timestamp != "" && !strings.Contains(s.Template, "{timestamp}"):
		return wrong("timestamp", "write what the sender signs, such as {timestamp}.{body}", "the timestamp of a signature is not signed: its template has no {timestamp}")
	}
	return s, true
}
