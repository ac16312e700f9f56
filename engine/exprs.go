package engine

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/expr"
	"github.com/patchbay-mcp/patchbay/graph"
	"github.com/patchbay-mcp/patchbay/jsonata"
	"github.com/patchbay-mcp/patchbay/run"
)

var (
	ruleExprSyntax = diag.Define("expr-syntax", diag.Error,
		"A JSONata expression does not parse. The position is exact, even inside a quoted string or a block scalar.")
	ruleExprMistake = diag.Define("expr-mistake", diag.Error,
		"A JSONata expression parses but does not do what its author meant: JavaScript's .length or .map(, a function named without calling it, an id with a hyphen and no backticks.")
	ruleExprSuspicious = diag.Define("expr-suspicious", diag.Warning,
		"A JSONata expression is valid but may not do what its author meant: a field called length, = where := would bind a variable, or $count of a value that may be null, which counts as one.")
	ruleUnknownRef = diag.Define("unknown-node-reference", diag.Error,
		"An expression reads the output of a node that does not exist. Its value would always be undefined.")
	ruleUnknownVariable = diag.Define("unknown-variable", diag.Error,
		"An expression reads a variable that nothing binds. Its value would always be undefined.")
	ruleUnknownFunction = diag.Define("unknown-function", diag.Error,
		"An expression calls a function that JSONata and Patchbay do not have.")
)

// An Expr is a compiled expression with its place in its document.
type Expr struct {
	prog *expr.Program
	at   graph.Value
}

// Expr compiles the JSONata of a text value, reporting syntax errors and
// references to nodes that do not exist. It returns nil when there is nothing to
// evaluate.
func (p *Pass) Expr(n *Node, v graph.Value) *Expr {
	if !v.Is(graph.String) {
		if v.Is(graph.Number) || v.Is(graph.Boolean) || v.Is(graph.Null) {
			text := string(raw(v))
			if prog, err := p.compileExpr(text); err == nil {
				return &Expr{prog.program, v}
			}
		}
		d := p.Report(ruleWrongShape, v, n, "expected a JSONata expression as text, got %s", shape(v))
		d.Hint = "quote it: '…', or write it in a | block"
		if v.Len() > 0 {
			source := p.objectExpr(v)
			d.WithFix("quote it: "+yamlQuote(diag.Cut(source, 200)), v.Replace("quote it", source))
		}
		return nil
	}
	c, err := p.compileExpr(v.Text())
	if err != nil {
		if p.respell(&exprForm, "", n, v) == nil {
			p.exprFault(ruleExprSyntax, n, v, err)
		}
		return nil
	}
	p.checkRefs(n, v, c)
	return &Expr{c.program, v}
}

// exprFault reports what expr says of an expression, at its place in the
// document.
func (p *Pass) exprFault(r *diag.Rule, n *Node, v graph.Value, e *jsonata.Error) *diag.Diagnostic {
	d := p.reportAt(r, v, v.Within(e.Start, e.End), n, "%s", e.Message)
	d.Hint = e.Hint
	if fix, ok := p.exprFix(v, e); ok {
		d.Offer(fix)
	}
	return d
}

// callerWords are what authors call the arguments of a call when they do not
// name the entry node.
var callerWords = []string{"input", "inputs", "args", "arguments", "params", "parameters", "trigger", "start", "request", "payload", "body"}

// holderWords are what authors put before a node's id.
var holderWords = []string{"nodes", "steps", "node", "step", "outputs", "results", "context", "ctx", "state", "vars"}

