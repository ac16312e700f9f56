package drafting

import (
	"slices"
	"strconv"
	"strings"

	"github.com/patchbay-mcp/patchbay/expr"
	"github.com/patchbay-mcp/patchbay/graph"
)

// loop adds one node for the longest row of calls from i on, of the same tool, over the
// items of an earlier list. It returns how many these are; 0 is none.
func (d *drafter) loop(i int) int {
	if d.o.NoLoops {
		return 0
	}
	n := 1
	for i+n < len(d.calls) && d.calls[i+n].Server == d.calls[i].Server && d.calls[i+n].Tool == d.calls[i].Tool {
		n++
	}
	for ; n > 1; n-- {
		if d.foldLoop(d.calls[i : i+n]) {
			return n
		}
	}
	return 0
}

// foldLoop adds one node for some calls, if their arguments differ only by what the items of
// one list say.
func (d *drafter) foldLoop(calls []Call) bool {
	given := make([]any, len(calls))
	for i := range calls {
		given[i] = calls[i].Arguments
	}
	varying, ok := differing(given)
	if !ok || len(varying) == 0 {
		return false
	}
	for _, of := range slices.Backward(d.out.lists) {
		for _, over := range d.sublists(of, len(calls)) {
			if exprs := d.readers(over, varying); exprs != nil {
				d.sameInAll(over, calls, exprs)
				d.addLoop(calls, over, exprs)
				return true
			}
		}
	}
	return false
}

func (d *drafter) addLoop(calls []Call, over *list, exprs map[string]string) {
	c := &calls[0]
	id := d.nodeIDs.take(c.Tool)
	args := d.arguments(id, c, exprs)
	d.nodes = append(d.nodes, node{id: id, of: &c.Callee, args: args, items: over.expr})
	results := make([]any, len(calls))
	for i := range calls {
		if results[i] = calls[i].Result; results[i] == nil {
			results[i] = expr.Null()
		}
	}
	d.out.add(len(d.nodes)-1, id, results)
	d.loops = true
	d.result = results
	d.schema = graph.Members{{Key: "type", Value: "array"}, {Key: "items", Value: itemSchema(c)}}
	if over.part != "" {
		d.positions = append(d.positions, id+" runs over "+over.part)
	}
}

// itemSchema is the schema of what one of several calls returns.
func itemSchema(c *Call) any {
	if c.Result == nil {
		return graph.Members{}
	}
	return outputSchema(&c.Callee, c.Result)
}

// A variable is a part of arguments that differs from call to call.
type variable struct {
	path   string
	values []any
}

// differing lists what differs between values, which are arguments. It is not ok where
// they do not have the same form.
func differing(values []any) (list []variable, ok bool) {
	ok = true
	var walk func(path string, values []any)
	walk = func(path string, values []any) {
		equal, objects, lists := true, true, true
		for _, v := range values {
			equal = equal && canonical(v) == canonical(values[0])
			o, isObject := v.(expr.Object)
			l, isList := v.([]any)
			objects = objects && isObject && sameKeys(o, values[0])
			lists = lists && isList && sameLen(l, values[0])
		}
		switch {
		case equal:
		case objects:
			for _, key := range values[0].(expr.Object).Keys() {
				members := make([]any, len(values))
				for i, v := range values {
					members[i], _ = v.(expr.Object).Get(key)
				}
				walk(strings.TrimPrefix(path+"."+key, "."), members)
			}
		case lists:
			for i := range values[0].([]any) {
				items := make([]any, len(values))
				for j, v := range values {
					items[j] = v.([]any)[i]
				}
				walk(path+"."+strconv.Itoa(i), items)
			}
		case path == "":
			ok = false
		default:
			list = append(list, variable{path, values})
		}
	}
	walk("", values)
	return list, ok
}

func sameKeys(o expr.Object, as any) bool {
	other, ok := as.(expr.Object)
	if !ok || o.Len() != other.Len() {
		return false
	}
	for _, key := range other.Keys() {
		if _, has := o.Get(key); !has {
			return false
		}
	}
	return true
}

func sameLen(l []any, as any) bool {
	other, ok := as.([]any)
	return ok && len(l) == len(other)
}
