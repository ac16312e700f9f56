package jsonata

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// A Builtin is a function that every expression can call. Its row in the table is all
// that is declared of it: evaluation, the checker, the linter, references, hints and
// docs/reference/functions.md read it there.
type Builtin struct {
	Name      string   // without the $
	Args      string   // names of its arguments for readers, such as: text, start, length?
	Signature string   // in JSONata's notation
	Doc       string   // one line: what it returns
	Examples  Examples // at least three, one of an edge
	Area      Area     // the part of the list that it is in
	Result    Result   // the type of what it returns
	Cost      Cost     // what the number of steps of a call depends on
	Steps     int      // steps of a call, in addition to the one of every call
	Each      int      // bytes or items of the first argument per further step; 0 counts none
	Callback  Callback // what a function among its arguments is called with
	Reads     Reads    // what it reads of the context besides its arguments
	Varies    bool     // it may answer differently each time, unless clock and random numbers are frozen
	Asks      bool     // it may be called to find out whether its argument is there
	Total     bool     // it returns a value even if its argument is undefined
	Own       bool     // it is an addition to JSONata
	Words     []string // names that authors give to it

	call   func(e *Evaluator, args []any) any
	loose  bool // it checks its arguments itself
	lax    bool // it asks for its last argument only where it needs that
	always bool // it is called even if its first argument is undefined; others then return undefined
	params *signature
}

// An Area is a part of the list of functions.
type Area string

// The areas, in the order of the list.
const (
	AreaText    Area = "Text"
	AreaNumbers Area = "Numbers"
	AreaArrays  Area = "Arrays"
	AreaObjects Area = "Objects"
	AreaValues  Area = "Any values"
	AreaTime    Area = "Time"
	AreaRun     Area = "The run"
)

// A Result is the type of what a function returns, in terms of its arguments. What it
// means in the lattice of types is in package expr.
type Result uint8

// The results. An array of a function may be a sequence: of one item, the item itself.
const (
	ResultAnything        Result = iota + 1
	ResultString                 // a string
	ResultNumber                 // a number
	ResultInteger                // a whole number
	ResultBoolean                // a boolean
	ResultNumberOrNothing        // a number, and nothing of no items or an unreadable text
	ResultSameNumber             // a whole number of a whole number
	ResultRounded                // a whole number, unless decimals are asked for
	ResultConverted              // a number; a whole one of a whole one or a boolean
	ResultSum                    // a whole number of whole numbers
	ResultExtreme                // a number of those given
	ResultStrings                // an array of strings
	ResultKeys                   // a sequence of strings
	ResultSplit                  // a sequence or array of strings
	ResultList                   // an array of anything
	ResultItems                  // a sequence of the items given
	ResultSome                   // the value given, or some of its items
	ResultAppended               // an array of the items of both arguments
	ResultMerged                 // an object with the fields of those given
	ResultMember                 // the field that the second argument names
	ResultOutput                 // an output of the node that the first argument names
	ResultOutputs                // its outputs
)

// String names the type, as in a list of functions.
func (r Result) String() string {
	switch r {
	case ResultString:
		return "string"
	case ResultNumber, ResultInteger, ResultNumberOrNothing, ResultSameNumber, ResultRounded, ResultConverted, ResultSum, ResultExtreme:
		return "number"
	case ResultBoolean:
		return "boolean"
	case ResultStrings, ResultKeys, ResultSplit:
		return "strings"
	case ResultList, ResultItems, ResultAppended, ResultOutputs:
		return "array"
	case ResultMerged:
		return "object"
	}
	return "any"
}

// A Cost is what the number of steps of a call depends on. A step stands for some tens of
// nanoseconds of work, which BenchmarkLimits measures.
type Cost uint8

// The costs.
const (
	CostCall    Cost = iota + 1 // nothing
	CostText                    // the bytes of the first argument
	CostMatches                 // the bytes of the first argument, and the matches in it
	CostItems                   // the items of the first argument
	CostCalls                   // the calls that it makes
	CostCounted                 // what it does, counted as it proceeds
)

// String says what a cost depends on.
func (c Cost) String() string {
	return [...]string{CostCall: "constant", CostText: "length of the text", CostMatches: "length of the text, and matches", CostItems: "number of items", CostCalls: "calls of the function", CostCounted: "work done"}[c]
}

// A Callback is what a function calls the function among its arguments with.
type Callback uint8

