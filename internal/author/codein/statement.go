package codein

import (
	"cmp"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"

	"github.com/dop251/goja/ast"
	"github.com/dop251/goja/token"

	"github.com/patchbay-mcp/patchbay/engine"
	"github.com/patchbay-mcp/patchbay/graph"
	"github.com/patchbay-mcp/patchbay/jsonata"
	"github.com/patchbay-mcp/patchbay/run"
	"github.com/patchbay-mcp/patchbay/types"
)

// A scope has the value of each variable. It is copied at each branch.
type scope map[string]value

func (s scope) child() scope         { return maps.Clone(s) }
func (s scope) has(name string) bool { _, ok := s[name]; return ok }

// hoist declares the functions of a block.
func (s scope) hoist(c *compiler, list []ast.Statement) {
	for _, x := range list {
		if f, ok := x.(*ast.FunctionDeclaration); ok {
			s[c.variable(f.Function.Name)] = value{fn: &function{f.Function, s}}
		}
	}
}

// A compiler writes the nodes of one function.
type compiler struct {
	code *Code
	env  engine.Env

	names     map[*ast.Identifier]string // see resolve
	used      map[string]int
	constants map[string]bool
	uses      map[string]*uses
	changed   map[string]bool // the variables that are assigned anywhere
	main      ast.Expression  // the function

	*tool
	tools     []*tool
	inputs    map[string]types.Type // of the fields of the input that are read
	promises  map[string]bool       // the names of functions, and whether they are async
	tried     map[ast.Node]bool     // what is in try
	limited   bool                  // the comment has limits
	locals    int
	depth     int
	work      int
	loops     int
	pure      int // depth inside expressions that are evaluated never, or more than once
	calls     int // inside of helpers
	tentative int // depth inside passes of settle
	doubts    int // what was refused in them
	chain     []binding
}

// A tool is a graph being built: of the function, or of a part of it.
type tool struct {
	label   string // its name
	head    graph.Members
	nodes   []*node
	loose   []func(next string) // edges that wait for their target; nil where nothing executes
	ids     map[string]bool
	frames  []frame // the loops around, from the outermost
	handler *[]end  // of the try around: the nodes that can fail, with the variables there
	ret     func(v value, at ast.Node)
	out     value // what is known of what the graph returns
}

func newTool(name string) *tool {
	return &tool{label: name, ids: map[string]bool{"entry": true, "exit": true}, out: never}
}

// returning makes return end the graph.
func (c *compiler) returning() {
	c.ret = func(v value, at ast.Node) {
		if c.out = c.out.or(v); c.out.t.Has(types.Undefined) {
			c.out.t = c.out.t.Without(types.Undefined).With(types.Null)
		}
		if !v.sure || v.t.Has(types.Undefined) {
			v = c.orNull(v)
		}
		c.transform("result", v, at)
		c.join("exit")
	}
}

// A frame is where break and continue lead.
type frame struct{ next, leave func(scope) }

// An end is a place where control leaves the statements.
type end struct {
	s     scope
	loose []func(string)
	value string // of the error
}

// save returns a function that restores the state of the compiler.
func (c *compiler) save() func() {
	t, locals, nodes, tools := c.tool, c.locals, len(c.nodes), len(c.tools)
	ids, loose, failures := maps.Clone(c.ids), slices.Clone(c.loose), 0
	if c.handler != nil {
		failures = len(*c.handler)
	}
	return func() {
		if c.tool, c.locals, c.tools = t, locals, c.tools[:tools]; c.handler != nil {
			*c.handler = (*c.handler)[:failures]
		}
		c.nodes, c.ids, c.loose = c.nodes[:nodes], maps.Clone(ids), slices.Clone(loose)
	}
}

// A node of the graph. Its edges are set when its successor is compiled.
type node struct {
	id                  string
	fields              graph.Members
	rule, key           string // of a switch; of its edge, if that is not next
	then, next, onError string
	times               int // of its execution in one run, if it is in a loop with a bound
}

