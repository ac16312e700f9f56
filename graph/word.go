package graph

import (
	"strings"

	"github.com/patchbay-mcp/patchbay/diag"
)

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
	x.Fixes = []diag.Fix{v.Replace("write "+written, meant), v.Replace("put it in quotes", n.text)}
}
