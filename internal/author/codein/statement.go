package codein

import (
	"fmt"
	"maps"
	"reflect"
	"regexp"
	"slices"
	"sort"
	"strings"

	"github.com/dop251/goja/ast"
	"github.com/dop251/goja/file"
	"github.com/dop251/goja/token"

	"github.com/patchbay-mcp/patchbay/engine"
	"github.com/patchbay-mcp/patchbay/graph"
	"github.com/patchbay-mcp/patchbay/types"
)

// A scope is what names mean. It is copied where the flow divides.
type scope map[string]value

func (s scope) child() scope { return maps.Clone(s) }

// A compiler writes the nodes of one function.
type compiler struct {
	code   *Code
	env    engine.Env
	nodes  []*node
	loose  []func(next string) // edges that wait for their target; nil where nothing executes
	ids    map[string]bool
	input  value
	inputs map[string]bool // fields of the input that are read
	locals int
	depth  int
	pure   int // inside of what is not always evaluated, or evaluated several times
	calls  int // inside of helpers
	chain  []binding
}

// A node is one of the graph. Its edges are known when what follows is compiled.
type node struct {
	id         string
	fields     graph.Members
	rule       string // of a switch
	then, next string
}

// members are the node as the document has it.
func (n *node) members() graph.Members {
	m := append(graph.Members{{Key: "id", Value: n.id}}, n.fields...)
	if n.rule != "" {
		m = m.With("conditions", []any{graph.Members{{Key: "rule", Value: map[string]any{"var": n.rule}}, {Key: "next", Value: n.then}}})
	}
	if n.next != "" {
		m = m.With("next", n.next)
	}
	return m
}

// deeper counts nesting; call the result when the part is done.
func (c *compiler) deeper(at ast.Node) func() {
	if c.depth++; c.depth > maxDepth {
		c.refuse(at, "give inner parts names of their own", "the code is nested more than %d levels deep", maxDepth)
	}
	return func() { c.depth-- }
}

var notID = regexp.MustCompile(`[^A-Za-z0-9_]`)

// id is a free id like name.
func (c *compiler) id(name string) string {
	name = notID.ReplaceAllString(name, "_")
	id := name
	for i := 2; c.ids[id]; i++ {
		id = fmt.Sprintf("%s_%d", name, i)
	}
	c.ids[id] = true
	return id
}

// node adds a node, to which all loose edges lead. Its own edge is loose then.
func (c *compiler) node(id string, fields graph.Members, at ast.Node) *node {
	c.join(id)
	if at != nil {
		c.code.spans[id] = spanOf(at)
	}
	n := &node{id: id, fields: fields}
	c.nodes = append(c.nodes, n)
	c.loose = []func(string){func(next string) { n.next = next }}
	return n
}

func (c *compiler) join(id string) {
	for _, set := range c.loose {
		set(id)
	}
	c.loose = nil
}

// transform adds a transform node and returns its output.
func (c *compiler) transform(name string, v value, at ast.Node) value {
	id := c.id(name)
	c.node(id, graph.Members{{Key: "type", Value: "transform"}, {Key: "transform", Value: map[string]any{"expr": finish(v.e)}}}, at)
	v.e = "$$." + field(id)
	return v
}

func (c *compiler) statements(list []ast.Statement, s scope) {
	outer, declared := maps.Clone(s), map[string]bool{}
	for _, x := range list {
		if f, ok := x.(*ast.FunctionDeclaration); ok {
			s[f.Function.Name.Name.String()] = value{fn: &function{f.Function, s}}
			declared[f.Function.Name.Name.String()] = true
		}
	}
	for _, x := range list {
		if c.loose == nil {
			break
		}
		if d, ok := x.(*ast.LexicalDeclaration); ok {
			for _, b := range d.List {
				for _, name := range names(b.Target) {
					declared[name] = true
				}
			}
		}
		c.statement(x, s)
	}
	for name := range s {
		if was, known := outer[name]; !known {
			delete(s, name)
		} else if declared[name] {
			s[name] = was
		}
	}
}