// checkRefs reports what an expression refers to that is not there.
func (p *Pass) checkRefs(n *Node, v graph.Value, c *compiledExpr) {
	if n != nil {
		before := len(*p.diags)
		defer func() {
			n.exprs = append(n.exprs, nodeExpr{at: v, compiled: c, faulty: (*p.diags)[before:].HasErrors()})
		}()
	}
	slips := jsonata.Lint(c.ast, p.knownTo(n))
	said := func(start, end int) bool {
		return slices.ContainsFunc(slips, func(e *jsonata.Error) bool { return e.Start <= start && end <= e.End })
	}
	for i, e := range slips {
		rule := ruleExprMistake
		if doubtful[e.Code] && !p.misses(n, c.refs, e) {
			rule = ruleExprSuspicious
		}
		d := p.exprFault(rule, n, v, e)
		if i > 0 || len(d.Fixes) == 0 {
			continue
		}
		if fix, ok := p.chained(v, c.ast); ok {
			d.Fixes = []diag.Fix{fix}
		}
	}
	for _, e := range jsonata.LintContent(c.ast, func(id string) bool { return p.isCall(id) && p.nodeContent(id) == noContent }) {
		p.exprFault(ruleMcpContent, n, v, e)
	}
	p.checkContent(n, v, c.refs)
	p.checkHistory(n, v, c)
	p.checkNodes(n, v, c, said)
	said = func(start, end int) bool {
		return slices.ContainsFunc(slips, func(e *jsonata.Error) bool { return !doubtful[e.Code] && e.Start <= start && end <= e.End })
	}
	p.checkVariables(n, v, c.refs, said)
	for _, call := range c.refs.Functions {
		if call.Shadowed || jsonata.LookupBuiltin(call.Name) != nil || said(call.Start, call.End) {
			continue
		}
		d := p.reportAt(ruleUnknownFunction, v, v.Within(call.Start, call.End), n, "unknown function $%s", call.Name)
		if hint := jsonata.HistoryHint(call.Name); hint != "" {
			d.Hint = hint
		} else if near := p.closest(call.Name, jsonata.FunctionNames()); near != "" {
			d.WithFix(fmt.Sprintf("did you mean $%s?", near), v.ReplaceText("change to $"+near, diag.TextEdit{Start: call.Start, End: call.End, New: "$" + near}))
		} else {
			d.Hint = "the functions are JSONata's and $previousNode, $executionCount, $nodeExecution, $nodeExecutions"
		}
	}
}

// checkNodes reports the nodes that a text reads and that do not exist, where nothing is
// said of the place yet.
func (p *Pass) checkNodes(n *Node, v graph.Value, c *compiledExpr, said func(start, end int) bool) {
	for _, ref := range c.refs.Nodes {
		if _, ok := p.index[ref.Node]; !ok && !said(ref.Start, ref.End) {
			p.unknownRef(n, v, c, ref)
		}
	}
}

// renameRef returns the edit that makes one reference one to another node.
func (c *compiledExpr) renameRef(ref jsonata.Ref, id string) []diag.TextEdit {
	return slices.DeleteFunc(c.Rename(ref.Node, id), func(e diag.TextEdit) bool { return e.Start != ref.Start })
}

// knownTo says which ids a node's expressions may mean by a bare name. Its own is
// there in a loop only, and as an object's key it is one without quotes.
func (p *Pass) knownTo(n *Node) func(id string) bool {
	return func(id string) bool {
		return p.isNode(id) && (n == nil || id != n.ID || strings.Contains(id, "-"))
	}
}

// misses reports whether a slip's place names a node that does not exist: then it
// cannot have been meant.
func (p *Pass) misses(n *Node, refs *jsonata.Refs, e *jsonata.Error) bool {
	known := p.knownTo(n)

	return slices.ContainsFunc(refs.Nodes, func(r jsonata.Ref) bool {
		return e.Start <= r.Start && r.End <= e.End && !known(r.Node)
	})
}

// dropDoubts removes the doubts about what is an error by its types, and about what is
// right by them.
func (p *Pass) dropDoubts() {
	certain := p.declared
	for _, d := range *p.diags {
		certain[d.Range] = certain[d.Range] || d.Severity == diag.Error
	}
	*p.diags = slices.DeleteFunc(*p.diags, func(d *diag.Diagnostic) bool { return d.Code == ruleExprSuspicious.Code && certain[d.Range] })
}

// doubtful are the findings that can be meant: data may have such fields.
var doubtful = map[string]bool{"length-field": true, "in-string": true, "unquoted-key": true, "assignment": true, "bare-variable": true, "curly-quotes": true}

// checkVariables reports variables that nothing binds. The usual mistake is a
// node's id without the dot after the $.
func (p *Pass) checkVariables(n *Node, v graph.Value, refs *jsonata.Refs, said func(start, end int) bool) {
	for _, use := range refs.Variables {
		if jsonata.LookupBuiltin(use.Name) != nil || n != nil && n.binds(use.Name) || said(use.Start, use.End) {
			continue
		}
		if use.Name == contextVariable && p.plan.workflow != nil {
			p.plan.readsContext = true
			continue
		}
		d := p.reportAt(ruleUnknownVariable, v, v.Within(use.Start, use.End), n, "variable $%s is not defined", use.Name)
		id := use.Name
		if p.nodeIndex(id) == NoNode && slices.Contains(callerWords, id) {
			id = p.entryID()
		}
		if p.nodeIndex(id) == NoNode {
			id = p.closest(use.Name, p.nodeIDs())
		}
		if id == "" {
			d.Hint = "bind it with $" + use.Name + " := …; or read a node's output: $.<node id>"
			continue
		}
		d.WithFix("a node's output is $."+id, v.ReplaceText("change to $."+quoteID(id), diag.TextEdit{Start: use.Start, End: use.End, New: "$." + quoteID(id)}))
	}
}

