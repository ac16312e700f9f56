package expr

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/jsonata"
)

// A Rule is a compiled JSON Logic rule. It is immutable: any number of runs
// evaluate one at the same time.
//
// The operators are json-logic-js's, with its lazy evaluation, truthiness and
// coercions. What differs is var: at the top its string is JSONata over the
// context; inside map, filter, reduce, all, none and some it is a path into the
// element. What var yields is data and never evaluated as a rule.
type Rule struct {
	root  term
	reads []Read
}

// Reads returns what the rule reads of the context, in order.
func (r *Rule) Reads() []Read { return r.reads }

// A term is one part of a rule, ready to evaluate.
type term func(r *ruleRun, at place) (any, error)

// A place is what var reads from: the context, or an element.
type place struct {
	element any
	inside  bool
}

// A ruleRun is one evaluation of a rule.
type ruleRun struct{ scope *Scope }

// CompileRule compiles a JSON Logic rule and returns everything that is wrong
// with it. Pointers lead from the rule to the fault. The edit of an
// unknown-operator is one of the key, not of a value. A rule with faults has
// [Rule.Reads] too; it is not to be evaluated.
func CompileRule(rule Value) (*Rule, []*jsonata.Error) { return CompileRuleWith(rule, Compile) }

// CompileRuleWith is [CompileRule] with the programs that compile returns for the
// texts of its vars, such as those of a cache.
func CompileRuleWith(rule Value, compile func(src string) (*Program, *jsonata.Error)) (*Rule, []*jsonata.Error) {
	c := ruleCompiler{compile: compile}
	root := c.term(rule, "", 0, role{})
	return &Rule{root, c.reads}, c.faults
}

// Eval evaluates r in s. Undefined is null in JSON Logic, so the result is
// never nil. An error is an *Error as of [Program.Eval].
func (r *Rule) Eval(ctx context.Context, s *Scope) (v Value, err error) {
	s.begin(ctx)
	defer s.end()
	if v, err = r.run(&ruleRun{s}); err != nil {
		err = s.explained(err)
	}
	return v, err
}

func (r *Rule) run(run *ruleRun) (v Value, err error) {
	defer jsonata.Recover(&err)
	v, err = r.root(run, place{})
	switch w := v.(type) {
	case nil:
		return null, err
	case bool, string:
		return w, err
	}
	if err != nil {
		return nil, err
	}
	return run.scope.evaluator.Result(v)
}

// A ruleCompiler collects what is wrong while it compiles.
type ruleCompiler struct {
	compile func(src string) (*Program, *jsonata.Error)
	faults  []*jsonata.Error
	reads   []Read
}

func (c *ruleCompiler) fault(pointer, code, hint, format string, args ...any) {
	c.faults = append(c.faults, &jsonata.Error{Code: code, Message: fmt.Sprintf(format, args...), Hint: hint, Pointer: pointer})
}

// term compiles a rule, an array of rules or a literal.
func (c *ruleCompiler) term(v Value, pointer string, depth int, as role) term {
	if depth > jsonata.MaxOpenBrackets {
		c.fault(pointer, "too-deep", "name parts of the decision in transform nodes before the switch", "the rule is nested deeper than %d", jsonata.MaxOpenBrackets)
		return literal(null)
	}
	if v == nil {
		v = null
	}
	switch v := v.(type) {
	case []any:
		items := make([]term, len(v))
		for i, item := range v {
			items[i] = c.term(item, pointer+"/"+strconv.Itoa(i), depth+1, as)
		}
		return list(items)
	case Object:
		return c.object(v, pointer, depth, as)
	}
	if text, ok := pathText(v); ok && as.key {
		c.read(pointer, Path{Text: text}, as)
	}
	return literal(v)
}

func (c *ruleCompiler) object(o Object, pointer string, depth int, as role) term {
	keys := o.Keys()
	if len(keys) != 1 {
		if i := slices.IndexFunc(keys, func(k string) bool { return operators[k].examples != "" }); i >= 0 {
			c.fault(pointer, "several-operators", `write one operator per object and join them: {"and": [{…}, {…}]}`,
				"an object with %d keys is not a rule, though %q is an operator", len(keys), keys[i])
		}
		return literal(o)
	}
	name := keys[0]
	args, _ := o.Get(name)
	at := pointer + "/" + diag.EscapePointer(name)
	if name == "var" {
		if as.key {
			c.read(pointer, Path{Computed: true}, as)
		}
		return c.variable(args, at, depth, as)
	}
	op, ok := operators[name]
	if !ok {
		c.unknown(name, at)
		return literal(null)
	}
	values, ok := args.([]any)
	if !ok {
		values = []any{args}
	}
	if as.key && !passes[name] {
		c.read(pointer, Path{Computed: true}, as)
	}
	terms := make([]term, len(values))
	for i, v := range values {
		p := at
		if ok {
			p += "/" + strconv.Itoa(i)
		}
		terms[i] = c.term(v, p, depth+1, as.argument(name, i, len(values)))
	}
	return op.make(terms)
}