func (c *compiler) statement(x ast.Statement, s scope) {
	defer c.deeper(x)()
	switch x := x.(type) {
	case *ast.EmptyStatement, *ast.FunctionDeclaration:
	case *ast.BlockStatement:
		c.statements(x.List, s)
	case *ast.LexicalDeclaration:
		for _, b := range x.List {
			c.declare(b, s)
		}
	case *ast.ReturnStatement:
		v := value{e: "null", t: types.Of(types.Null), sure: true}
		if x.Argument != nil {
			v = c.settled(x.Argument, s, "result")
		}
		if !v.sure || v.t.Has(types.Undefined) {
			v = c.orNull(v)
		}
		c.transform("result", v, x)
		c.join("exit")
	case *ast.ThrowStatement:
		c.throw(x, s)
	case *ast.ExpressionStatement:
		c.effect(x.Expression, s)
	case *ast.IfStatement:
		c.branch(x, x.Test, s, x, func(s scope) { c.arm(x.Consequent, s) }, func(s scope) { c.arm(x.Alternate, s) })
	case *ast.SwitchStatement:
		c.statement(c.cases(x, s), s)
	case *ast.VariableStatement:
		c.refuse(x, "write let or const", "var is not read")
	case *ast.ForOfStatement, *ast.ForStatement, *ast.WhileStatement, *ast.DoWhileStatement, *ast.ForInStatement:
		c.refuse(x, "use map, filter or reduce for plain data; call a saved graph with foreach for calls", "loops are not read yet")
	case *ast.TryStatement:
		c.refuse(x, "leave it out: a failed call fails the run", "try is not read yet")
	default:
		c.refuse(x, "write it with const, if and return", "this statement is not read")
	}
}

func (c *compiler) arm(x ast.Statement, s scope) {
	switch x := x.(type) {
	case nil:
	case *ast.BlockStatement:
		c.statements(x.List, s)
	default:
		c.statements([]ast.Statement{x}, s)
	}
}

// declare binds the names of let or const. What is computed becomes a node, so that it is
// computed once and where it stands.
func (c *compiler) declare(b *ast.Binding, s scope) {
	if isFunction(b.Initializer) {
		c.constant(b, s)
		return
	}
	if b.Initializer == nil {
		c.bind(b.Target, value{e: "()", t: types.Of(types.Undefined), sure: true}, s)
		return
	}
	name := "value"
	if id, ok := b.Target.(*ast.Identifier); ok {
		name = id.Name.String()
	}
	v := c.settled(b.Initializer, s, name)
	if !isReference(v.e) {
		v = c.transform(name, v, b)
	}
	c.bind(b.Target, v, s)
}

// constant binds a helper function, or a value that needs no node.
func (c *compiler) constant(b *ast.Binding, s scope) {
	id, ok := b.Target.(*ast.Identifier)
	if !ok {
		c.refuse(b.Target, "write const name = …", "this declaration is not read here")
	}
	if isFunction(b.Initializer) {
		s[id.Name.String()] = value{fn: &function{b.Initializer, s}}
		return
	}
	c.pure++
	s[id.Name.String()] = c.expression(b.Initializer, s)
	c.pure--
}

// settled is the value of an expression whose top may be a choice between calls.
func (c *compiler) settled(x ast.Expression, s scope, name string) value {
	if choice, ok := x.(*ast.ConditionalExpression); ok && awaits(choice) {
		return c.choose(x, choice.Test, s, name, choice.Consequent, choice.Alternate)
	}
	if b, ok := x.(*ast.BinaryExpression); ok && awaits(b.Right) && slices.Contains([]token.Token{token.LOGICAL_OR, token.LOGICAL_AND, token.COALESCE}, b.Operator) {
		left := c.settled(b.Left, s, name)
		if !isReference(left.e) {
			left = c.transform(name, left, b.Left)
		}
		kept := &kept{b.Left, left}
		switch b.Operator {
		case token.LOGICAL_OR:
			return c.choose(x, kept, s, name, kept, b.Right)
		case token.LOGICAL_AND:
			return c.choose(x, kept, s, name, b.Right, kept)
		}
		return c.choose(x, &kept2{b.Left, left}, s, name, b.Right, kept)
	}
	if a, ok := x.(*ast.AwaitExpression); ok {
		return c.await(a, s, name)
	}
	return c.expression(x, s)
}

// kept is an expression whose value is known; kept2 is whether it is null or missing.
type (
	kept struct {
		ast.Expression
		v value
	}
	kept2 kept
)

// choose is a value that one of two parts of the code has.
func (c *compiler) choose(at ast.Node, test ast.Expression, s scope, name string, yes, no ast.Expression) value {
	var a, b value
	part := func(x ast.Expression, into *value) func(scope) {
		return func(s scope) {
			*into = c.settled(x, s, name)
			c.transform(name, value{e: `{"value": ` + into.e + `}`}, x)
		}
	}
	c.branch(at, test, s, nil, part(yes, &a), part(no, &b))
	v := c.transform(name, value{e: "$previousNode()"}, nil)
	return value{e: v.e + ".value", t: a.t.Or(b.t), sure: a.sure && b.sure}
}