// The callbacks.
const (
	CallbackNone   Callback = iota
	CallbackItem            // an item, its index, the array
	CallbackPair            // two items
	CallbackReduce          // the result so far, an item, its index, the array
	CallbackField           // a value, its key, the object
)

// Reads is what a function reads of the context besides its arguments.
type Reads uint8

// What is read.
const (
	ReadsNothing    Reads = iota
	ReadsNode             // executions of the node that the first argument names
	ReadsMember           // the field of the first argument that the second names
	ReadsExpression       // whatever the expression in its first argument reads
)

// builtins are the rows of the table by name, and those that were declared. Evaluation
// has them from its [Env].
var builtins = func() map[string]*Builtin {
	m := make(map[string]*Builtin, len(table))
	for i := range table {
		m[table[i].Name] = &table[i]
	}
	return m
}()

// LookupBuiltin returns the function of a name, without its $, or nil.
func LookupBuiltin(name string) *Builtin { return builtins[name] }

// Builtins returns the functions of the language, by area, and then those that were
// declared.
func Builtins() []*Builtin {
	all := make([]*Builtin, 0, len(builtins))
	for i := range table {
		all = append(all, &table[i])
	}
	for _, name := range FunctionNames() {
		if b := builtins[name]; b.Area == "" {
			all = append(all, b)
		}
	}
	return all
}

// FunctionNames returns the names of all functions without their $, sorted.
func FunctionNames() []string { return slices.Sorted(maps.Keys(builtins)) }

// Declare makes a function known to the checker, the linter and hints. What it computes
// is added to an [Env] with [Env.Add]. It is not safe for use at the same time as
// anything else of this package.
func Declare(name, signature string) error {
	b := &Builtin{Name: name, Signature: signature, Cost: CostCall}
	if err := b.check(); err != nil {
		return err
	}
	b.params = parseSignature(signature)
	b.Result = map[string]Result{"s": ResultString, "n": ResultNumber, "b": ResultBoolean, "a<s>": ResultStrings, "a": ResultList}[b.returns()]
	if b.Result == 0 {
		b.Result = ResultAnything
	}
	builtins[name] = b
	return nil
}

// check reports a name or a signature that a function of a program cannot have.
func (b *Builtin) check() error {
	switch {
	case !functionName.MatchString(b.Name):
		return fmt.Errorf("%q cannot be the name of a function: use letters, digits and _", b.Name)
	case !functionSignature.MatchString(b.Signature):
		return fmt.Errorf("the signature %q of $%s is not one of parameters s n b l o a j x and a result, such as <sn?:s>", b.Signature, b.Name)
	}
	return nil
}

// function is b as a value.
func (b *Builtin) function() *Function {
	fn := &Function{name: b.Name, row: b, arity: b.arity(), native: b.call, scoped: b.Reads == ReadsExpression, strict: !b.always && len(b.params.params) > 0}
	if !b.loose {
		fn.sig = b.params
	}
	if b.lax {
		sig := *b.params
		sig.params = slices.Clone(sig.params)
		sig.params[len(sig.params)-1].Optional = true
		fn.sig = &sig
	}
	return fn
}

// arity is how many values a function that calls it gives it.
func (b *Builtin) arity() int {
	switch {
	case b.params.many:
		return 0
	case b.Name == "string": // its second parameter has a default, which JavaScript does not count
		return 1
	}
	return len(b.params.params)
}

// Params are what the function takes, in order.
func (b *Builtin) Params() []Param { return b.params.params }

// Many reports whether it takes any number of arguments.
func (b *Builtin) Many() bool { return b.params.many }

// Required is how many arguments it needs; the context may stand for the first.
func (b *Builtin) Required() int { return b.params.required() }

// TakesContext reports whether a call with so many arguments works on the context, where
// that may be an object.
func (b *Builtin) takesContext(given int) bool {
	p := b.params.params
	return len(p) > 0 && p[0].Context && p[0].Kinds&typeObject != 0 && given < b.Required()
}

// returns is the result of the signature, or "".
func (b *Builtin) returns() string {
	_, result, _ := strings.Cut(strings.TrimSuffix(b.Signature, ">"), ":")
	return result
}

// List reports whether it returns an array, or the only item in it.
func (b *Builtin) list() bool {
	switch b.Result.String() {
	case "strings", "array":
		return true
	}
	return b.Result == ResultSome && b.Callback == CallbackNone
}

// bare reports whether it is called without arguments as a rule.
func (b *Builtin) bare() bool { return b.Required() == 0 && b.Area != AreaValues }
