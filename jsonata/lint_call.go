package jsonata

import (
	"strings"

	"github.com/patchbay-mcp/patchbay/diag"
)

// A Foreign is how JSONata does what a function of another language does. Its
// rewrite is the built-in that takes the receiver, if it is a method, and then
// the same arguments; without one there is only the hint. Text after a "…" in
// rewrite follows the call.
type Foreign struct{ Rewrite, hint string }

// readForeign reads a table with a line for functions that are done in the same way: their names,
// and the rewrite or the hint.
func readForeign(table string) map[string]Foreign {
	all := map[string]Foreign{}
	for line := range strings.Lines(strings.TrimSpace(table)) {
		names, how, _ := strings.Cut(strings.TrimSpace(line), " | ")
		f := Foreign{hint: how}
		if strings.HasPrefix(how, "$") {
			f = Foreign{Rewrite: how}
		}
		for name := range strings.FieldsSeq(names) {
			all[name] = f
		}
	}
	return all
}

// Methods are those of JavaScript's and Python's values.
var Methods = readForeign(`
map forEach flatMap | $map
filter | $filter
reduce | $reduce
find | $filter…[0]
join | $join
split | $split
sort | $sort
reverse | $reverse
push append | $append
toUpperCase upper | $uppercase
toLowerCase lower | $lowercase
trim strip | $trim
toString | $string
replace replaceAll | $replace
match | $match
keys | $keys
values | write x.*
padEnd | $pad
flat | paths flatten arrays by themselves; $flatten(array) does so to any depth
includes | write $contains(text, part) for a string, item in items for an array
contains | $contains
indexOf | write $contains(text, part), or item in items
startsWith | write $substring(text, 0, $length(start)) = start, or $contains(text, /^start/)
endsWith | write $contains(text, /end$/)
slice | write items[[from..to]], or $substring(text, start, length)
substring | write $substring(text, start, length): the third argument is a length
substr | $substring
concat | write $append(a, b) for arrays, a & b for strings
some | write $exists(items[condition])
every | write $count(items[$not(condition)]) = 0
length | write $count(items) or $length(text)
size len count | $count
get | $lookup
toFixed | write $formatNumber(x, "0.00")
first shift | write items[0]
last pop | write items[-1]
at | write items[0], or items[-1] for the last
items | $spread
`)

// Globals are the functions of JavaScript and Python that are not methods.
var Globals = readForeign(`
Object.keys | $keys
Object.values | write x.*
Object.entries | write $each(x, function($v, $k){ [$k, $v] })
Object.assign | write $merge([a, b])
JSON.stringify String str toString | $string
JSON.parse | a tool's JSON text is already parsed; for other text write $parseJson(text)
Math.floor | $floor
Math.ceil | $ceil
Math.round | $round
Math.abs | $abs
Math.sqrt | $sqrt
Math.pow | $power
Math.random | $random
Math.max | write $max([a, b])
Math.min | write $min([a, b])
Array.isArray | $type… = "array"
Array.from | write [x]
Date.now | $millis
Number.parseInt parseInt parseFloat Number int float | $number
Boolean bool | $boolean
len length | write $count(items) or $length(text)
encodeURIComponent | $encodeUrlComponent
decodeURIComponent | $decodeUrlComponent
encodeURI | $encodeUrl
decodeURI | $decodeUrl
btoa | $base64encode
atob | $base64decode
isNaN | write $type(x) = "number"
sorted | $sort
range | write [0..9]
upper | $uppercase
lower | $lowercase
concat | write a & b
if | write condition ? value : other
coalesce | write a ?? b
size | $count
`)

