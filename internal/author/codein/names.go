package codein

import (
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"

	"github.com/dop251/goja/ast"
	"github.com/dop251/goja/file"
	"github.com/dop251/goja/token"
)

// walk visits the parts of a tree until f returns false for one.
func walk(n any, f func(ast.Node) bool) { parts(reflect.ValueOf(n), f) }

func parts(v reflect.Value, f func(ast.Node) bool) {
	switch v.Kind() { //nolint:exhaustive // the others have no parts
	case reflect.Interface:
		if !v.IsNil() {
			parts(v.Elem(), f)
		}
	case reflect.Pointer:
		if _, isFile := reflect.TypeAssert[*file.File](v); v.IsNil() || isFile {
			return
		}
		if x, ok := reflect.TypeAssert[ast.Node](v); ok && !f(x) {
			return
		}
		parts(v.Elem(), f)
	case reflect.Struct:
		for i := range v.NumField() {
			if v.Type().Field(i).IsExported() && v.Type().Field(i).Name != "DeclarationList" {
				parts(v.Field(i), f)
			}
		}
	case reflect.Slice:
		for i := range v.Len() {
			parts(v.Index(i), f)
		}
	}
}

// inner visits the parts of a node, without itself.
func inner(n ast.Node, f func(ast.Node) bool) { parts(reflect.ValueOf(n).Elem(), f) }

// has reports whether a part of the code, functions in it aside, is as is says.
func has(n any, is func(ast.Node) bool) (found bool) {
	walk(n, func(x ast.Node) bool {
		found = found || is(x)
		return !found && !isFunction(x)
	})
	return found
}

// awaits reports whether a part of the code makes a call.
func awaits(n any) bool {
	return has(n, func(x ast.Node) bool { _, ok := x.(*ast.AwaitExpression); return ok })
}

// branches reports whether a part of the code has break or continue, of what is around it.
func branches(n any, kind token.Token) (found bool) {
	walk(n, func(x ast.Node) bool {
		switch x := x.(type) {
		case *ast.BranchStatement:
			found = found || x.Token == kind
		case *ast.SwitchStatement:
			return kind == token.CONTINUE
		case *ast.ForStatement, *ast.ForOfStatement, *ast.WhileStatement, *ast.DoWhileStatement:
			return false
		}
		return !found && !isFunction(x)
	})
	return found
}

// returns reports whether a part of the code has return or throw.
func returns(n any) bool {
	return has(n, func(x ast.Node) bool {
		_, r := x.(*ast.ReturnStatement)
		_, t := x.(*ast.ThrowStatement)
		return r || t
	})
}

func isFunction(x any) bool {
	switch x.(type) {
	case *ast.FunctionLiteral, *ast.ArrowFunctionLiteral:
		return true
	}
	return false
}

// resolve gives each variable a name of its own. names maps the names in the code to variables.
func (c *compiler) resolve(n any, names map[string]string) {
	walk(n, func(x ast.Node) bool {
		scope := names
		switch x := x.(type) {
		case *ast.Identifier:
			if name, ok := names[x.Name.String()]; ok {
				c.names[x] = name
			}
			return false
		case *ast.DotExpression:
			c.resolve(x.Left, names)
			return false
		case *ast.BranchStatement:
			return false
		case *ast.PropertyKeyed:
			if x.Computed {
				c.resolve(x.Key, names)
			}
			c.resolve(x.Value, names)
			return false
		case *ast.FunctionDeclaration:
			c.resolve(x.Function.Name, names)
		case *ast.BlockStatement:
			scope = c.declare(names, x.List)
		case *ast.SwitchStatement:
			for _, k := range x.Body {
				scope = c.declare(scope, k.Consequent)
			}
		case *ast.FunctionLiteral:
			scope = c.declare(names, x.ParameterList)
			c.resolve(x.ParameterList, scope)
			c.resolve(x.Body, scope)
			return false
		case *ast.ArrowFunctionLiteral:
			scope = c.declare(names, x.ParameterList)
		case *ast.ForStatement:
			scope = c.declare(names, x.Initializer)
		case *ast.ForOfStatement:
			scope = c.declare(names, x.Into)
		case *ast.CatchStatement:
			scope = c.declare(names, x.Parameter)
		}
		inner(x, func(y ast.Node) bool { c.resolve(y, scope); return false })
		return false
	})
}

// declare returns names with those that a part of the code declares.
func (c *compiler) declare(names map[string]string, n any) map[string]string {
	if names = maps.Clone(names); names == nil {
		names = map[string]string{}
	}
	add := func(id *ast.Identifier) {
		name := id.Name.String()
		if c.used[name]++; c.used[name] > 1 {
			name += fmt.Sprintf("'%d", c.used[name])
		}
		names[id.Name.String()] = name
	}
	switch n := n.(type) {
	case []ast.Statement:
		for _, s := range n {
			switch s := s.(type) {
			case *ast.FunctionDeclaration:
				add(s.Function.Name)
			case *ast.LexicalDeclaration:
				for _, b := range s.List {
					targets(b.Target, add)
					targets(b.Target, func(id *ast.Identifier) { c.constants[names[id.Name.String()]] = s.Token == token.CONST })
				}
			}
		}
	case *ast.ParameterList:
		for _, b := range n.List {
			targets(b.Target, add)
		}
	case *ast.ForLoopInitializerLexicalDecl:
		for _, b := range n.LexicalDeclaration.List {
			targets(b.Target, add)
		}
	case *ast.ForDeclaration:
		targets(n.Target, add)
	case ast.BindingTarget:
		targets(n, add)
	}
	return names
}