// branch adds a switch, and joins what changes in its arms.
func (c *compiler) branch(at ast.Node, test ast.Expression, s scope, assigns ast.Node, yes, no func(scope)) {
	changed := assigned(assigns, s)
	cond := c.truth(c.expression(test, s))
	n := c.node(c.id("if"), graph.Members{{Key: "type", Value: "switch"}}, at)
	n.rule = finish(cond)
	arms := [2]scope{s.child(), s.child()}
	var ends [2][]func(string)
	for i, arm := range []func(scope){yes, no} {
		target := []*string{&n.then, &n.next}[i]
		c.loose = []func(string){func(next string) { *target = next }}
		arm(arms[i])
		if c.loose != nil && len(changed) > 0 {
			c.transform("changed", c.state(changed, arms[i]), nil)
		}
		ends[i], c.loose = c.loose, nil
	}
	if len(ends[0])+len(ends[1]) == 0 {
		c.loose = nil
		return
	}
	c.loose = slices.Concat(ends[0], ends[1])
	if len(changed) > 0 {
		joined := c.transform("joined", value{e: "$previousNode()"}, nil)
		for _, name := range changed {
			a, b := arms[0][name], arms[1][name]
			if ends[0] == nil {
				a = b
			} else if ends[1] == nil {
				b = a
			}
			s[name] = value{e: joined.e + "." + field(name), t: a.t.Or(b.t), sure: a.sure && b.sure}
		}
	}
}

// state is an object of the variables that change.
func (c *compiler) state(names []string, s scope) value {
	members := make([]string, len(names))
	for i, name := range names {
		members[i] = quote(name) + ": " + s[name].e
	}
	return value{e: "{" + strings.Join(members, ", ") + "}"}
}

func (c *compiler) throw(x *ast.ThrowStatement, s scope) {
	message := value{e: `"error"`, t: types.Of(types.String), sure: true}
	switch t := x.Argument.(type) {
	case *ast.NewExpression:
		if name, ok := t.Callee.(*ast.Identifier); !ok || name.Name != "Error" || len(t.ArgumentList) > 1 {
			c.refuse(t, `write throw new Error("…")`, "only errors with a message can be thrown")
		}
		if len(t.ArgumentList) == 1 {
			message = c.text(c.expression(t.ArgumentList[0], s), t.ArgumentList[0])
		}
	default:
		c.refuse(x, `write throw new Error("…")`, "only errors with a message can be thrown")
	}
	c.transform("fail", value{e: "$error(" + message.e + ")"}, x)
	c.join("exit")
}

// effect compiles an expression for what it does.
func (c *compiler) effect(x ast.Expression, s scope) {
	switch x := x.(type) {
	case *ast.AwaitExpression:
		c.await(x, s, "")
		return
	case *ast.AssignExpression:
		id, ok := x.Left.(*ast.Identifier)
		if !ok {
			c.refuse(x, "make a new value: x = {...x, key: value} or xs = [...xs, item]", "a change of a part of a value is not read")
		}
		name := id.Name.String()
		was, known := s[name]
		if !known || was.fn != nil {
			c.refuse(x, "declare it with let", "%q is not a variable", name)
		}
		right := x.Right
		if x.Operator != token.ASSIGN {
			right = &ast.BinaryExpression{Operator: x.Operator, Left: x.Left, Right: x.Right}
		}
		v := c.settled(right, s, name)
		if !isReference(v.e) {
			v = c.transform(name, v, x)
		}
		s[name] = v
		return
	case *ast.UnaryExpression:
		if id, ok := x.Operand.(*ast.Identifier); ok && (x.Operator == token.INCREMENT || x.Operator == token.DECREMENT) {
			old := c.need(c.expression(id, s), types.Number, id)
			sign := map[token.Token]string{token.INCREMENT: " + 1", token.DECREMENT: " - 1"}[x.Operator]
			s[id.Name.String()] = c.transform(id.Name.String(), value{e: "(" + old.e + sign + ")", t: types.Of(types.Number), sure: true}, x)
			return
		}
	case *ast.CallExpression:
		c.refuse(x, "await a call of a tool, or assign the new value: xs = [...xs, item]", "a call whose result is not used, and that is not awaited, has no effect in a graph")
	case *ast.ConditionalExpression, *ast.BinaryExpression:
		if awaits(x) {
			c.settled(x, s, "choice")
			return
		}
	}
	c.refuse(x, "leave it out", "an expression whose value is not used is not read")
}