// members returns the node as members of the document.
func (n *node) members() graph.Members {
	m := append(graph.Members{{Key: "id", Value: n.id}}, n.fields...)
	if n.rule != "" {
		m = m.With("conditions", []any{graph.Members{{Key: "rule", Value: map[string]any{"var": n.rule}}, {Key: "next", Value: n.then}}})
	}
	if n.next != "" {
		m = m.With(cmp.Or(n.key, "next"), n.next)
	}
	if n.onError != "" {
		m = m.With("onError", n.onError)
	}
	return m
}

// deeper counts nesting; call the result when the part is done.
func (c *compiler) deeper(at ast.Node) func() {
	if c.depth++; c.depth > maxDepth {
		c.refuse(at, "give inner parts names of their own", "the code is nested more than %d levels deep", maxDepth)
	}
	if c.work++; c.work > maxWork { // helpers that call helpers, and loops in loops
		c.refuse(at, "write it as several graphs", "the function becomes too large a graph")
	}
	return func() { c.depth-- }
}

var notID = regexp.MustCompile(`[^A-Za-z0-9_]`)

// id returns a free node id like name.
func (c *compiler) id(name string) string {
	name = notID.ReplaceAllString(plainName(name), "_")
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
		c.code.spans[c.label+"/"+id] = spanOf(at)
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
	id, e := c.id(name), finish(v.e)
	if len(e) > jsonata.MaxSource {
		c.refuse(at, "give its parts names with const", "this becomes an expression of more than %d bytes", jsonata.MaxSource)
	}
	c.node(id, graph.Members{{Key: "type", Value: "transform"}, {Key: "transform", Value: map[string]any{"expr": e}}}, at)
	return v.as("$$." + field(id))
}

// kept makes a value one that is computed once.
func (c *compiler) kept(name string, v value, at ast.Node) value {
	if v.fn != nil || isReference(v.e) {
		return v
	}
	return c.transform(name, v, at)
}

// previous returns the output of the node before.
const previous = "$previousNode()"

// merge continues after several ends, with the variables that differ.
func (c *compiler) merge(name string, vars []string, s scope, ends []end) {
	var known []value
	for _, e := range ends {
		known = joined(known, e.s.values(vars))
	}
	c.loose = nil
	for i, e := range ends {
		if len(ends) > 1 && len(vars) > 0 {
			rest := c.loose
			c.loose = ends[i].loose
			c.transform(name, value{e: packed(vars, e.s, true)}, nil)
			e.loose = c.loose
			c.loose = rest
		}
		c.loose = append(c.loose, e.loose...)
	}
	switch {
	case len(ends) == 1:
		maps.Copy(s, ends[0].s)
	case len(ends) > 1 && len(vars) > 0:
		s.unpack(vars, c.transform(name+"_join", value{e: previous}, nil).e, known, true)
	}
}

func (c *compiler) statements(list []ast.Statement, s scope) {
	s.hoist(c, list)
	for _, x := range list {
		if c.loose == nil {
			break
		}
		c.statement(x, s)
	}
}

func (c *compiler) statement(x ast.Statement, s scope) {
	defer c.deeper(x)()
	l := c.loopOf(x)
	_, isIf := x.(*ast.IfStatement)
	_, isSwitch := x.(*ast.SwitchStatement)
	stays := !returns(x) && !branches(x, token.CONTINUE) && (isSwitch || !branches(x, token.BREAK))
	if !c.calling(x) && (l != nil && (c.handler == nil || !returns(x)) || (isIf || isSwitch) && stays) {
		c.computed(x, l, s)
		return
	}
	switch x := x.(type) {
	case nil, *ast.EmptyStatement, *ast.FunctionDeclaration:
	case *ast.BlockStatement:
		c.statements(x.List, s)
	case *ast.LexicalDeclaration:
		for _, b := range x.List {
			c.let(b, s)
		}
	case *ast.ReturnStatement:
		v := sure("()", types.Undefined)
		if x.Argument != nil {
			v = c.settled(x.Argument, s, "result")
		}
		c.ret(v, x)
	case *ast.ThrowStatement:
		c.throw(x, s)
	case *ast.ExpressionStatement:
		c.effect(x.Expression, s)
	case *ast.IfStatement:
		c.branch(x, x.Test, s, c.assigned(s, x.Consequent, x.Alternate), func(s scope) { c.statement(x.Consequent, s) }, func(s scope) { c.statement(x.Alternate, s) })
	case *ast.SwitchStatement:
		c.statement(c.cases(x, c.kept("subject", c.expression(x.Discriminant, s), x.Discriminant)), s)
	case *ast.BranchStatement:
		if len(c.frames) == 0 || x.Label != nil {
			c.refuse(x, unread["*ast.LabelledStatement"][1], "this %s is not supported", x.Token)
		}
		f := c.frames[len(c.frames)-1]
		if x.Token == token.BREAK {
			f.leave(s)
		} else {
			f.next(s)
		}
	case *ast.TryStatement:
		c.try(x, s)
	default:
		if l != nil {
			c.cycle(l, s)
			return
		}
		c.unsupported(x)
	}
}

