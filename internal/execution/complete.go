package execution

import (
	"context"
	"encoding/json"

	"github.com/patchbay-mcp/patchbay/expr"
	"github.com/patchbay-mcp/patchbay/internal/request"
	"github.com/patchbay-mcp/patchbay/run"
)

// What clients complete: see Candidates.
const (
	NodeIDs    = "node"
	GraphNames = "graph"
	RunIDs     = "run"
)

// maxCandidates is how many runs are looked through.
const maxCandidates = 1000

// Candidates returns the nodes, saved graphs or runs that the caller can name, in the order
// of the catalog, of their names, or the latest first.
func (cp *completion) Candidates(ctx context.Context, kind string) []string {
	var names []string
	switch kind {
	case NodeIDs:
		for _, s := range cp.execution.plans.Views.Snapshot(ctx).All() {
			names = append(names, s.ID())
		}
	case GraphNames:
		if cp.execution.plans.Saved == nil {
			return nil
		}
		list, _ := cp.execution.plans.Saved.List()
		for _, g := range list {
			if cp.execution.plans.Views.MayUseGraph(ctx, g.Name) {
				names = append(names, g.Name)
			}
		}
	case RunIDs:
		list, fault := cp.execution.Runner.List(run.Filter{Actor: request.ActorFrom(ctx), Project: cp.execution.projects(false), Limit: maxCandidates})
		if fault != nil {
			return nil
		}
		for _, r := range list {
			names = append(names, r.ID)
		}
	}
	return names
}

const (
	maxPaths  = 60
	pathDepth = 8
)

// Paths lists what can be read from a value of JSON, as "files[].name: string", in order.
func Paths(value json.RawMessage) []string {
	v, err := expr.Decode(value)
	if err != nil {
		return nil
	}
	return paths(v)
}

// paths lists what can be read from a value, as "files[].name: string", in order.
func paths(v expr.Value) []string {
	var out []string
	seen := map[string]bool{}
	var walk func(v expr.Value, at string, depth int)
	add := func(at, typ string) {
		if at == "" {
			at = "(output)"
		}
		line := at + ": " + typ
		if !seen[line] && len(out) <= maxPaths {
			seen[line] = true
			out = append(out, line)
		}
	}
	walk = func(v expr.Value, at string, depth int) {
		switch t := v.(type) {
		case expr.Object:
			if t.Len() == 0 || depth == pathDepth {
				add(at, "object")
			}
			for _, key := range t.Keys() {
				if depth == pathDepth || len(out) > maxPaths {
					return
				}
				member, _ := t.Get(key)
				walk(member, join(at, key), depth+1)
			}
		case []any:
			if len(t) == 0 {
				add(at, "array")
			}
			for _, item := range t[:min(len(t), 20)] {
				walk(item, at+"[]", depth+1)
			}
		default:
			add(at, expr.Type(v))
		}
	}
	walk(v, "", 0)
	if len(out) > maxPaths {
		out = append(out[:maxPaths], "…")
	}
	return out
}

func join(at, key string) string {
	if !isName(key) {
		key = "`" + key + "`"
	}
	if at == "" {
		return key
	}
	return at + "." + key
}

func isName(s string) bool {
	for i, r := range s {
		if r != '_' && (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') && (i == 0 || r < '0' || r > '9') {
			return false
		}
	}
	return s != ""
}