func (p *Pass) unknownRef(n *Node, v graph.Value, c *compiledExpr, ref jsonata.Ref) {
	if p.pendingIDs[ref.Node] {
		return
	}
	at := v.Within(ref.Start, ref.End)
	entry := p.entryID()
	switch {
	case slices.Contains(holderWords, ref.Node) && len(ref.Path) > 0 && p.nodeIndex(ref.Path[0].Name) != NoNode:
		d := p.reportAt(ruleUnknownRef, v, at, n, "there is no %q: a node's output is read by the node's id", ref.Node)
		d.Hint = "write $." + ref.Path[0].Name
		edits := []diag.TextEdit{{Start: ref.Start, End: ref.Path[0].Start}}
		if len(ref.Path) > 1 && slices.Contains(outputWords, ref.Path[1].Name) {
			edits = append(edits, diag.TextEdit{Start: ref.Path[0].End, End: ref.Path[1].End})
		}
		d.Offer(v.ReplaceText("write $."+ref.Path[0].Name, edits...))
		return
	case slices.Contains(callerWords, ref.Node) && entry != "":
		p.reportAt(ruleUnknownRef, v, at, n, "there is no node %q", ref.Node).
			WithFix("the call's arguments are the output of the entry node: $."+entry, v.ReplaceText(fmt.Sprintf("change to %q", entry), c.renameRef(ref, entry)...))
		return
	}
	d := p.reportAt(ruleUnknownRef, v, at, n, "there is no node %q", ref.Node)
	if near := p.closest(ref.Node, p.nodeIDs()); near != "" {
		d.Hint = fmt.Sprintf("did you mean %q?", near)
		d.Offer(v.ReplaceText(fmt.Sprintf("change to %q", near), c.renameRef(ref, near)...))
		return
	}
	if p.isArgument(ref.Node) && entry != "" && ref.Via == "path" {
		d.WithFix(fmt.Sprintf("%q is an argument of the call: $.%s.%s", ref.Node, entry, ref.Node), v.ReplaceText(fmt.Sprintf("read it from %q", entry), diag.TextEdit{Start: ref.Start, End: ref.Start, New: c.name(entry) + "."}))
		return
	}
	if p.helps() {
		d.Hint = "the nodes are " + diag.OneOf(p.nodeIDs(), 12)
	}
}

// isArgument reports whether the tool's input schema has a property of the name.
func (p *Pass) isArgument(name string) bool {
	return p.tool.InputSchema.Get("properties").Has(name)
}

// quoteID writes a node id as a JSONata name, in backticks where it needs them.
func quoteID(id string) string {
	for i, r := range id {
		if r == '_' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || i > 0 && r >= '0' && r <= '9' {
			continue
		}
		return "`" + id + "`"
	}
	switch id {
	case "and", "or", "in", "true", "false", "null", "function":
		return "`" + id + "`"
	}
	return id
}

// Eval evaluates the expression for the step in progress.
func (x *Expr) Eval(ctx context.Context, s *State) (expr.Value, error) {
	v, err := x.prog.Eval(ctx, s.scope)
	if err != nil {
		return nil, x.fault(ctx, err)
	}
	return v, nil
}

var CodeExpressionFailed = diag.DefineFault("expression-failed", diag.FailsNode, "an expression or a rule failed at the position in the message; [its limits](expressions.md#limits) are failures too", "try it with `patchbay eval --run ID`; give a default with `??` for what may be missing")

// evaluationFault is the fault of an evaluation that failed: one that time has ended may
// end otherwise the next time.
func evaluationFault(err error, path string) *diag.Fault {
	f := &diag.Fault{Code: CodeExpressionFailed, Path: path, Message: err.Error(), Err: err}
	if e, ok := errors.AsType[*jsonata.Error](err); ok && e.Code == "timeout" {
		f.Code = run.ExpressionTimeout
	}
	return f
}

// fault places an evaluation error in the document.
func (x *Expr) fault(ctx context.Context, err error) error {
	if cause := context.Cause(ctx); cause != nil {
		return cause
	}
	f := evaluationFault(err, x.at.Path())
	at := x.at.Range()
	if e, ok := errors.AsType[*jsonata.Error](err); ok {
		f.Hint = e.Hint
		if e.End > e.Start {
			at = x.at.Within(e.Start, e.End)
		}
	}
	f.Message = fmt.Sprintf("the expression at line %d, column %d failed: %s", at.Start.Line, at.Start.Column, f.Message)
	f.Got = diag.Cut(x.prog.Source(), 200)
	return f
}
