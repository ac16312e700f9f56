package openapi

import (
	"cmp"
	"encoding/json"
	"slices"
	"strings"

	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/internal/servers/apis"
)

// An operation is one method of one path.
type operation struct {
	name, id     string
	method, path string
	tags         []string
	node         *node

	base       string // the server's URL; "" if none is known
	template   []segment
	parameters []*parameter
	sent       []member // the parameters of Swagger that are the body or fields of its form
	body       *body
	input      json.RawMessage // the schema of the arguments
	responses  responses
	auth       []*scheme
	missing    []string // the security schemes it needs that are not configured
}

// endpoint is the method and the path, which say what a call does whatever its tool is called.
func (op *operation) endpoint() string { return op.method + " " + op.path }

// read completes an operation with what its document says.
func (a *api) read(op *operation, item *node) error {
	base := a.base
	for _, n := range []*node{a.servers(op.node), item.get("servers")} {
		if n == nil || a.client.base != nil {
			continue
		}
		own, err := a.server(n)
		if err != nil {
			return err
		}
		base = own
		break
	}
	if base != nil {
		op.base = strings.TrimRight(base.String(), "/")
	}
	if err := a.parameters(op, item); err != nil {
		return err
	}
	if err := a.requestBody(op); err != nil {
		return err
	}
	if err := a.results(op); err != nil {
		return err
	}
	a.authorize(op)
	op.arguments()
	return nil
}

// parameters reads those of the path and of the operation, which replace the former.
func (a *api) parameters(op *operation, item *node) error {
	for _, at := range []*node{item.get("parameters"), op.node.get("parameters")} {
		list, err := a.list(at)
		if err != nil {
			return err
		}
		for at := range list.items() {
			n, err := a.resolve(at)
			if err != nil {
				return err
			}
			if in := n.get("in").str(); a.swagger && (in == "body" || in == "formData") {
				op.send(n)
				continue
			}
			p, err := a.parameter(n)
			if err != nil {
				return err
			}
			if p == nil {
				continue
			}
			same := func(q *parameter) bool { return q.name == p.name && q.in == p.in }
			if i := slices.IndexFunc(op.parameters, same); i >= 0 {
				op.parameters[i] = p
			} else {
				op.parameters = append(op.parameters, p)
			}
		}
	}
	return op.parseTemplate()
}

// A segment is a part of a path: a text, or the parameter whose value takes its place.
type segment struct {
	text      string
	parameter *parameter
}

// parseTemplate reads the path. A parameter that the document does not describe takes any
// value.
func (op *operation) parseTemplate() error {
	used := map[*parameter]bool{}
	for rest := op.path; rest != ""; {
		text, after, open := strings.Cut(rest, "{")
		op.template = append(op.template, segment{text: text})
		if !open {
			break
		}
		name, next, closed := strings.Cut(after, "}")
		if !closed || name == "" {
			return op.node.file.fault(op.node, "the path %s has a brace that is not closed", diag.Quote(op.path))
		}
		rest = next
		i := slices.IndexFunc(op.parameters, func(p *parameter) bool { return p.in == "path" && p.name == name })
		if i < 0 {
			op.parameters = append(op.parameters, &parameter{name: name, in: "path", style: "simple", required: true})
			i = len(op.parameters) - 1
		}
		used[op.parameters[i]] = true
		op.template = append(op.template, segment{parameter: op.parameters[i]})
	}
	op.parameters = slices.DeleteFunc(op.parameters, func(p *parameter) bool { return p.in == "path" && !used[p] })
	return nil
}

// arguments names the arguments. One whose name is taken by another gets that of its
// place too, such as id_query.
func (op *operation) arguments() {
	var taken apis.Names
	take := func(name, otherwise string) string {
		unique, renamed := taken.Take(name)
		if renamed {
			unique, _ = taken.Take(otherwise)
		}
		return unique
	}
	for _, in := range []string{"path", "query", "header", "cookie"} {
		for _, p := range op.parameters {
			if p.in != in {
				continue
			}
			name := cmp.Or(sanitized(operators.Replace(p.name), "-."), in)
			p.argument = take(name, name+"_"+in)
		}
	}
	if op.body != nil {
		op.body.argument = take("body", "request_body")
	}
}

func (op *operation) title() string { return diag.OneLine(op.node.get("summary").label()) }

// description is what the document says of the operation, and its method and path.
func (op *operation) description() string {
	summary, text := op.title(), strings.TrimSpace(op.node.get("description").label())
	if text == "" || strings.HasPrefix(text, summary) {
		text = cmp.Or(text, summary)
		summary = ""
	}
	if summary != "" && !strings.HasSuffix(summary, ".") {
		summary += "."
	}
	parts := slices.DeleteFunc([]string{summary, text, op.endpoint()}, func(part string) bool { return part == "" })
	if op.node.get("deprecated").is('t') {
		parts = append(parts, "Deprecated.")
	}
	return strings.Join(parts, "\n\n")
}
