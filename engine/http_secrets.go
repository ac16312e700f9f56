package engine

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/expr"
	"github.com/patchbay-mcp/patchbay/graph"
	"github.com/patchbay-mcp/patchbay/internal/sys/lists"
)

var (
	ruleHTTPVariable = diag.Define("http-variable", diag.Error,
		"A ${…} of an http node is not a variable that the operator offers, or is inside an expression, where variables are not replaced. egress.variables in patchbay.yaml lists the variables; $${ is a literal ${.")
	ruleHTTPAuth = diag.Define("http-auth", diag.Error,
		"The auth of an http node is not {bearer: …}, {basic: {username, password}} or {header: {name, value}}, or the request has two sets of credentials.")
)

// escapeVariables marks what was computed as free of variables: only the author of
// a graph names them, not the data that it works on.
func escapeVariables(v expr.Value) expr.Value {
	switch v := v.(type) {
	case string:
		return strings.ReplaceAll(v, "${", "$${")
	case []any:
		return lists.Each(v, escapeVariables)
	case expr.Object:
		out := expr.NewObject()
		for key, member := range v.All() {
			out.Set(key, escapeVariables(member))
		}
		return out
	}
	return v
}

// looksLikeVariable is a variable by its looks, in an expression.
var looksLikeVariable = regexp.MustCompile(`\$\{[A-Z][A-Z0-9_]*\}`)

// httpVariables checks the ${…} of a node's literals and returns the names used, ""
// among them where one is at fault.
func (p *Pass) httpVariables(n *Node) []string {
	var used []string
	var walk func(v graph.Value)
	walk = func(v graph.Value) {
		switch {
		case v.Expr().Exists():
			if at := looksLikeVariable.FindStringIndex(v.Expr().Text()); at != nil {
				x := v.Expr().Value
				p.reportAt(ruleHTTPVariable, x, x.Within(at[0], at[1]), n, "%s is inside an expression, where variables are not replaced", x.Text()[at[0]:at[1]]).Hint = "variables are replaced only in literals: in a header, in auth, or in a literal string of query or body"
			}
		case v.Is(graph.Object):
			for _, m := range v.Members() {
				walk(m)
			}
		case v.Is(graph.Array):
			for _, item := range v.Items() {
				walk(item)
			}
		case v.Is(graph.String):
			used = append(used, p.textVariables(n, v)...)
		}
	}
	for _, name := range []string{"url", "query", "headers", "auth", "body"} {
		walk(n.Field(name))
	}
	slices.Sort(used)
	return slices.Compact(used)
}

func (p *Pass) textVariables(n *Node, v graph.Value) []string {
	text := v.Text()
	if _, template := p.fromTemplate(text); template || !strings.Contains(text, "${") {
		return nil // what it says of templates is enough
	}
	var used []string
	for at := 0; ; {
		i := strings.Index(text[at:], "${")
		if i < 0 {
			return used
		}
		at += i
		if at > 0 && text[at-1] == '$' {
			at += 2
			continue
		}
		name, _, closed := strings.Cut(text[at+2:], "}")
		end := min(at+len(name)+3, len(text))
		if !p.offers(n, v, name, closed, at, end) {
			name = ""
		}
		used = append(used, name)
		at = end
	}
}

// offers reports whether the operator offers a variable, saying so if not.
func (p *Pass) offers(n *Node, v graph.Value, name string, closed bool, at, end int) bool {
	if closed && variableName.MatchString(name) {
		if p.env.HTTP == nil || slices.Contains(p.env.HTTP.Variables(), name) {
			return true
		}
		offered := p.env.HTTP.Variables()
		d := p.reportAt(ruleHTTPVariable, v, v.Within(at, end), n, "the operator does not offer the variable %q", name)
		if near := p.closest(name, offered); near != "" {
			d.WithFix(fmt.Sprintf("did you mean %q?", near), v.Replace("change to ${"+near+"}", v.Text()[:at]+"${"+near+"}"+v.Text()[end:]))
			return false
		}
		d.Hint = "to offer it, the operator adds to patchbay.yaml: egress: {variables: [" + name + "]}"
		if len(offered) > 0 {
			d.Hint = "the variables are " + diag.OneOf(offered, 12) + "; " + d.Hint
		}
		return false
	}
	d := p.reportAt(ruleHTTPVariable, v, v.Within(at, end), n, "%q is not a variable", diag.Cut(v.Text()[at:end], 40))
	d.Hint = "write ${NAME}; $${ is a literal ${"
	if !closed && variableName.MatchString(name) {
		d.Offer(v.Replace("close it", v.Text()+"}"))
		return false
	}
	d.Offer(v.Replace("write $${", v.Text()[:at]+"$"+v.Text()[at:]))
	return false
}