// spell gives the fields of an object or a pattern that have only a name their key.
func spell(list []ast.Property) {
	for i, p := range list {
		if p, ok := p.(*ast.PropertyShort); ok {
			var v ast.Expression = &p.Name
			if p.Initializer != nil {
				v = &ast.AssignExpression{Operator: token.ASSIGN, Left: v, Right: p.Initializer}
			}
			list[i] = &ast.PropertyKeyed{Key: &ast.StringLiteral{Idx: p.Name.Idx, Literal: p.Name.Name.String(), Value: p.Name.Name}, Kind: ast.PropertyKindValue, Value: v}
		}
	}
}

// effects writes what changes a variable as = : x++, x += e, and (x ??= e).push(y), which is a
// list of two expressions then.
func effects(x ast.Expression) ast.Expression {
	switch y := x.(type) {
	case *ast.SequenceExpression:
		for i, one := range y.Sequence {
			y.Sequence[i] = effects(one)
		}
	case *ast.AssignExpression:
		if y.Operator != token.ASSIGN && !awaits(y.Left) {
			y.Operator, y.Right = token.ASSIGN, &ast.BinaryExpression{Operator: y.Operator, Left: y.Left, Right: y.Right}
		}
	case *ast.UnaryExpression:
		if op, ok := map[token.Token]token.Token{token.INCREMENT: token.PLUS, token.DECREMENT: token.MINUS}[y.Operator]; ok {
			one := &ast.NumberLiteral{Idx: y.Operand.Idx1(), Value: int64(1)}
			return effects(&ast.AssignExpression{Operator: op, Left: y.Operand, Right: one})
		}
	case *ast.CallExpression:
		list, _, _ := methodOf(y)
		if a, ok := list.(*ast.AssignExpression); ok && !awaits(a.Left) {
			y.Callee.(*ast.DotExpression).Left = a.Left
			return &ast.SequenceExpression{Sequence: []ast.Expression{effects(a), y}}
		}
	}
	return x
}

// sequence lists the expressions of a statement.
func sequence(x ast.Expression) []ast.Expression {
	if list, ok := x.(*ast.SequenceExpression); ok {
		return list.Sequence
	}
	return []ast.Expression{x}
}

// methodOf returns what a method is called of, its name and its arguments; nil for anything
// but the call of a method.
func methodOf(x ast.Node) (left ast.Expression, name string, args []ast.Expression) {
	if call, ok := x.(*ast.CallExpression); ok {
		if d, ok := call.Callee.(*ast.DotExpression); ok {
			return d.Left, d.Identifier.Name.String(), call.ArgumentList
		}
	}
	return nil, "", nil
}

// targets calls add for the variables of a pattern.
func targets(t any, add func(*ast.Identifier)) {
	switch t := t.(type) {
	case *ast.Identifier:
		add(t)
	case *ast.AssignExpression:
		targets(t.Left, add)
	case *ast.ObjectPattern:
		for _, p := range t.Properties {
			if p, ok := p.(*ast.PropertyKeyed); ok {
				targets(p.Value, add)
			}
		}
	case *ast.ArrayPattern:
		for _, e := range t.Elements {
			targets(e, add)
		}
		targets(t.Rest, add)
	}
}

// variable returns the unique name of a name in the code.
func (c *compiler) variable(id *ast.Identifier) string {
	if name, ok := c.names[id]; ok {
		return name
	}
	return id.Name.String()
}

// root is the variable that an expression such as a.b[c] begins with, of how many parts of
// parts it is, and the name of the first part; id is nil if it is another expression.
func root(x ast.Expression) (id *ast.Identifier, depth int, part string) {
	switch x := x.(type) {
	case *ast.Identifier:
		return x, 0, ""
	case *ast.DotExpression:
		if id, depth, part = root(x.Left); depth == 0 {
			part = x.Identifier.Name.String()
		}
	case *ast.BracketExpression:
		id, depth, part = root(x.Left)
	case *ast.OptionalChain:
		return root(x.Expression)
	case *ast.Optional:
		return root(x.Expression)
	}
	return id, depth + 1, part
}

// mutators are the methods that change their list.
var mutators = []string{"push", "pop", "shift", "unshift", "sort", "reverse"}

// mutation returns the list that a call changes, and the method.
func mutation(x ast.Node) (list ast.Expression, method string) {
	list, method, _ = methodOf(x)
	if id, _, _ := root(list); id == nil || !slices.Contains(mutators, method) {
		return nil, ""
	}
	return list, method
}

// assigned lists the variables of a scope that a part of the code changes.
func (c *compiler) assigned(s scope, list ...any) []string {
	found := map[string]bool{}
	for _, n := range list {
		walk(n, func(x ast.Node) bool {
			target, _ := mutation(x)
			if a, ok := x.(*ast.AssignExpression); ok {
				target = a.Left
			}
			if id, _, _ := root(target); id != nil {
				if _, known := s[c.variable(id)]; known {
					found[c.variable(id)] = true
				}
			}
			return true
		})
	}
	return slices.Sorted(maps.Keys(found))
}

// plainName returns the name as the code has it, without the suffix that makes it unique.
func plainName(name string) string { name, _, _ = strings.Cut(name, "'"); return name }