// calling reports whether a part of the code has to become nodes of its own.
func (c *compiler) calling(n any) bool {
	return awaits(n) || c.handler != nil && has(n, func(x ast.Node) bool {
		call, ok := x.(*ast.CallExpression)
		return ok && c.source(call.Callee) == "JSON.parse"
	})
}

// computed adds one node for a statement without calls.
func (c *compiler) computed(x ast.Statement, l *loop, s scope) {
	vars, known, returned := c.assigned(s, x), []value(nil), never
	leaves := l != nil && returns(l.body)
	name, wide := "changed", len(vars) != 1 || leaves
	if !wide {
		name = vars[0]
	}
	k := exits{ret: func(v value) value {
		returned = returned.or(v)
		return never.as(`{"r": {"v": ` + v.e + "}}")
	}}
	k.end = func(s scope) value {
		known = joined(known, s.values(vars))
		return never.as(packed(vars, s, wide))
	}
	c.pure++
	all := c.flow([]ast.Statement{x}, s.child(), k)
	c.pure--
	all = c.transform(name, all, x)
	if known == nil {
		known = s.values(vars)
	}
	s.unpack(vars, all.e, known, wide)
	if leaves {
		c.branch(x, &kept{nil, sure("$exists("+all.e+".r)", types.Boolean)}, s, nil, func(scope) { c.ret(returned.as(all.e+".r.v"), x) }, func(scope) {})
	}
}

// let binds the names of let or const. What is computed becomes a node, so that it is
// computed once and where it stands.
func (c *compiler) let(b *ast.Binding, s scope) {
	name := "value"
	if id, ok := b.Target.(*ast.Identifier); ok {
		name = c.variable(id)
	}
	v := sure("()", types.Undefined)
	switch {
	case isFunction(b.Initializer):
		c.constant(b, s)
		return
	case b.Initializer != nil:
		v = c.kept(name, c.settled(b.Initializer, s, name), b)
	}
	c.bind(b.Target, v, s)
}

// constant binds a helper function, or a value that needs no node.
func (c *compiler) constant(b *ast.Binding, s scope) {
	id, ok := b.Target.(*ast.Identifier)
	if !ok {
		c.refuse(b.Target, "write const name = …", "this declaration is not supported here")
	}
	if isFunction(b.Initializer) {
		s[c.variable(id)] = value{fn: &function{b.Initializer, s}}
		return
	}
	c.pure++
	s[c.variable(id)] = c.expression(b.Initializer, s)
	c.pure--
}

// settled compiles an expression that may choose between calls.
func (c *compiler) settled(x ast.Expression, s scope, name string) value {
	choose := func(test, yes, no ast.Expression) value {
		id := c.hidden("choice")
		c.branch(x, test, s, []string{id}, func(s scope) { s[id] = c.settled(yes, s, name) }, func(s scope) { s[id] = c.settled(no, s, name) })
		v := s[id]
		delete(s, id)
		return v
	}
	switch y := x.(type) {
	case *ast.ConditionalExpression:
		if c.calling(y.Consequent) || c.calling(y.Alternate) {
			return choose(y.Test, y.Consequent, y.Alternate)
		}
	case *ast.BinaryExpression:
		if !isLogical(y.Operator) || !c.calling(y.Right) {
			break
		}
		left := &kept{y.Left, c.kept(name, c.settled(y.Left, s, name), y.Left)}
		switch y.Operator { //nolint:exhaustive // see isLogical
		case token.LOGICAL_OR:
			return choose(left, left, y.Right)
		case token.LOGICAL_AND:
			return choose(left, y.Right, left)
		}
		return choose(&kept{y.Left, sure("$missing("+left.v.e+")", types.Boolean)}, y.Right, left)
	case *ast.AwaitExpression:
		return c.await(y, s, name)
	}
	return c.taken(x, s, func(like string, v value) value { return c.kept(like, v, x) })
}