// cases writes a switch as ifs.
func (c *compiler) cases(x *ast.SwitchStatement, s scope) ast.Statement {
	subject := c.expression(x.Discriminant, s)
	if !isReference(subject.e) {
		subject = c.transform("subject", subject, x.Discriminant)
	}
	var rest ast.Statement
	var test ast.Expression
	for i, k := range slices.Backward(x.Body) {
		body := k.Consequent
		if len(body) == 1 {
			if b, ok := body[0].(*ast.BlockStatement); ok {
				body = b.List
			}
		}
		if len(body) == 0 && k.Test != nil {
			c.refuse(k, "write one case with if (x === 1 || x === 2)", "a case without statements is not read")
		}
		if n := len(body) - 1; n >= 0 {
			end, isBranch := body[n].(*ast.BranchStatement)
			_, isReturn := body[n].(*ast.ReturnStatement)
			_, isThrow := body[n].(*ast.ThrowStatement)
			switch {
			case isBranch && end.Token == token.BREAK && end.Label == nil:
				body = body[:n]
			case !isReturn && !isThrow && i < len(x.Body)-1:
				c.refuse(k, "end the case with break or return", "a case that continues in the next one is not read")
			}
		}
		block := &ast.BlockStatement{LeftBrace: k.Case, List: body, RightBrace: k.Idx1()}
		if k.Test == nil {
			if i < len(x.Body)-1 {
				c.refuse(k, "make default the last case", "a default before other cases is not read")
			}
			rest = block
			continue
		}
		test = &ast.BinaryExpression{Operator: token.STRICT_EQUAL, Left: &kept{x.Discriminant, subject}, Right: k.Test}
		rest = &ast.IfStatement{If: k.Case, Test: test, Consequent: block, Alternate: rest}
	}
	if rest == nil {
		return &ast.EmptyStatement{Semicolon: x.Switch}
	}
	return rest
}

// walk visits the parts of a tree until f returns false for one.
func walk(n any, f func(ast.Node) bool) {
	var visit func(v reflect.Value)
	visit = func(v reflect.Value) {
		switch v.Kind() { //nolint:exhaustive // the others have no parts
		case reflect.Interface:
			if !v.IsNil() {
				visit(v.Elem())
			}
		case reflect.Pointer:
			if v.IsNil() {
				return
			}
			if _, isFile := reflect.TypeAssert[*file.File](v); isFile {
				return
			}
			if x, ok := reflect.TypeAssert[ast.Node](v); ok && !f(x) {
				return
			}
			visit(v.Elem())
		case reflect.Struct:
			for i := range v.NumField() {
				if v.Type().Field(i).IsExported() && v.Type().Field(i).Name != "DeclarationList" {
					visit(v.Field(i))
				}
			}
		case reflect.Slice:
			for i := range v.Len() {
				visit(v.Index(i))
			}
		}
	}
	visit(reflect.ValueOf(n))
}

// awaits reports whether a part of the code makes a call.
func awaits(n ast.Node) (found bool) {
	walk(n, func(x ast.Node) bool {
		if _, ok := x.(*ast.AwaitExpression); ok {
			found = true
		}
		return !found && !isFunction(x)
	})
	return found
}

// assigned lists the variables of a scope that a part of the code changes.
func assigned(n ast.Node, s scope) []string {
	found := map[string]bool{}
	note := func(x ast.Expression) {
		if id, ok := x.(*ast.Identifier); ok {
			if _, known := s[id.Name.String()]; known {
				found[id.Name.String()] = true
			}
		}
	}
	if n != nil {
		walk(n, func(x ast.Node) bool {
			switch x := x.(type) {
			case *ast.AssignExpression:
				note(x.Left)
			case *ast.UnaryExpression:
				if x.Operator == token.INCREMENT || x.Operator == token.DECREMENT {
					note(x.Operand)
				}
			}
			return true
		})
	}
	list := slices.Collect(maps.Keys(found))
	sort.Strings(list)
	return list
}

// names are those that a pattern binds.
func names(target any) []string {
	var list []string
	switch t := target.(type) {
	case *ast.Identifier:
		list = append(list, t.Name.String())
	case *ast.AssignExpression:
		list = names(t.Left)
	case *ast.ObjectPattern:
		for _, p := range t.Properties {
			switch p := p.(type) {
			case *ast.PropertyShort:
				list = append(list, p.Name.Name.String())
			case *ast.PropertyKeyed:
				list = append(list, names(p.Value)...)
			}
		}
	case *ast.ArrayPattern:
		for _, e := range t.Elements {
			list = append(list, names(e)...)
		}
	}
	return list
}

func isFunction(x any) bool {
	switch x.(type) {
	case *ast.FunctionLiteral, *ast.ArrowFunctionLiteral:
		return true
	}
	return false
}