// computedWhole compiles a field that is absent, or computed as a whole.
func (p *Pass) computedWhole(n *Node, v graph.Value) (t *Template, whole bool) {
	switch {
	case !v.Exists() || v.Is(graph.Null):
		return nil, true
	case p.computed(n, v) || isPlaceholder(v):
		return p.Template(n, v), true
	case v.Is(graph.String) && p.readsNode(v.Text()):
		return p.Computed(n, v, v.Name()), true
	}
	return nil, false
}

// httpHeaders compiles the headers.
func (p *Pass) httpHeaders(n *Node) *Template {
	v := n.Field("headers")
	if t, whole := p.computedWhole(n, v); whole {
		return t
	}
	if !v.Is(graph.Object) {
		p.wrongForm(&headersForm, "", n, v)
		return nil
	}
	seen := map[string]bool{}
	for name, m := range v.Members() {
		p.httpHeader(n, v, name)
		if low := strings.ToLower(name); seen[low] {
			p.Report(ruleHTTPHeader, v.Key(name), n, "the header %q is set twice: header names are case-insensitive", name).
				Offer(m.Remove(fmt.Sprintf("remove %q", name)))
		} else {
			seen[low] = true
		}
	}
	return p.Template(n, v)
}

// connectionHeaders are the headers that the HTTP client sets, in lower case.
var connectionHeaders = []string{"accept-encoding", "connection", "content-length", "expect", "host", "keep-alive", "proxy-authorization", "proxy-connection", "te", "trailer", "transfer-encoding", "upgrade"}

func (p *Pass) httpHeader(n *Node, headers graph.Value, name string) {
	v := headers.Get(name)
	switch {
	case strings.ContainsFunc(name, func(r rune) bool { return r <= ' ' || r > '~' || strings.ContainsRune(`"(),/:;<=>?@[\]{}`, r) }) || name == "":
		d := p.Report(ruleHTTPHeader, headers.Key(name), n, "invalid header name %q", diag.Cut(name, 60))
		d.Hint = "write letters, digits and hyphens, such as X-Request-Id"
		if fixed := strings.TrimSuffix(strings.TrimSpace(name), ":"); fixed != name && variableName.MatchString(strings.ReplaceAll(fixed, "-", "_")) && !headers.Has(fixed) {
			d.Offer(headers.RenameKey(fmt.Sprintf("rename to %q", fixed), name, fixed))
		}
	case slices.Contains(connectionHeaders, strings.ToLower(name)):
		p.Report(ruleHTTPHeader, headers.Key(name), n, "the header %q is set by the HTTP client", name).
			WithFix("leave it out: its value comes from url and body", v.Remove(fmt.Sprintf("remove %q", name)))
	case v.Is(graph.Object) && !p.computed(n, v) && !isPlaceholder(v), v.Is(graph.Array):
		p.Report(ruleHTTPHeader, v, n, "the header %q is %s, expected text", name, shape(v)).Hint = "join a list with commas: a, b"
	case v.Is(graph.String) && strings.ContainsFunc(v.Text(), func(r rune) bool { return r < ' ' && r != '\t' || r == 0x7f }):
		d := p.Report(ruleHTTPHeader, v, n, "the value of the header %q has a line break or another control character", name)
		if fixed := strings.Join(strings.Fields(v.Text()), " "); !strings.ContainsFunc(fixed, func(r rune) bool { return r < ' ' || r == 0x7f }) {
			d.Offer(v.Replace("write it on one line", fixed))
		}
	}
}