// kept is an expression that is compiled already.
type kept struct {
	ast.Expression
	v value
}

// branch adds a switch, and joins the variables that change in its arms.
func (c *compiler) branch(at ast.Node, test ast.Expression, s scope, vars []string, yes, no func(scope)) {
	cond := c.truth(c.settled(test, s, "test"))
	n := c.node(c.id("if"), graph.Members{{Key: "type", Value: "switch"}}, at)
	n.rule = finish(cond)
	var ends []end
	for i, arm := range []func(scope){yes, no} {
		target, s := []*string{&n.then, &n.next}[i], c.narrowed(test, s.child(), i == 0)
		c.loose = []func(string){func(next string) { *target = next }}
		if arm(s); c.loose != nil {
			ends = append(ends, end{s: s, loose: c.loose})
		}
	}
	c.merge("changed", vars, s, ends)
}

// thrown returns the message of an error.
func (c *compiler) thrown(x *ast.ThrowStatement, s scope) value {
	switch t := x.Argument.(type) {
	case *ast.NewExpression:
		if name, ok := t.Callee.(*ast.Identifier); ok && name.Name == "Error" && len(t.ArgumentList) == 1 {
			return c.text(c.expression(t.ArgumentList[0], s), t.ArgumentList[0])
		}
	case *ast.Identifier:
		if v := c.expression(t, s); v.deep && v.t.Equal(caught) {
			return sure(v.e+".message", types.String)
		}
	}
	return c.refuse(x, `write throw new Error("…")`, "only errors with a message can be thrown")
}

// throw ends the run, or leads to the catch around it.
func (c *compiler) throw(x *ast.ThrowStatement, s scope) {
	message := c.thrown(x, s)
	if c.handler == nil {
		c.transform("fail", value{e: "$error(" + message.e + ")"}, x)
		c.join("exit")
		return
	}
	v := c.transform("thrown", value{e: `{"error": {"message": ` + message.e + "}}"}, x)
	*c.handler = append(*c.handler, end{s.child(), c.loose, v.e + ".error"})
	c.loose = nil
}

// caught is the type of an error.
var caught = types.ObjectOf(true, types.Field{Name: "message", Type: types.Of(types.String)})

// failing notes that a node may fail inside of a try.
func (c *compiler) failing(n *node, s scope) {
	if c.handler != nil {
		*c.handler = append(*c.handler, end{s.child(), []func(string){func(next string) { n.onError = next }}, "$$." + field(n.id) + ".error"})
	}
}

// try compiles a try with its catch. Only calls, throw and JSON.parse lead to the catch; a
// value that breaks its schema fails the run.
func (c *compiler) try(x *ast.TryStatement, s scope) {
	if x.Finally != nil || x.Catch == nil {
		c.refuse(x, "write what follows after the try", "finally is not supported")
	}
	vars, outer, inner := c.assigned(s, x.Body, x.Catch), c.handler, new([]end)
	body, ends := s.child(), []end(nil)
	c.handler = inner
	c.statements(x.Body.List, body)
	c.handler = outer
	if c.loose != nil {
		ends = append(ends, end{s: body, loose: c.loose})
	}
	if len(*inner) > 0 {
		name := c.hidden("error")
		for _, e := range *inner {
			e.s[name] = value{e: e.value, t: caught, sure: true, deep: true}
		}
		after := s.child()
		c.merge("caught", append(slices.Clone(vars), name), after, *inner)
		if id, ok := x.Catch.Parameter.(*ast.Identifier); ok {
			after[c.variable(id)] = after[name]
		} else if x.Catch.Parameter != nil {
			c.bind(x.Catch.Parameter, after[name], after)
		}
		c.statements(x.Catch.Body.List, after)
		if c.loose != nil {
			ends = append(ends, end{s: after, loose: c.loose})
		}
	}
	c.merge("changed", vars, s, ends)
}

