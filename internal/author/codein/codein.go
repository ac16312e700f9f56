// Package codein reads a restricted JavaScript function and writes the graph that does
// the same. It never runs the code. It knows the syntax and meaning of the functions,
// and asks for the schemas of the tools that they call; it does not compile graphs.
package codein

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"strings"

	"github.com/dop251/goja/ast"
	"github.com/dop251/goja/parser"

	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/engine"
	"github.com/patchbay-mcp/patchbay/graph"
	"github.com/patchbay-mcp/patchbay/run"
	"github.com/patchbay-mcp/patchbay/schema"
	"github.com/patchbay-mcp/patchbay/types"
)

const (
	// MaxBytes is how long a function may be.
	MaxBytes = 64 << 10
	// maxDepth is how deep statements and expressions may be nested.
	maxDepth           = 200
	maxOpen, maxArrows = 500, 1000
	// maxWork is how many statements and expressions are compiled, each as often as it is.
	maxWork = 200_000
	// maxTree is how deep the tree of the code may be, lists of operands included.
	maxTree = 2000
)

var (
	ruleSyntax = diag.Define("code-syntax", diag.Error,
		"The function is not JavaScript, or the comment before it is not YAML.")
	ruleSubset = diag.Define("code-not-read", diag.Error,
		"A function becomes a graph, and this part of it has no form in a graph that gives the same result. The hint is how to write it.")
	ruleType = diag.Define("code-type", diag.Error,
		"The meaning of an operator depends on the types of its values, and the schemas do not say them or say others.")
	ruleNoBound = diag.Define("code-no-bound", diag.Note,
		"A loop with calls has no bound that is written out, and the comment before the function has no executionLimits. A run ends with too-many-executions when it reaches the limit that holds for every graph.")
)

// A Code is a function that was compiled.
type Code struct {
	Text  string    // the function
	Name  string    // of the tool of the document that is the function
	Graph string    // the document that does the same, as JSON; "" if Found has errors
	Found diag.List // what is wrong with the code
	spans map[string]span
}

// A span is the bytes [start, end) of the code.
type span struct{ start, end int }

var exported = regexp.MustCompile(`(?m)^export[ \t]+default\b`)

// Is reports whether a text is a function rather than a graph.
func Is(text string) bool { return exported.MatchString(text) }

// Compile returns what becomes of the text of a function. env tells the schemas of tools
// and saved graphs, and checks the syntax in a process of its own: the parser has no
// limit of depth.
func Compile(text string, env engine.Env) (code *Code) {
	code = &Code{Text: text, spans: map[string]span{}}
	c := &compiler{
		code: code, env: env, names: map[*ast.Identifier]string{}, used: map[string]int{}, constants: map[string]bool{},
		uses: map[string]*uses{}, changed: map[string]bool{}, inputs: map[string]types.Type{},
		promises: map[string]bool{}, tried: map[ast.Node]bool{},
	}
	defer func() {
		if p := recover(); p != nil {
			found, ok := p.(refusal)
			if !ok {
				panic(p)
			}
			code.Graph, code.Found = "", diag.List{found.d}
		}
	}()
	if len(text) > MaxBytes {
		c.fail(ruleSyntax, span{0, 1}, "write it as several graphs", "the function has %d bytes, at most %d are allowed", len(text), MaxBytes)
	}
	opened, deepest := 0, 0
	for _, b := range []byte(text) {
		switch b {
		case '(', '[', '{':
			opened++
		case ')', ']', '}':
			opened--
		}
		deepest = max(deepest, opened)
	}
	if deepest > maxOpen || strings.Count(text, "=>") > maxArrows { // the parser takes time with the square of these
		c.fail(ruleSubset, span{0, 1}, "write it as several graphs", "the function has more than %d brackets that are open, or more than %d arrows", maxOpen, maxArrows)
	}
	c.document()
	return code
}

// defaultVariable has as many bytes as export default, so that places stay what they are.
const defaultVariable = "var $default ="

