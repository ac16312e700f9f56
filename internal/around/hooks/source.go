package hooks

import (
	"errors"
	"regexp"
	"strings"

	"github.com/dop251/goja"
	"github.com/dop251/goja/ast"
	"github.com/dop251/goja/file"
	"github.com/dop251/goja/parser"
)

// A script is the body of an async function with the parameter context, on lines of its
// own between these two.
const (
	prologue = "(async function(context){\n"
	epilogue = "\n})"
)

// hookFunction is the function that a script declares for the hook, wherever it does.
const hookFunction = "hook"

// exportDefault is what a module says before its function, which a script need not.
var exportDefault = regexp.MustCompile(`(?m)^[ \t]*export[ \t]+default\b`)

// compile makes a program of a script, whose value is a function of the context. If the
// script ends with a function or declares one named hook, the function returns that.
func compile(text string) (*goja.Program, *Failure) {
	tree, f, err := read(text)
	if err != nil {
		if module, exported, ok := readModule(text); ok {
			tree, f, err = module, exported, nil
		}
	}
	if err != nil {
		return nil, syntaxFailure(text, err)
	}
	body := functionBody(tree)
	if body == nil {
		return nil, failure(ScriptError, "the script has a } without a {")
	}
	if f != nil {
		body.List = append(body.List, &ast.ReturnStatement{Return: body.RightBrace, Argument: f})
	}
	program, err := goja.CompileAST(tree, false)
	if err != nil {
		return nil, syntaxFailure(text, err)
	}
	return program, nil
}

// read parses a script and finds its function, nil if it has none.
func read(text string) (tree *ast.Program, f ast.Expression, err error) {
	tree, err = parse(text)
	if err == nil {
		if body := functionBody(tree); body != nil {
			f = functionExpression(body.List)
		}
	}
	return tree, f, err
}

// readModule reads a script with one export default, as if that declared the hook or
// were not there. It is replaced by as many bytes, so that places stay what they are.
func readModule(text string) (tree *ast.Program, f ast.Expression, ok bool) {
	at := exportDefault.FindAllStringIndex(text, -1)
	if len(at) != 1 {
		return nil, nil, false
	}
	from, to := at[0][0], at[0][1]
	for _, start := range []string{"var hook=", ""} {
		tree, f, err := read(text[:from] + start + strings.Repeat(" ", to-from-len(start)) + text[to:])
		if err == nil && f != nil {
			return tree, f, true
		}
	}
	return nil, nil, false
}

// parse reads a script. Source maps stay off: the parser would read the files that they
// name.
func parse(text string) (*ast.Program, error) {
	return parser.ParseFile(nil, "script", prologue+text+epilogue, 0, parser.WithDisableSourceMaps)
}

// functionBody returns the body of the one function that a tree is, nil if it is more: a
// script that closes the function around it.
func functionBody(tree *ast.Program) *ast.BlockStatement {
	if len(tree.Body) != 1 {
		return nil
	}
	statement, ok := tree.Body[0].(*ast.ExpressionStatement)
	if !ok {
		return nil
	}
	f, ok := statement.Expression.(*ast.FunctionLiteral)
	if !ok {
		return nil
	}
	return f.Body
}

// functionExpression returns the function that the statements of a script define as the hook:
// the one named hook, or else the one that they end with.
func functionExpression(list []ast.Statement) ast.Expression {
	declared := map[string]*ast.Identifier{}
	var last ast.Expression
	for _, s := range list {
		if _, empty := s.(*ast.EmptyStatement); empty {
			continue
		}
		last = nil
		switch s := s.(type) {
		case *ast.FunctionDeclaration:
			declared[s.Function.Name.Name.String()], last = s.Function.Name, s.Function.Name
		case *ast.LexicalDeclaration:
			last = declaredFunctions(s.List, declared)
		case *ast.VariableStatement:
			last = declaredFunctions(s.List, declared)
		case *ast.ExpressionStatement:
			last = s.Expression
		}
	}
	if f := declared[hookFunction]; f != nil {
		return f
	}
	if name, isName := last.(*ast.Identifier); isName && declared[name.Name.String()] == nil {
		return nil
	}
	if _, isName := last.(*ast.Identifier); isName || isFunction(last) {
		return last
	}
	return nil
}

// declaredFunctions notes the functions among some declarations, and returns the name of
// the last declaration if it is one.
func declaredFunctions(list []*ast.Binding, declared map[string]*ast.Identifier) (last ast.Expression) {
	for _, b := range list {
		last = nil
		if name, ok := b.Target.(*ast.Identifier); ok && isFunction(b.Initializer) {
			declared[name.Name.String()], last = name, name
		}
	}
	return last
}

func isFunction(x ast.Expression) bool {
	switch x.(type) {
	case *ast.FunctionLiteral, *ast.ArrowFunctionLiteral:
		return true
	}
	return false
}

// syntaxFailure says where a script is not JavaScript.
func syntaxFailure(text string, err error) *Failure {
	var at file.Position
	message := err.Error()
	if list, ok := errors.AsType[parser.ErrorList](err); ok && len(list) > 0 {
		at, message = list[0].Position, list[0].Message
	} else if e, ok := errors.AsType[*goja.CompilerSyntaxError](err); ok && e.File != nil {
		at, message = e.File.Position(e.Offset), e.Message
	}
	line, column := place(text, at)
	return failure(ScriptError, "SyntaxError: %s", strings.TrimPrefix(message, "SyntaxError: ")).at(line, column)
}

// place is a position of the parser as one in the script: lines from 1, columns from 1
// in characters. What is after the end of the script is at its end.
func place(text string, at file.Position) (line, column int) {
	if at.Line < 1 {
		return 0, 0
	}
	lines := strings.Split(text, "\n")
	line = at.Line - 1
	if line > len(lines) {
		return len(lines), len([]rune(lines[len(lines)-1])) + 1
	}
	if line < 1 {
		return 1, 1
	}
	of := lines[line-1]
	return line, len([]rune(of[:min(len(of), max(0, at.Column-1))])) + 1
}
