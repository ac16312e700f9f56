package drafting

import (
	"encoding/json"
	"fmt"
	"path"
	"regexp"
	"strconv"
	"strings"

	"github.com/patchbay-mcp/patchbay/expr"
	"github.com/patchbay-mcp/patchbay/internal/sys/lists"
	"github.com/patchbay-mcp/patchbay/types"
)

const (
	maxFilters  = 24
	leastPrefix = 3 // items: two may be first by chance
)

// sublists are a list or a part of it that has so many items: those that satisfy a
// condition, and else the first ones.
func (d *drafter) sublists(of *list, n int) []*list {
	if len(of.items) == n {
		return []*list{of}
	}
	if len(of.items) < n {
		return nil
	}
	found := lists.Only(d.parts(of), func(part *list) bool { return len(part.items) == n })
	if n >= leastPrefix {
		found = append(found, &list{
			expr: fmt.Sprintf("%s[[0..%d]]", of.expr, n-1), items: of.items[:n], node: of.node,
			part: fmt.Sprintf("the first %d of %d", n, len(of.items)),
		})
	}
	return found
}

// parts are the parts of a list that satisfy a condition.
func (d *drafter) parts(of *list) []*list {
	if of.filtered != nil {
		return of.filtered
	}
	of.filtered = []*list{}
	for _, filter := range filters(of.items) {
		part := &list{expr: of.expr + filter, node: of.node}
		if d.secret(part.expr) {
			continue
		}
		if part.items, _ = d.out.eval(part.expr).([]any); len(part.items) > 1 {
			of.filtered = append(of.filtered, part)
		}
	}
	return of.filtered
}

var marked = regexp.MustCompile(`^\[[A-Za-z]+\]`)

// filters are conditions that some of the items satisfy.
func filters(items []any) []string {
	var list []string
	seen := map[string]bool{}
	add := func(filter string) {
		if !seen[filter] && len(list) < maxFilters {
			seen[filter] = true
			list = append(list, filter)
		}
	}
	for _, item := range items {
		switch v := item.(type) {
		case string:
			add(`[$ != ""]`)
			mark := marked.FindString(v)
			if mark != "" {
				add("[$contains(" + types.QuoteString(mark) + ")]")
			}
			if ext := path.Ext(v); len(ext) > 1 && len(ext) < 8 && !strings.ContainsAny(ext, " /\\") {
				add("[$contains(/" + regexp.QuoteMeta(mark) + ".*" + regexp.QuoteMeta(ext) + "$/)]")
			}
		case expr.Object:
			for _, key := range v.Keys() {
				if member, _ := v.Get(key); literal(member) != "" {
					add("[" + types.QuoteName(key) + " = " + literal(member) + "]")
				}
			}
		}
	}
	return list
}

// literal is a scalar as an expression writes it; "" for any other value, and long texts.
func literal(v expr.Value) string {
	switch v := v.(type) {
	case string:
		if len(v) <= 30 && valueStrength(v) != meaningless {
			return types.QuoteString(v)
		}
	case bool:
		return strconv.FormatBool(v)
	case float64, json.Number:
		if b, err := expr.Encode(v); err == nil {
			return string(b)
		}
	}
	return ""
}