// document compiles the whole text.
func (c *compiler) document() {
	text := c.code.Text
	at := exported.FindAllStringIndex(text, -1)
	if len(at) != 1 || at[0][1]-at[0][0] != len(defaultVariable) {
		c.fail(ruleSyntax, span{at[0][0], at[0][1]}, "write export default async function (input) { … }", "the text has not exactly one export default")
	}
	script := text[:at[0][0]] + defaultVariable + text[at[0][1]:]
	if c.env.Hooks != nil {
		for _, f := range c.env.Hooks.CheckScript(script) {
			if !strings.HasPrefix(f.Message, "SyntaxError") { // which has a better place below
				c.fail(ruleSyntax, span{f.Start, f.End}, "give inner parts names of their own", "%s", f.Message)
			}
		}
	}
	tree, err := parser.ParseFile(nil, "", script, 0, parser.WithDisableSourceMaps)
	if err != nil {
		place, message := 0, err.Error()
		if list, ok := errors.AsType[parser.ErrorList](err); ok && len(list) > 0 {
			place, message = offset(text, list[0].Position.Line, list[0].Position.Column), list[0].Message
		}
		c.fail(ruleSyntax, span{place, place + 1}, "", "%s", message)
	}
	for range 2 { // a function may be called before it is declared
		for _, s := range tree.Body {
			c.prepare(s, maxTree)
		}
	}
	head, top := c.header(), scope{}
	_, c.limited = head["executionLimits"]
	for _, s := range tree.Body {
		if v, ok := s.(*ast.VariableStatement); ok && c.main == nil && len(v.List) == 1 && spanOf(v).start == at[0][0] {
			c.main = v.List[0].Initializer
		}
	}
	params, body := signature(c.main)
	if f, ok := c.main.(*ast.FunctionLiteral); params == nil || ok && f.Generator {
		c.refuse(c.main, "write export default async function (input) { … }", "the default export is not a function that is read")
	}
	name := "main"
	if f, ok := c.main.(*ast.FunctionLiteral); ok && f.Name != nil {
		name = f.Name.Name.String()
	}
	if text, ok := head["name"]; ok && json.Unmarshal(text, &name) != nil {
		name = string(text)
	}
	c.code.Name, c.tool = name, newTool(name)
	c.tools = []*tool{c.tool}
	c.resolve(tree.Body, c.declare(nil, tree.Body))
	for _, s := range tree.Body {
		c.collect(s, nil, true)
	}
	top.hoist(c, tree.Body)
	for _, s := range tree.Body {
		switch s := s.(type) {
		case *ast.EmptyStatement, *ast.FunctionDeclaration:
		case *ast.LexicalDeclaration:
			for _, b := range s.List {
				c.constant(b, top)
			}
		default:
			if v, ok := s.(*ast.VariableStatement); !ok || v.List[0].Initializer != c.main {
				c.refuse(s, "move it into the function, and write const", "this statement outside of the function is not supported")
			}
		}
	}
	input := value{e: "$$.entry", t: types.Of(types.Object), sure: true, deep: true, input: true}
	if text, ok := head["inputSchema"]; ok {
		input.t = schema.New(text).FilledType()
	}
	c.node("entry", graph.Members{{Key: "type", Value: "entry"}}, nil)
	c.returning()
	if len(params.List) > 0 {
		targets(params.List[0].Target, func(id *ast.Identifier) { c.uses[c.variable(id)].stores[0].value = &ast.NullLiteral{} })
	}
	s := c.bound(&function{c.main, top}, []value{input}, c.main, nil)
	c.statements(body, s)
	if c.loose != nil {
		c.ret(sure("()", types.Undefined), nil)
	}
	c.finish()
	c.write(head)
}

