package graph

import (
	"fmt"
	"strings"

	"go.yaml.in/yaml/v4"

	"github.com/patchbay-mcp/patchbay/diag"
)

var ruleAlias = diag.Define("alias", diag.Error, "YAML's anchors, aliases, merge keys and tags are not part of the format. "+
	"A document has JSON's data model, so that it means the same to every reader; write the value out.")

// alias reads *name: a scalar's value is copied, anything else is null.
func (r *yamlReader) alias(n *node) {
	n.style, n.kind = alias, uint8(Null)
	name := n.text
	n.text = ""
	n.end = n.start + 1
	src := r.doc.Src
	for !spaceAt(src, int(n.end)) && !flowIndicator(src[n.end]) {
		n.end++
	}
	target := r.anchors[name]
	if target != nil && Kind(target.kind) != Array && Kind(target.kind) != Object {
		n.kind, n.text = target.kind, target.text
	}
	if len(r.list) >= maxFaults {
		return
	}
	x := r.list.Report(ruleAlias, Value{n}.Path(), Value{n}.Range(), "the YAML alias %q is not part of the format", "*"+name)
	x.Hint = fmt.Sprintf("write out here what &%s names", name)
	if target != nil {
		x.Related = []diag.Related{{Path: Value{target}.Path(), Range: Value{target}.Range(), Message: "the value that it names"}}
	}
}

// properties returns the offset after the tag and anchor at i.
func (r *yamlReader) properties(n *node, i int) int {
	src := r.doc.Src
	for i < len(src) && (src[i] == '!' || src[i] == '&') {
		n.prop = true
		for !spaceAt(src, i) && (!flowIndicator(src[i]) || strings.HasPrefix(src[int(n.start):], "!<")) {
			i++
		}
		end := i
		next := skipSpace(src, i, false)
		if n.style == empty && (next >= len(src) || src[next] != '!' && src[next] != '&') {
			return end
		}
		i = next
	}
	return i
}

// property reports the tag or anchor of n, which starts at offset at.
func (r *yamlReader) property(n *node, y *yaml.Node, at int) {
	if y.Anchor != "" {
		r.anchors[y.Anchor] = n
	}
	if len(r.list) >= maxFaults {
		return
	}
	src := r.doc.Src
	end := at
	for !spaceAt(src, end) && !flowIndicator(src[end]) {
		end++
	}
	what := "tag"
	if src[at] == '&' {
		what = "anchor"
	}
	x := r.list.Report(ruleAlias, Value{n}.Path(), r.doc.lines.span(at, end), "the YAML %s %q is not part of the format", what, src[at:end])
	x.Hint = "remove it"
	if what == "tag" {
		x.Hint = "remove it; to make a value text, put it in quotes"
	}
}
