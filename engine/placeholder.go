package engine

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/graph"
	"github.com/patchbay-mcp/patchbay/schema"
)

var (
	rulePlaceholder = diag.Define("placeholder", diag.Warning,
		"A value is a placeholder, {\"$placeholder\": \"what goes here\"} or the text {{$placeholder}}. The graph can be checked, but not run or saved until the value is filled in. The message names the argument or field, and its type where the tool's schema says it.")
	ruleUnfilled = diag.Define("unfilled-placeholder", diag.Error,
		"A graph that is to be run or saved has a placeholder, {\"$placeholder\": \"what goes here\"} or the text {{$placeholder}}. Give a value in its place.")
)

// placeholderKey marks a value that is still to be filled in.
const placeholderKey = "$placeholder"

// placeholderText is the text of a placeholder, perhaps with what goes there.
var placeholderText = regexp.MustCompile(`^\{\{-?\s*\$placeholder\b[\s:]*(.*?)\s*-?\}\}$`)

// Unfilled reports the values that are still to be filled in, each as an error: the
// plan must not be run or saved if there are any.
func (p *Plan) Unfilled() diag.List { return p.unfilled }

// readPlaceholder returns what a placeholder says of the value that is to go there.
func readPlaceholder(v graph.Value) (says string, ok bool) {
	if v.Is(graph.Object) && v.Has(placeholderKey) {
		return v.Get(placeholderKey).Text(), true
	}
	if v.Is(graph.String) && strings.HasPrefix(v.Text(), "{{") {
		if found := placeholderText.FindStringSubmatch(v.Text()); found != nil {
			return found[1], true
		}
	}
	return "", false
}

func isPlaceholder(v graph.Value) bool {
	_, ok := readPlaceholder(v)
	return ok
}

// placeholder reports a value that is still to be filled in.
func (p *Pass) placeholder(n *Node, v graph.Value, says string) *Template {
	what, want := p.unfilledValue(n, v)
	if says != "" {
		what += ": " + strconv.Quote(diag.Cut(says, 80))
	}
	d := p.Report(rulePlaceholder, v, n, "a value is missing for %s", what)
	d.Hint = "give a literal or {expr: …}; run_graph and save_graph refuse the graph until then"
	unfilled := p.plan.unfilled.Report(ruleUnfilled, d.Path, d.Range, "%s", d.Message)
	unfilled.Node, unfilled.Hint = d.Node, "give a literal or {expr: …}"
	if want != "" {
		d.Want, unfilled.Want = want, want
	}
	return &Template{kind: placeholderTemplate}
}

// unfilledValue names the value that a placeholder is in the place of, and its type if
// a schema says it.
func (p *Pass) unfilledValue(n *Node, v graph.Value) (what, want string) {
	path := strings.Split(strings.TrimPrefix(v.Path(), n.Path()+"/"), "/")
	for i := range path {
		path[i] = diag.UnescapePointer(path[i])
	}
	name := diag.Cut(strings.Join(path[1:], "."), 80)
	var of *schema.Node
	switch {
	case path[0] == "args" && len(path) > 1:
		what = fmt.Sprintf("the argument %q", name)
		if n.callee.tool != "" {
			what += " of " + n.callee.String()
		}
		if n.tool != nil && n.tool.Input != nil {
			of = n.tool.Input.Root()
		}
	case n.Kind.Ends:
		what = fmt.Sprintf("%q of the result", name)
		if name == "" {
			what = "the result"
		}
		if p.plan.output != nil {
			of = p.plan.output.Root()
		}
	default:
		what = fmt.Sprintf("the field %q of node %q", diag.Cut(strings.Join(path, "."), 80), n.ID)
	}
	for _, step := range path[1:] {
		if of = of.Resolve(); of.Get("items") != nil {
			of = of.Get("items")
		} else {
			of = of.Property(step)
		}
	}
	if of != nil && len(path) > 1 {
		want = strings.Join(of.Types(), " or ")
	}
	if want = strings.TrimPrefix(want, "any"); want != "" {
		what += ", of type " + want
	}
	return what, want
}
