package expr

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/patchbay-mcp/patchbay/jsonata"
	"github.com/patchbay-mcp/patchbay/types"
)

// A fact is what a condition says of a value where it holds: only what keep leaves
// of its shape.
type fact struct {
	key  string
	keep func(types.Type) types.Type
}

// key names the value that a variable or a plain path reads, the same for every
// place that reads it, or is "".
func (in *inferrer) key(n *jsonata.Node) string {
	if keys := in.keys(n); len(keys) > 0 && (n.Kind != jsonata.KindPath || len(keys) == len(n.Args)) {
		return keys[len(keys)-1]
	}
	return ""
}

// prefixes are the keys of the steps of a path, as far as they are plain; none
// where no fact is known.
func (in *inferrer) prefixes(n *jsonata.Node) []string {
	if len(in.facts) == 0 {
		return nil
	}
	return in.keys(n)
}

func (in *inferrer) keys(n *jsonata.Node) []string {
	if n.Bare(jsonata.KindVariable) {
		return []string{in.start(n)}
	}
	if n.Kind != jsonata.KindPath {
		return nil
	}
	var keys []string
	for i, step := range n.Args {
		index := ""
		if len(step.Stages) == 1 && step.Stages[0].Bare(jsonata.KindNumber) {
			index = fmt.Sprint("[", step.Stages[0].Number, "]")
		}
		if len(step.Stages) > 0 && index == "" || step.Group != nil || step.Focus != nil || step.Index != nil || step.KeepArray {
			break
		}
		switch {
		case i == 0 && step.Kind == jsonata.KindVariable:
			keys = append(keys, in.start(step))
		case i == 0 && step.Kind == jsonata.KindName:
			keys = append(keys, in.context()+"."+step.Text)
		case step.Kind == jsonata.KindName:
			keys = append(keys, keys[i-1]+"."+step.Text)
		default:
			return keys
		}
		keys[i] += index
	}
	return keys
}

func (in *inferrer) context() string { return "#" + strconv.Itoa(in.contextID) }

func (in *inferrer) start(v *jsonata.Node) string {
	switch v.Text {
	case "":
		return in.context()
	case "$":
		return "#0"
	}
	return v.Text
}

// known applies the facts about a value to its shape.
func (in *inferrer) known(key string, s types.Type) types.Type {
	for _, f := range in.facts {
		if f.key == key {
			s = f.keep(s)
		}
	}
	return s
}

func (in *inferrer) fact(n *jsonata.Node, s types.Type) types.Type {
	if len(in.facts) == 0 {
		return s
	}
	return in.known(in.start(n), s)
}

// ran reports whether the node has run, by the conditions around.
func (in *inferrer) ran(id string) bool {
	return in.known("#0."+id, types.Of(types.Undefined)).Kinds == 0
}

// elsewhere begins what is evaluated in another context, and returns what ends it.
func (in *inferrer) elsewhere() func() {
	was := in.contextID
	in.contexts++
	in.contextID = in.contexts
	return func() { in.contextID = was }
}

// forget drops the facts about variables that parameters hide, and returns the
// function that restores them.
func (in *inferrer) forget(params []*jsonata.Node) func() {
	was := in.facts
	for _, p := range params {
		in.drop(p.Text)
	}
	return func() { in.facts = was }
}

// drop forgets the facts about a variable and its fields.
func (in *inferrer) drop(name string) {
	about := func(f fact) bool { return f.key == name || strings.HasPrefix(f.key, name+".") }
	if slices.ContainsFunc(in.facts, about) {
		in.facts = slices.DeleteFunc(slices.Clone(in.facts), about)
	}
}

func (in *inferrer) add(key string, keep func(types.Type) types.Type) {
	if name, _, _ := strings.Cut(key, "."); in.rebound(name) {
		return
	}
	in.facts = append(slices.Clip(in.facts), fact{key, keep})
}

// learn adds what a condition says when it holds, or does not, and reports whether
// that is all it says of types.
func (in *inferrer) learn(c *jsonata.Node, holds bool) bool {
	if len(c.Stages) > 0 || c.Group != nil {
		return false
	}
	switch c.Kind {
	case jsonata.KindBlock:
		return len(c.Args) == 1 && in.learn(c.Args[0], holds)
	case jsonata.KindPath, jsonata.KindVariable:
		if holds {
			return in.present(c, func(s types.Type) types.Type { return s.Without(types.Undefined | types.Null) })
		}
		return true
	case jsonata.KindCall:
		return in.learnCall(c, holds)
	case jsonata.KindBinary:
		if holds && slices.Contains([]string{"=", "!=", "<", "<=", ">", ">=", "in"}, c.Text) { // no comparison with nothing does
			in.defined(c.Args[0])
			in.defined(c.Args[1])
		}
		switch c.Text {
		case "and", "or":
			if holds != (c.Text == "and") {
				return false
			}
			l := in.learn(c.Args[0], holds)
			return in.learn(c.Args[1], holds) && l
		case "=", "!=":
			return in.learnEqual(c.Args[0], c.Args[1], holds == (c.Text == "=")) || in.learnEqual(c.Args[1], c.Args[0], holds == (c.Text == "="))
		case ">", ">=":
			return in.learnCount(c.Args[0], c.Args[1], c.Text, holds)
		case "in":
			return in.learnIn(c.Args[0], c.Args[1], holds)
		}
	}
	return false
}

// defined adds that there is a value to compare.
func (in *inferrer) defined(n *jsonata.Node) {
	if name, ok := n.Callee(); ok && name == "length" && len(n.Args) == 2 {
		n = n.Args[1]
	}
	in.present(n, func(s types.Type) types.Type { return s.Without(types.Undefined) })
}