// cycle compiles a loop with calls to nodes that lead back to its head.
func (c *compiler) cycle(l *loop, s scope) {
	for _, b := range l.init {
		c.let(b, s)
	}
	if c.each(l, s) {
		return
	}
	vars := c.assigned(s, l.body, l.update, l.test)
	index := c.hidden("index")
	var items value
	if l.items != nil {
		items = c.kept("items", c.asList(c.settled(l.items, s, "items"), l.items), l.items)
		s[index] = sure("0", types.Integer)
		vars = append(vars, index)
	}
	turns := c.turns(l.test, s)
	c.transform("start", value{e: packed(vars, s, true)}, nil)
	start := len(c.nodes)
	var left []end
	c.settle(s.values(vars), l.at, func(now []value) (next []value) {
		head := c.transform("loop", value{e: previous}, nil).e
		id := c.nodes[len(c.nodes)-1].id
		s := s.child()
		s.unpack(vars, head, now, true)
		left = nil
		test := func(s scope) {
			var cond string
			switch {
			case l.items != nil:
				cond = s[index].e + " < $count(" + items.e + ")"
			case l.test == nil:
				return
			default:
				if cond = c.truth(c.settled(l.test, s, "test")); cond == "true" {
					return
				}
			}
			n := c.node(c.id("while"), graph.Members{{Key: "type", Value: "switch"}}, l.at)
			n.rule = finish(cond)
			left = append(left, end{s: s.child(), loose: c.loose})
			c.loose = []func(string){func(next string) { n.then = next }}
		}
		again := func(s scope) {
			if l.update != nil {
				c.effect(l.update, s)
			}
			if l.items != nil {
				s[index] = sure(s[index].e+" + 1", types.Integer)
			}
			if l.post {
				test(s)
			}
			next = joined(next, s.values(vars))
			c.transform("next", value{e: packed(vars, s, true)}, nil)
			c.join(id)
		}
		if !l.post {
			test(s)
		}
		if l.items != nil {
			v := item(items, "$at("+items.e+", "+s[index].e+")")
			name := "item"
			if id, ok := l.item.(*ast.Identifier); ok {
				name = c.variable(id)
			}
			c.bind(l.item, c.transform(name, v, l.item), s)
			if l.index != nil {
				c.bind(l.index, s[index], s)
			}
		}
		c.frames = append(c.frames, frame{again, func(s scope) {
			left = append(left, end{s: s.child(), loose: c.loose})
			c.loose = nil
		}})
		if c.statement(l.body, s); c.loose != nil {
			again(s)
		}
		c.frames = c.frames[:len(c.frames)-1]
		if next == nil {
			return now
		}
		return next
	})
	c.count(l, c.nodes[start:], turns)
	delete(s, index)
	if l.items != nil {
		vars = vars[:len(vars)-1]
	}
	c.merge("left", vars, s, left)
}

// turns is how often the test of a loop lets it be repeated, as far as numbers that are
// written out say it; 0 if they do not.
func (c *compiler) turns(test ast.Expression, s scope) int {
	b, ok := test.(*ast.BinaryExpression)
	switch {
	case ok && b.Operator == token.LOGICAL_AND:
		return cmp.Or(c.turns(b.Left, s), c.turns(b.Right, s))
	case !ok || !slices.Contains([]token.Token{token.LESS, token.LESS_OR_EQUAL, token.GREATER, token.GREATER_OR_EQUAL}, b.Operator):
		return 0
	}
	n := 0
	for i, x := range []ast.Expression{b.Left, b.Right} {
		v := value{}
		switch x := x.(type) {
		case *ast.Identifier:
			v = s[c.variable(x)]
		case *ast.NumberLiteral:
			v = c.number(x)
		}
		side, err := strconv.Atoi(v.e)
		if err != nil {
			return 0
		}
		n += side * (2*i - 1)
	}
	return min(max(n, -n)+2, maxTurns) // with the last value, and the test that ends it
}

