package graph

import (
	"strings"

	"github.com/patchbay-mcp/patchbay/diag"
)

// A Kind is what a value is. There are JSON's kinds, and Absent.
type Kind int

// The kinds.
const (
	Absent Kind = iota
	Null
	Boolean
	Number
	String
	Array
	Object
)

var kindNames = [...]string{"nothing", "null", "a boolean", "a number", "text", "a list", "a map"}

// String returns the kind as a sentence names it: "a list", "text", "nothing".
func (k Kind) String() string { return kindNames[k] }

// plainKind is what an unquoted scalar means: JSON's numbers, true, false and
// null, an absent value as null, and text for everything else.
func plainKind(text string) Kind {
	switch text {
	case "", "null":
		return Null
	case "true", "false":
		return Boolean
	}
	if isNumber(text) {
		return Number
	}
	return String
}

// isNumber reports whether s matches RFC 8259's grammar of a number.
func isNumber(s string) bool {
	s = strings.TrimPrefix(s, "-")
	whole := digits(s)
	if whole == 0 || whole > 1 && s[0] == '0' {
		return false
	}
	s = s[whole:]
	if strings.HasPrefix(s, ".") {
		n := digits(s[1:])
		if n == 0 {
			return false
		}
		s = s[1+n:]
	}
	if s != "" && (s[0] == 'e' || s[0] == 'E') {
		s = s[1:]
		if s != "" && (s[0] == '+' || s[0] == '-') {
			s = s[1:]
		}
		n := digits(s)
		return n > 0 && n == len(s)
	}
	return s == ""
}

func digits(s string) int {
	n := 0
	for n < len(s) && s[n] >= '0' && s[n] <= '9' {
		n++
	}
	return n
}

var ruleWord = diag.Define("yaml-word", diag.Note, "A value is ~, True or another of YAML's spellings of null, true and false, without quotes. "+
	"A document has JSON's data model, in which it is a string: only null, true and false in lower case are not.")

// yamlWords are what YAML takes for null, true or false, and JSON does not.
var yamlWords = map[string]any{
	"~": nil, "Null": nil, "NULL": nil,
	"True": true, "TRUE": true, "False": false, "FALSE": false,
}

// word reports a plain scalar that YAML readers take for null, true or false.
func (r *yamlReader) word(n *node) {
	meant, ok := yamlWords[n.text]
	if !ok || len(r.list) >= maxFaults {
		return
	}
	v := Value{n}
	written := "null"
	if meant != nil {
		written = strings.ToLower(n.text)
	}
	x := r.list.Report(ruleWord, v.Path(), v.Range(), "%s is a string here, not %s", n.text, written)
	x.Hint = "write " + written + ", or put the string in quotes"
	x.Offer(v.Replace("write "+written, meant), v.Replace("put it in quotes", n.text))
}
