package engine

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/expr"
	"github.com/patchbay-mcp/patchbay/graph"
	"github.com/patchbay-mcp/patchbay/schema"
	"github.com/patchbay-mcp/patchbay/types"
)

var (
	ruleArgsShape = diag.Define("args-shape", diag.Error,
		"The args of a node are not a map of argument to value.")
	ruleMissingArg = diag.Define("missing-argument", diag.Error,
		"A required argument of the tool is missing.")
	ruleUnknownArg = diag.Define("unknown-argument", diag.Error,
		"The tool has no argument of this name: it allows only the arguments it declares, or one of them has a similar name.")
	ruleUndeclaredArg = diag.Define("undeclared-argument", diag.Warning,
		"The tool does not declare an argument of this name, but its input schema allows others. The tool may ignore it.")
	ruleWrongArgType = diag.Define("wrong-arg-type", diag.Error,
		"An argument has a type that the tool's input schema does not allow.")
	ruleNotInEnum = diag.Define("not-in-enum", diag.Error,
		"An argument is not one of the values the tool's input schema allows.")
	ruleBadArg = diag.Define("argument-constraint", diag.Error,
		"An argument breaks a rule of the tool's input schema, such as a pattern or a minimum.")
	ruleBadToolSchema = diag.Define("unusable-tool-schema", diag.Note,
		"The tool's own input schema cannot be used, so its arguments are not checked.")
)

// args compiles the arguments of a call.
func (p *Pass) args(n *Node) *Template {
	v := n.Field("args")
	switch {
	case !v.Exists() || v.Is(graph.Null):
		return &Template{literal: expr.NewObject()}
	case v.Is(graph.Object):
		if p.nestedArgs(n, v) {
			return &Template{kind: exprTemplate}
		}
		if p.env.LiteralArgs {
			return p.literal(v)
		}
		if t := p.namedArgs(n, v); t != nil {
			return t
		}
		return p.Template(n, v)
	}
	p.wrongForm(&argsForm, "", n, v)
	return &Template{kind: exprTemplate}
}

// namedArgs handles an argument that is itself called expr: a literal where the
// tool has such an argument, and where the tools are not known, if it cannot be an
// expression. Nil means that args is an ordinary map.
func (p *Pass) namedArgs(n *Node, v graph.Value) *Template {
	if !v.Has("expr") {
		return nil
	}
	if p.env.Tools == nil {
		if v.Len() == 1 && v.Get("expr").Is(graph.String) {
			return nil
		}
	} else if tool, _ := p.env.Tools.Tool(n.callee.server, n.callee.tool); tool == nil || tool.Input == nil || !slices.Contains(tool.arguments(), "expr") {
		return nil
	}
	t := &Template{kind: mapTemplate}
	for key, m := range v.Members() {
		t.keys, t.members = append(t.keys, key), append(t.members, p.Template(n, m))
	}
	return t
}

// arguments lists the names of the tool's declared arguments, sorted.
func (t *Tool) arguments() []string { return t.Input.Root().PropertyNames() }

// checkArgs checks the literal parts of a call's arguments against the tool's
// input schema; what is computed is left out of the verdict.
func (p *Pass) checkArgs(n *Node, tool *Tool, args *Template) {
	if tool == nil || tool.Input == nil {
		return
	}
	err := tool.Input.ErrContext(p.ctx)
	p.stop()
	if err != nil {
		p.Report(ruleBadToolSchema, n.Field("tool"), n, "the input schema of %s/%s cannot be used: %s", n.callee.server, n.callee.tool, err)
		return
	}
	p.uncheckedPatterns(n.Field("tool"), n, "the input schema of "+n.callee.String(), tool.Input)
	if args.kind == exprTemplate || args.kind == placeholderTemplate || args.literal == nil && args.kind == literalTemplate {
		return
	}
	sample, open := args.sample()
	plain, err := expr.Plain(sample)
	if err != nil {
		return
	}
	computed := newPaths(open)
	misspelt := p.unknownArgs(n, tool)
	found := tool.Input.CheckValue(plain)
	if slices.ContainsFunc(found, func(m schema.Mismatch) bool { return m.Keyword == "required" }) {
		if whole, err := withDefaults(sample, tool.Input); err == nil {
			plain, _ = expr.Plain(whole)
			if fewer := tool.Input.CheckValue(plain); len(fewer) < len(found) {
				found, args.defaults = fewer, tool.Input
			}
		}
	}
	for _, m := range found {
		p.argMismatch(n, tool, m, computed, misspelt)
	}
}