// prepare refuses a tree of more than some levels, before anything follows it. It writes the
// same things in one way: functions have a body of statements, fields of objects and patterns
// have keys, changes of variables are assignments, and a call that is returned is awaited,
// which is the same but for a return in try.
func (c *compiler) prepare(n ast.Node, left int) {
	if left == 0 {
		c.refuse(n, "give inner parts names of their own", "the code is nested more than %d levels deep", maxDepth)
	}
	switch x := n.(type) {
	case *ast.ArrowFunctionLiteral:
		if b, ok := x.Body.(*ast.ExpressionBody); ok {
			x.Body = block(&ast.ReturnStatement{Return: b.Idx0(), Argument: b.Expression})
		}
	case *ast.ObjectLiteral:
		spell(x.Value)
	case *ast.ObjectPattern:
		spell(x.Properties)
	case *ast.FunctionDeclaration:
		c.promises[x.Function.Name.Name.String()] = x.Function.Async
	case *ast.Binding:
		f, ok := x.Initializer.(*ast.ArrowFunctionLiteral)
		if id, named := x.Target.(*ast.Identifier); named && ok {
			c.promises[id.Name.String()] = f.Async
		}
	case *ast.ExpressionStatement:
		x.Expression = effects(x.Expression)
	case *ast.ForStatement:
		x.Update = effects(x.Update)
	case *ast.TryStatement:
		walk(x.Body, func(y ast.Node) bool { c.tried[y] = true; return !isFunction(y) })
	case *ast.ReturnStatement:
		x.Argument = effects(x.Argument)
		if call, ok := x.Argument.(*ast.CallExpression); ok && !c.tried[x] {
			if path := dotted(call.Callee); isOutside(path) || len(path) > 0 && (path[0] == "retry" || path[0] == "Promise" || len(path) == 1 && c.promises[path[0]]) {
				x.Argument = &ast.AwaitExpression{Await: call.Idx0(), Argument: call}
			}
		}
	}
	inner(n, func(y ast.Node) bool { c.prepare(y, left-1); return false })
}

func block(s ast.Statement) *ast.BlockStatement {
	return &ast.BlockStatement{LeftBrace: s.Idx0(), List: []ast.Statement{s}, RightBrace: s.Idx1() - 1}
}

// finish ends the graph.
func (c *compiler) finish() {
	c.join("exit")
	c.nodes = append(c.nodes, &node{id: "exit", fields: graph.Members{{Key: "type", Value: "exit"}}})
}

// comment returns the YAML in the comment right before a function, or at the beginning of the
// text, what each of its lines begins with, and where the comment is.
func comment(text string) (yaml, prefix string, at span) {
	start := len(text) - len(strings.TrimLeft(text, " \t\r\n"))
	if before := strings.TrimRight(text[:exported.FindStringIndex(text)[0]], " \t\r\n"); strings.HasSuffix(before, "*/") {
		start = max(start, strings.LastIndex(before, "/*"))
	}
	body, _, closed := strings.Cut(text[start:], "*/")
	if !closed || !strings.HasPrefix(body, "/*") {
		return "", "", at
	}
	lines := strings.Split(strings.TrimLeft(body[1:], "* "), "\n")
	for i, line := range lines {
		if star := strings.TrimLeft(line, " \t"); strings.HasPrefix(star, "* ") || star == "*" {
			lines[i], prefix = strings.TrimPrefix(star[1:], " "), " * "
		}
	}
	return strings.TrimLeft(strings.Join(lines, "\n"), "\n"), prefix, span{start, start + len(body) + 2}
}

// Format returns a function with the YAML of its comment as format writes it. Code that
// is not JavaScript is an error.
func Format(text string, format func(yaml string) (string, error)) (string, error) {
	for _, d := range Compile(text, engine.Env{}).Found {
		if d.Code == ruleSyntax.Code {
			return "", fmt.Errorf("line %d: %s", d.Range.Start.Line, d.Message)
		}
	}
	yaml, prefix, at := comment(text)
	yaml, err := format(yaml)
	if err != nil || at.end == 0 {
		return text, err
	}
	yaml = strings.ReplaceAll("\n"+strings.TrimRight(yaml, "\n"), "\n", "\n"+prefix)
	if prefix != "" {
		return text[:at.start] + "/**" + yaml + "\n */" + text[at.end:], nil
	}
	return text[:at.start] + "/*" + yaml + "\n*/" + text[at.end:], nil
}

// header reads the comment before the function: YAML of the graph without its nodes.
func (c *compiler) header() map[string]json.RawMessage {
	yaml, _, at := comment(c.code.Text)
	if at.end == 0 {
		return nil
	}
	doc, found := graph.Parse("comment", yaml)
	if doc == nil || found.HasErrors() || !doc.Root.Is(graph.Object) {
		c.fail(ruleSyntax, span{at.start, at.start + 2}, "write name: …, description: … and inputSchema: …, or use // for other comments", "the comment before the function is not YAML with keys")
	}
	head := map[string]json.RawMessage{}
	for key, v := range doc.Root.Members() {
		head[key] = json.RawMessage(v.JSON())
	}
	return head
}