// present adds that a value is there, and what it is read from.
func (in *inferrer) present(n *jsonata.Node, keep func(types.Type) types.Type) bool {
	key := in.key(n)
	if key == "" {
		return false
	}
	keys := in.keys(n)
	for _, k := range keys[:len(keys)-1] {
		in.add(k, func(s types.Type) types.Type { return s.Without(types.Undefined | types.Null) })
	}
	in.add(key, keep)
	return true
}

func (in *inferrer) learnCall(c *jsonata.Node, holds bool) bool {
	name, _ := c.Callee()
	if len(c.Args) != 2 {
		return false
	}
	switch name {
	case "not":
		return in.learn(c.Args[1], !holds)
	case "boolean":
		return in.learn(c.Args[1], holds)
	case "exists":
		if holds {
			return in.present(c.Args[1], func(s types.Type) types.Type { return s.Without(types.Undefined) })
		}
		if key := in.key(c.Args[1]); key != "" {
			in.add(key, func(s types.Type) types.Type { return s.Limit(types.Undefined) })
			return true
		}
	}
	return false
}

var typeKinds = map[string]types.Kind{
	"string": types.String, "number": types.Number, "boolean": types.Boolean, "null": types.Null, "array": types.Array, "object": types.Object, "function": types.Function,
}

// learnEqual adds what the equality of a value and a literal says.
func (in *inferrer) learnEqual(l, r *jsonata.Node, equal bool) bool {
	var want types.Type
	switch r.Kind {
	case jsonata.KindString:
		want = types.Texts(r.Text)
	case jsonata.KindNumber:
		want = types.Of(types.Number)
	case jsonata.KindBool:
		want = types.Of(types.Boolean)
	case jsonata.KindNull:
		want = types.Of(types.Null)
	default:
		return false
	}
	if name, ok := l.Callee(); ok && len(l.Args) == 2 && len(l.Stages) == 0 {
		arg := l.Args[1]
		switch {
		case name == "type" && r.Kind == jsonata.KindString:
			return in.learnType(arg, typeKinds[r.Text], equal)
		case name == jsonata.ViaExecutionCount && arg.Kind == jsonata.KindString && r.Kind == jsonata.KindNumber && r.Number == 0:
			return in.learnRun(arg.Text, !equal)
		case r.Kind == jsonata.KindBool && (name == "exists" || name == "not" || name == "boolean"):
			return in.learnCall(l, equal == (r.Text == "true"))
		case name == "count" && r.Kind == jsonata.KindNumber && (equal && r.Number > 0 || !equal && r.Number == 0):
			in.defined(arg)
		}
		return false
	}
	switch {
	case equal:
		return in.present(l, func(s types.Type) types.Type { return s.And(want) })
	case r.Kind == jsonata.KindNull:
		if key := in.key(l); key != "" {
			in.add(key, func(s types.Type) types.Type { return s.Without(types.Null) })
			return true
		}
		return false
	}
	key := in.key(l)
	if r.Kind == jsonata.KindString && key != "" {
		in.add(key, func(s types.Type) types.Type { return s.WithoutText(r.Text) })
	}
	return key != ""
}

func (in *inferrer) learnType(n *jsonata.Node, k types.Kind, is bool) bool {
	if is {
		return in.present(n, func(s types.Type) types.Type { return s.And(types.Of(k)) })
	}
	key := in.key(n)
	if key != "" {
		in.add(key, func(s types.Type) types.Type { return s.Without(k) })
	}
	return key != ""
}

// learnIn adds what "$type(x) in [...]" says.
func (in *inferrer) learnIn(l, r *jsonata.Node, holds bool) bool {
	if of, ok := r.Callee(); ok && of == "keys" && len(r.Args) == 2 && l.Kind == jsonata.KindString && holds {
		if key := in.key(r.Args[1]); key != "" {
			in.add(key+"."+l.Text, func(s types.Type) types.Type { return s.Without(types.Undefined) })
		}
	}
	name, ok := l.Callee()
	if !ok || name != "type" || len(l.Args) != 2 || r.Kind != jsonata.KindArray {
		return false
	}
	k := types.Kind(0)
	for _, item := range r.Args {
		if item.Kind != jsonata.KindString {
			return false
		}
		k |= typeKinds[item.Text]
	}
	return in.learnType(l.Args[1], k, holds)
}

// learnCount adds what "$executionCount(id) > 0" and "$count(x) > 0" say.
func (in *inferrer) learnCount(l, r *jsonata.Node, op string, holds bool) bool {
	name, ok := l.Callee()
	if !ok || len(l.Args) != 2 || r.Kind != jsonata.KindNumber || op == ">" && r.Number < 0 || op == ">=" && r.Number < 1 {
		return false
	}
	least := op == ">" && r.Number == 0 || op == ">=" && r.Number == 1
	switch {
	case name == jsonata.ViaExecutionCount && l.Args[1].Kind == jsonata.KindString && (holds || least):
		return in.learnRun(l.Args[1].Text, holds)
	case name == "count" && holds:
		return in.present(l.Args[1], func(s types.Type) types.Type { return s.Without(types.Undefined) })
	}
	return false
}

// learnRun adds that a node has run, or has not.
func (in *inferrer) learnRun(id string, has bool) bool {
	in.add("#0."+id, func(s types.Type) types.Type {
		if has {
			return s.Without(types.Undefined)
		}
		return s.Limit(types.Undefined)
	})
	return true
}