// withDefaults returns a copy of arguments with the defaults of a schema.
func withDefaults(args expr.Value, s *schema.Schema) (expr.Value, error) {
	b, err := expr.Encode(args)
	if err != nil {
		return nil, err
	}
	whole, err := expr.Decode(b)
	if err != nil {
		return nil, err
	}
	return whole, s.FillDefaults(whole, expr.Decode)
}

// sample is the template's value with null for what is computed, and the paths of
// those places.
func (t *Template) sample() (expr.Value, [][]string) {
	var computed [][]string
	var build func(t *Template, path []string) expr.Value
	build = func(t *Template, path []string) expr.Value {
		switch t.kind {
		case exprTemplate, placeholderTemplate:
			computed = append(computed, slices.Clone(path))
			return expr.Null()
		case listTemplate:
			out := make([]any, len(t.list))
			for i, m := range t.list {
				out[i] = build(m, append(path, strconv.Itoa(i)))
			}
			return out
		case mapTemplate:
			out := expr.NewObject()
			for i, m := range t.members {
				out.Set(t.keys[i], build(m, append(path, t.keys[i])))
			}
			return out
		}
		if t.literal == nil {
			return expr.Null()
		}
		return t.literal
	}
	return build(t, nil), computed
}

// argMismatch reports one fault of the arguments, unless it is about something
// computed or already reported.
func (p *Pass) argMismatch(n *Node, tool *Tool, m schema.Mismatch, computed paths, misspelt map[string]bool) {
	args := n.Field("args")
	if m.Keyword == "additionalProperties" && len(m.Path) == 0 {
		return
	}
	if computed.hold(m.Path) || m.Keyword != "required" && m.Keyword != "additionalProperties" && m.Keyword != "type" && computed.inside(m.Path) {
		return
	}
	if m.Keyword == "required" {
		p.missingArgs(n, tool, m, misspelt)
		return
	}
	at := args.At(m.Pointer())
	rule := ruleBadArg
	switch m.Keyword {
	case "type":
		rule = ruleWrongArgType
	case "enum", "const":
		rule = ruleNotInEnum
	case "additionalProperties":
		rule = ruleUnknownArg
	}
	what := "argument " + strconv.Quote(strings.Join(m.Path, "."))
	d := p.Report(rule, at, n, "%s of %s/%s: %s", what, n.callee.server, n.callee.tool, m.Message)
	d.Got, d.Want = m.Got, m.Want
	if optional := len(m.Path) == 1 && !tool.Input.Root().Requires(m.Path[0]); optional && (at.Is(graph.Null) || at.Is(graph.String) && slices.Contains(absence, at.Text())) {
		d.WithFix("leave it out: the argument is optional", at.Remove(fmt.Sprintf("remove %q", m.Path[0])))
	} else if fix, ok := convert(at, m); ok && tool.takes(m, fix) {
		d.WithFix(fix.Title, fix)
	}
}

// takes reports whether what a fix writes in place of a mismatch fits there.
func (t *Tool) takes(m schema.Mismatch, fix diag.Fix) bool {
	var given any
	if len(fix.Patch) != 1 {
		return true
	}
	b, err := json.Marshal(fix.Patch[0].Value)
	if err != nil || json.Unmarshal(b, &given) != nil {
		return true
	}
	want := t.Input.Type()
	for _, step := range m.Path {
		if _, err := strconv.Atoi(step); err == nil && !want.Has(types.Object) {
			want = want.Items()
			continue
		}
		want, _ = want.Field(step)
	}
	return types.Fits(types.OfJSON(given, true), want)
}