// write encodes the document.
func (c *compiler) write(head map[string]json.RawMessage) {
	main := graph.Members{}
	for _, key := range []string{"description", "inputSchema", "outputSchema"} {
		if v, ok := head[key]; ok {
			main = main.With(key, v)
		}
	}
	if _, ok := head["inputSchema"]; !ok {
		input := types.SchemaOf(c.input())
		if len(c.inputs) == 0 {
			input["properties"] = map[string]any{}
		}
		main = main.With("inputSchema", input)
	}
	if _, ok := head["outputSchema"]; !ok {
		main = main.With("outputSchema", c.tools[0].output())
	}
	c.tools[0].head = main
	times := 0
	var tools []graph.Members
	for _, t := range c.tools {
		for _, n := range t.nodes {
			times += max(n.times, 1)
		}
		nodes := make([]graph.Members, len(t.nodes))
		for i, n := range t.nodes {
			nodes[i] = n.members()
		}
		tools = append(tools, append(graph.Members{{Key: "name", Value: t.label}}, t.head.With("nodes", nodes)...))
	}
	encode := func() string {
		doc := graph.Members{}.With("version", "1.0")
		if v, ok := head["executionLimits"]; ok {
			doc = doc.With("executionLimits", v)
		} else if times > run.DefaultLimits.MaxNodeExecutions {
			doc = doc.With("executionLimits", map[string]int{"maxNodeExecutions": times})
		}
		if doc = append(doc, tools[0]...); len(tools) > 1 {
			doc = append(doc[:len(doc)-len(tools[0])], graph.Pair{Key: "tools", Value: tools})
		}
		var b bytes.Buffer
		e := json.NewEncoder(&b)
		e.SetEscapeHTML(false)
		if err := e.Encode(doc); err != nil {
			c.fail(ruleSyntax, span{0, 1}, "", "the graph cannot be written: %v", err)
		}
		return b.String()
	}
	doc, _ := graph.Parse(c.code.Name, encode())
	tools[0] = tools[0].With("source", graph.Members{{Key: "language", Value: "javascript"}, {Key: "text", Value: c.code.Text}, {Key: "hash", Value: hash(doc)}})
	c.code.Graph = encode()
}

// input is the type of the input of a function without an input schema: the fields that it
// reads. One that is the argument of a tool as it is has the type that the tool wants.
func (c *compiler) input() types.Type {
	var fields []types.Field
	for name, t := range c.inputs {
		fields = append(fields, types.Field{Name: name, Type: t.Without(types.Undefined), Optional: t.Has(types.Undefined)})
	}
	return types.ObjectOf(false, fields...)
}

// maxSchema is how many bytes an output schema has that nobody wrote.
const maxSchema = 4 << 10

// output is the schema of what a tool returns, as far as schemas and operators say it.
func (t *tool) output() map[string]any {
	if t.out.guess {
		return map[string]any{}
	}
	out := types.SchemaOf(t.out.t.Without(types.Function))
	if b, err := json.Marshal(out); err != nil || len(b) > maxSchema {
		return types.SchemaOf(types.Of(t.out.t.Kinds))
	}
	return out
}

// hash tells whether the nodes of a document are those that a function was compiled to.
func hash(doc *graph.Document) string {
	var b []byte
	for _, t := range doc.Tools() {
		b = t.NodeList.AppendSorted(b)
	}
	return graph.Revision(string(b))
}

// Attached returns the function that a saved graph was compiled from; "" if there is none,
// or if the nodes were changed since.
func Attached(doc *graph.Document) string {
	for _, t := range doc.Tools() {
		if t.Source.Exists() && t.Source.Get("hash").Text() == hash(doc) {
			return t.Source.Get("text").Text()
		}
	}
	return ""
}

// Detach removes from the text of a graph the function whose nodes it no longer has, and
// reports whether it had one.
func Detach(text string) (string, bool) {
	doc, _ := graph.Parse("graph", text)
	if doc != nil && Attached(doc) == "" {
		for _, t := range doc.Tools() {
			if t.Source.Exists() {
				return diag.ApplyEdits(text, t.Source.Remove("").Edits), true
			}
		}
	}
	return text, false
}