const authForms = "write {bearer: …}, {basic: {username: …, password: …}} or {header: {name: …, value: …}}"

// httpAuth compiles auth.
func (p *Pass) httpAuth(n *Node) *Template {
	v := n.Field("auth")
	if t, whole := p.computedWhole(n, v); whole {
		return t
	}
	if !v.Is(graph.Object) || v.Len() != 1 {
		p.authForm(n, v)
		return nil
	}
	m := p.readKeys(v, "auth", n, []string{"bearer", "basic", "header"}, foreignWords["auth"])
	if a, ok := m["basic"]; ok && !p.computed(n, a) && !isPlaceholder(a) {
		p.authMembers(n, a, "basic", "username", "password")
	}
	if a, ok := m["header"]; ok && !p.computed(n, a) && !isPlaceholder(a) {
		p.authMembers(n, a, "header", "name", "value")
	}
	if b := m["bearer"]; b.Exists() && (b.Is(graph.Object) && !p.computed(n, b) && !isPlaceholder(b) || b.Is(graph.Array) || b.Is(graph.Null)) {
		p.Report(ruleHTTPAuth, b, n, "auth.bearer is %s, expected the token", shape(b)).Hint = `write {bearer: "${TOKEN}"} or {bearer: {expr: …}}`
	}
	if b := m["bearer"]; b.Is(graph.String) {
		if token, doubled := strings.CutPrefix(b.Text(), "Bearer "); doubled {
			p.Report(ruleHTTPAuth, b, n, "auth.bearer starts with Bearer, which is added automatically").
				Offer(b.Replace("remove Bearer from the token", token))
		}
	}
	if len(m) == 0 {
		return nil
	}
	for _, name := range n.Field("headers").Keys() {
		if strings.EqualFold(name, "Authorization") && !m["header"].Exists() {
			h := n.Field("headers")
			p.Report(ruleHTTPAuth, h.Key(name), n, "the request has both auth and the header %q", name).
				WithFix("keep one of them", h.Get(name).Remove("remove the header"))
		}
	}
	return p.Template(n, v)
}

func (p *Pass) authMembers(n *Node, v graph.Value, scheme string, want ...string) {
	if !v.Is(graph.Object) {
		p.Report(ruleHTTPAuth, v, n, "auth.%s is %s, expected {%s}", scheme, shape(v), strings.Join(want, ", ")).Hint = authForms
		return
	}
	m := p.readKeys(v, "auth."+scheme, n, want, foreignWords["credentials"])
	for _, name := range want {
		if _, ok := m[name]; !ok {
			p.Report(ruleHTTPAuth, v, n, "auth.%s has no %s", scheme, name).Hint = authForms
		}
	}
}

// authForm recovers from other ways to write credentials.
func (p *Pass) authForm(n *Node, v graph.Value) {
	d := p.Report(ruleHTTPAuth, v, n, "auth is %s, expected one of bearer, basic and header", shape(v))
	d.Hint = authForms
	var meant graph.Members
	token := firstMember(v, "token", "bearer", "value")
	user, password := firstMember(v, "username", "user"), firstMember(v, "password", "pass")
	switch rest, isBearer := strings.CutPrefix(v.Text(), "Bearer "); {
	case isBearer:
		meant = oneMember("bearer", rest)
	case v.Is(graph.Object) && user.Exists() && password.Exists():
		meant = oneMember("basic", graph.Members{{Key: "username", Value: raw(user)}, {Key: "password", Value: raw(password)}})
	case v.Is(graph.Object) && token.Exists() && sameName(firstMember(v, "type", "scheme").Text(), "bearer"):
		meant = oneMember("bearer", raw(token))
	default:
		return
	}
	d.Offer(v.Replace("write "+meant[0].Key+": …", meant))
}