// calls looks for a field that is called as a step of path, and returns whether
// it found one.
func (s *linter) calls(path *Node) bool {
	for i, step := range path.Args {
		if step.Kind != KindCall && step.Kind != KindPartial || !PlainField(step.Args[0]) || i == 0 {
			continue
		}
		name, before := step.Args[0].Args[0].Text, path.Args[i-1]
		if first := path.Args[0]; i == 1 && first.Kind == KindName && len(first.Stages) == 0 {
			if f, ok := Globals[first.Text+"."+name]; ok && !s.known(first.Text) {
				s.foreign(f, step, path.Start, first.Text+"."+name)
				return true
			}
		}
		f, ok := Methods[name]
		switch {
		case !ok && LookupBuiltin(name) != nil:
			f = Foreign{"$" + name, ""}
		case !ok:
			f.hint = s.functionHint(name)
		}
		if first := path.Args[0]; !ok && f.Rewrite == "" && i == 1 && s.nodeAt[path.Start] && len(first.Stages) == 0 && !s.known(first.Text) {
			s.foreign(Foreign{"", f.hint}, step, path.Start, first.Text+"."+name) // console.log(
			return true
		}
		if f.Rewrite == "" || step.Kind == KindPartial {
			s.foreign(Foreign{"", f.hint}, step, step.Start, "."+name)
			return true
		}
		fn, rest, _ := strings.Cut(f.Rewrite, "…")
		more := ", …"
		edits := diag.Insert(path.Start, fn+"(")
		if len(step.Args) > 1 {
			edits = append(edits, diag.Replace(before.End, step.Args[1].Start, ", ")...)
		} else {
			more = ""
			edits = append(edits, diag.Replace(before.End, s.callEnd(step)-1, "")...)
		}
		if rest != "" {
			edits = append(edits, diag.Insert(s.callEnd(step), rest)...)
		}
		s.report(lintCall, step.Start, step.Args[0].End, diag.Quote("."+name+"(")+" calls a field, and fields are not functions", "write "+fn+"(x"+more+")"+rest, edits...)
		return true
	}
	return false
}

// call looks for a lone name that is called.
func (s *linter) call(n *Node) {
	if !PlainField(n.Args[0]) {
		return
	}
	name := n.Args[0].Args[0].Text
	f, ok := Globals[name]
	switch {
	case LookupBuiltin(name) != nil:
		s.report(lintCall, n.Start, n.Args[0].End, diag.Quote(name)+" is a field, and fields are not functions", "write $"+name+"(…)", diag.Insert(n.Start, "$")...)
	case !ok:
		s.foreign(Foreign{"", s.functionHint(name)}, n, n.Start, name)
	case (name == "len" || name == "length") && len(n.Args) == 2 && s.counter(n.Args[1]) != "":
		s.foreign(Foreign{s.counter(n.Args[1]), ""}, n, n.Start, name)
	default:
		s.foreign(f, n, n.Start, name)
	}
}

// foreign reports the call n of a function of another language, which is
// spelled from start on.
func (s *linter) foreign(f Foreign, n *Node, start int, name string) {
	var edits []diag.TextEdit
	hint := f.hint
	if fn, rest, _ := strings.Cut(f.Rewrite, "…"); fn != "" {
		hint = "write " + fn + "(…)" + rest
		edits = diag.Replace(start, n.Args[0].End, fn)
		if rest != "" {
			edits = append(edits, diag.Insert(s.callEnd(n), rest)...)
		}
	}
	s.report(lintCall, start, n.Args[0].End, diag.Quote(name)+" is a field, and fields are not functions", hint, edits...)
}

// functionHint says what may have been meant by the function name.
func (s *linter) functionHint(name string) string {
	if near := diag.Closest(name, FunctionNames()); near != "" {
		return "write $" + near + "(…)"
	}
	return "functions are called with \"$\": $" + diag.Excerpt(name) + "(…)"
}

// callEnd returns the end of a call's closing parenthesis, without what follows
// in brackets.
func (s *linter) callEnd(n *Node) int {
	pos := n.Args[0].End
	if len(n.Args) > 1 {
		pos = n.Args[len(n.Args)-1].End
	}
	for l := (lexer{src: s.ast.Source, pos: pos}); ; {
		if t := l.next(true); t.kind == lexCloseParen || t.kind == lexEnd {
			return t.end
		}
	}
}
