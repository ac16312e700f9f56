package drafting

import (
	"slices"
	"strconv"
	"strings"

	"github.com/patchbay-mcp/patchbay/expr"
	"github.com/patchbay-mcp/patchbay/schema"
)

// readers are expressions for what varies, by path: of the item of a list, or of another
// list of the same length by its index. Nil if something is in none.
func (d *drafter) readers(over *list, varying []variable) map[string]string {
	exprs := map[string]string{}
	reads := false // the item itself
	for _, v := range varying {
		e := d.reader("$item", over.items, v.values)
		reads = reads || e != ""
		for j := len(d.out.lists) - 1; j >= 0 && e == ""; j-- {
			if other := d.out.lists[j]; len(other.items) == len(over.items) {
				e = d.reader(other.expr+"[$index]", other.items, v.values)
			}
		}
		if e == "" {
			return nil
		}
		exprs[v.path] = e
	}
	if !reads {
		return nil
	}
	return exprs
}

// sameInAll adds what is the same in the arguments of all calls, and in all items of the
// list: that of the item of each call is meant, unless it was an argument of the graph
// before.
func (d *drafter) sameInAll(over *list, calls []Call, exprs map[string]string) {
	var walk func(name, path string, v expr.Value, s *schema.Node)
	walk = func(name, path string, v expr.Value, s *schema.Node) {
		s = s.Resolve()
		switch v := v.(type) {
		case expr.Object:
			for key, member := range v.All() {
				walk(key, strings.TrimPrefix(path+"."+key, "."), member, s.Property(key))
			}
			return
		case []any:
			for i := range v {
				walk(name, path+"."+strconv.Itoa(i), v[i], s.Get("items"))
			}
			return
		}
		if exprs[path] != "" || isChoice(s.Raw()) || d.known(name, v, s) != nil {
			return
		}
		for _, w := range waysInto("$item", over.items[0]) {
			at := strings.LastIndexByte(w.expr, '.')
			if at < 0 || valueStrength(v) != strong && !namesFit(name, w.expr[at:]) {
				continue
			}
			all := true
			for _, item := range over.items {
				all = all && canonical(w.get(item)) == canonical(v)
			}
			if all && !d.secret(w.expr) {
				exprs[path] = w.expr
				return
			}
		}
	}
	walk("", "", calls[0].Arguments, calls[0].Input.Root())
}

// reader is the expression of an item that gives each of the values: the item, what is in
// it, or that between texts that are the same for all. "" is none.
func (d *drafter) reader(of string, items, values []any) string {
	for _, r := range waysInto(of, items[0]) {
		read := make([]any, len(items))
		for i := range items {
			read[i] = r.get(items[i])
		}
		if e, ok := d.around(r.expr, read, values); ok {
			return e
		}
	}
	return ""
}

// around is an expression with what the values have before and after what was read.
func (d *drafter) around(e string, read, values []any) (string, bool) {
	equal := true
	for i := range values {
		equal = equal && read[i] != nil && canonical(read[i]) == canonical(values[i])
	}
	if equal {
		return e, !d.secret(e)
	}
	first, ok := read[0].(string)
	whole, text := values[0].(string)
	if !ok || !text || first == "" {
		return "", false
	}
	before, after, found := strings.Cut(whole, first)
	for i := range values {
		part, isText := read[i].(string)
		if !found || !isText || part == "" || values[i] != any(before+part+after) {
			return "", false
		}
	}
	return d.join(before, e, after)
}

// A way is a way to read something of an item.
type way struct {
	expr string
	get  func(item any) any
}

const wayDepth = 3 // of members

// waysInto are the ways to read something of items like one.
func waysInto(of string, like any) []way {
	ways := []way{{of, func(v any) any { return v }}}
	if _, ok := like.(string); ok {
		for _, p := range parts {
			ways = append(ways, way{p.expr(of), func(v any) any {
				if text, ok := v.(string); ok {
					if value, ok := p.of(text); ok {
						return value
					}
				}
				return nil
			}})
		}
		return ways
	}
	var walk func(at way, v any, depth int)
	walk = func(at way, v any, depth int) {
		o, ok := v.(expr.Object)
		if !ok || depth == 0 {
			return
		}
		for _, key := range o.Keys() {
			next := way{step(at.expr, key), func(v any) any {
				if o, ok := at.get(v).(expr.Object); ok {
					member, _ := o.Get(key)
					return member
				}
				return nil
			}}
			ways = append(ways, next)
			member, _ := o.Get(key)
			walk(next, member, depth-1)
		}
	}
	walk(ways[0], like, wayDepth)
	return ways
}

// projected looks for a list whose items are made of those of an earlier one: a member of
// each, a part of each line, or these between texts that are the same for all.
func (d *drafter) projected(values []any) *wiring {
	if len(values) < 2 {
		return nil
	}
	for _, of := range slices.Backward(d.out.lists) {
		for _, over := range d.sublists(of, len(values)) {
			e := d.reader("$", over.items, values)
			if e == "" || over.part != "" {
				continue
			}
			if path, plain := strings.CutPrefix(e, "$."); plain && !strings.Contains(e, " ") {
				e = "[" + over.expr + "." + path + "]"
			} else {
				e = "[" + over.expr + ".(" + strings.ReplaceAll(e, "$.entry.", "$$.entry.") + ")]"
			}
			if d.has(e, values) {
				return &wiring{expr: e}
			}
		}
	}
	return nil
}

// has reports whether an expression has a value.
func (d *drafter) has(e string, v expr.Value) bool { return canonical(d.out.eval(e)) == canonical(v) }