// spelled are names for operators in other languages, and what they are here.
var spelled = map[string]string{
	"eq": "==", "equals": "==", "=": "==", "ne": "!=", "neq": "!=", "<>": "!=", "not": "!", "gt": ">", "gte": ">=", "ge": ">=", "lt": "<",
	"lte": "<=", "le": "<=", "contains": "in", "includes": "in", "concat": "cat", "&&": "and", "||": "or", "any": "some", "every": "all",
	"add": "+", "sub": "-", "mul": "*", "div": "/", "mod": "%", "substring": "substr", "get": "var", "ternary": "if", "else": "if",
}

func (c *ruleCompiler) unknown(name, pointer string) {
	names := RuleOperators()
	meant := spelled[strings.ToLower(name)]
	if meant == "" {
		meant = diag.Closest(name, names)
	}
	hint := "the operators are " + diag.OneOf(names, 40)
	if meant != "" {
		hint = fmt.Sprintf("did you mean %q?", meant)
	}
	c.fault(pointer, "unknown-operator", hint, "there is no JSON Logic operator %q", name)
	if meant != "" {
		c.faults[len(c.faults)-1].Edits = diag.Replace(0, len(name), meant)
	}
}

// variable compiles {"var": …}: a path or expression, and a default.
func (c *ruleCompiler) variable(args Value, pointer string, depth int, as role) term {
	values, isList := args.([]any)
	if !isList {
		values = []any{args}
	}
	at := func(i int) string {
		if isList {
			return pointer + "/" + strconv.Itoa(i)
		}
		return pointer
	}
	key := role{inside: as.inside, key: true, asks: as.asks || len(values) > 1}
	fallback := literal(null)
	otherwise := func() {
		if len(values) > 1 {
			fallback = c.term(values[1], at(1), depth+1, as)
		}
	}
	if len(values) == 0 {
		c.read(pointer, Path{}, key)
		return func(r *ruleRun, here place) (any, error) { return here.of(r.scope), nil }
	}
	src, isText := values[0].(string)
	if isText && !as.inside && !isLogicPath(src) {
		p, err := c.compile(src)
		if err != nil {
			e := *err
			e.Pointer = at(0)
			c.faults = append(c.faults, &e)
			return literal(null)
		}
		c.read(at(0), p, key)
		otherwise()
		return func(r *ruleRun, here place) (any, error) {
			v, err := p.run(r.scope)
			if err != nil || v != nil {
				return v, err
			}
			return fallback(r, here)
		}
	}
	path := c.term(values[0], at(0), depth+1, key)
	otherwise()
	return func(r *ruleRun, here place) (any, error) {
		k, err := path(r, here)
		if err != nil {
			return nil, err
		}
		if v := logicPath(here.of(r.scope), k); v != nil {
			return v, nil
		}
		return fallback(r, here)
	}
}

// of returns what var reads from.
func (at place) of(s *Scope) any {
	if at.inside {
		return at.element
	}
	return s.root
}

// literal is a term that is its own value.
func literal(v any) term { return func(*ruleRun, place) (any, error) { return v, nil } }

// list is an array of terms.
func list(items []term) term {
	return func(r *ruleRun, at place) (any, error) {
		values, err := r.all(items, at, (*ruleRun).eval)
		if err == nil {
			err = r.allocItems(len(values))
		}
		return values, err
	}
}

// all evaluates terms in order, each by value.
func (r *ruleRun) all(terms []term, at place, value func(*ruleRun, term, place) (any, error)) ([]any, error) {
	values := make([]any, len(terms))
	for i, t := range terms {
		v, err := value(r, t, at)
		if err != nil {
			return nil, err
		}
		values[i] = v
	}
	return values, nil
}

// eval evaluates one term, unless the time is over.
func (r *ruleRun) eval(t term, at place) (any, error) {
	if err := r.scope.evaluator.Check(1); err != nil {
		return nil, err
	}
	v, err := t(r, at)
	if work := valueWork(v); work > 0 && err == nil {
		err = r.scope.evaluator.Check(work)
	}
	return v, err
}