// maxTurns bounds the numbers that limits are computed of.
const maxTurns = 1 << 20

// count notes how often the nodes of a loop are executed; of one without a bound it says
// what a run does.
func (c *compiler) count(l *loop, nodes []*node, turns int) {
	for _, n := range nodes {
		n.times = min(max(n.times, 1)*max(turns, 1), maxTurns)
	}
	if turns == 0 && !c.limited && len(c.code.Found) == 0 {
		c.code.Found.Report(ruleNoBound, "", c.code.place(spanOf(l.at)), "a run ends after %d nodes, about %d turns of this loop", run.DefaultLimits.MaxNodeExecutions, run.DefaultLimits.MaxNodeExecutions/len(nodes)).
			Hint = fmt.Sprintf("for more, write executionLimits: {maxNodeExecutions: %d} into the comment", 10*run.DefaultLimits.MaxNodeExecutions)
	}
}

// effect compiles an expression statement.
func (c *compiler) effect(x ast.Expression, s scope) {
	switch y := x.(type) {
	case *ast.AwaitExpression:
		c.await(y, s, "")
		return
	case *ast.ConditionalExpression, *ast.BinaryExpression:
		if c.calling(x) {
			c.settled(x, s, "choice")
			return
		}
	}
	for _, y := range sequence(x) {
		name := "value"
		if a, ok := y.(*ast.AssignExpression); ok {
			name = c.rootName(a.Left)
		}
		name, v := c.change(y, s, func(z ast.Expression) value { return c.settled(z, s, name) })
		s[name] = c.kept(name, v, y)
	}
}

// cases writes a switch as ifs.
func (c *compiler) cases(x *ast.SwitchStatement, subject value) ast.Statement {
	var rest ast.Statement = &ast.EmptyStatement{Semicolon: x.Switch}
	var shared ast.Expression // the tests of cases without statements, which share those of the next
	for i, k := range slices.Backward(x.Body) {
		body := k.Consequent
		if len(body) == 1 {
			if b, ok := body[0].(*ast.BlockStatement); ok {
				body = b.List
			}
		}
		var test ast.Expression
		if k.Test != nil {
			test = &ast.BinaryExpression{Operator: token.STRICT_EQUAL, Left: &kept{x.Discriminant, subject}, Right: k.Test, Comparison: true}
		}
		if len(body) == 0 && k.Test != nil && i < len(x.Body)-1 {
			if f, ok := rest.(*ast.IfStatement); ok && shared == nil {
				f.Test = &ast.BinaryExpression{Operator: token.LOGICAL_OR, Left: test, Right: f.Test}
				continue
			}
			c.refuse(k, "write the case before default with if", "a case without statements before default is not supported")
		}
		if n := len(body) - 1; n >= 0 {
			end, isBranch := body[n].(*ast.BranchStatement)
			_, isReturn := body[n].(*ast.ReturnStatement)
			_, isThrow := body[n].(*ast.ThrowStatement)
			switch {
			case isBranch && end.Token == token.BREAK && end.Label == nil:
				body = body[:n]
			case !isReturn && !isThrow && (!isBranch || end.Token != token.CONTINUE) && i < len(x.Body)-1:
				c.refuse(k, "end the case with break or return", "a case that continues in the next one is not supported")
			}
		}
		if branches(body, token.BREAK) {
			c.refuse(k, "write it with if", "break inside of a case is not supported, except at its end")
		}
		block := &ast.BlockStatement{LeftBrace: k.Case, List: body, RightBrace: k.Idx1()}
		if k.Test == nil {
			if i < len(x.Body)-1 {
				c.refuse(k, "make default the last case", "a default before other cases is not supported")
			}
			rest = block
			continue
		}
		rest = &ast.IfStatement{If: k.Case, Test: test, Consequent: block, Alternate: rest}
	}
	return rest
}
