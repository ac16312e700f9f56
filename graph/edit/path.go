package edit

import (
	"encoding/json"
	"slices"
	"strconv"
	"strings"

	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/graph"
)

// setPath sets, adds or (with null) removes the value at a path below a value:
// a JSON Pointer, or names joined by dots.
func (e *Editor) setPath(v graph.Value, path string, value json.RawMessage) *diag.Fault {
	steps := splitPath(path)
	if len(steps) == 0 {
		return diag.BadArgument("/path", `such as "description" or "inputSchema.properties.dir"`, "the path is empty")
	}
	for i, step := range steps {
		last := i == len(steps)-1
		member := child(v, step)
		switch {
		case member.Exists() && last:
			if string(value) == "null" || len(value) == 0 {
				e.change(member.Remove(""))
			} else {
				e.change(member.Replace("", value))
			}
			return nil
		case member.Exists():
			v = member
		case v.Is(graph.Object):
			if string(value) == "null" || len(value) == 0 {
				return nil
			}
			e.change(v.Insert("", step, nested(steps[i+1:], value), ""))
			return nil
		case v.Is(graph.Array) && last && (step == "-" || step == strconv.Itoa(v.Len())):
			e.change(v.Append("", value))
			return nil
		default:
			return diag.BadArgument("/path", "", "there is nothing at %q of the path %q", step, path)
		}
	}
	return nil
}

func splitPath(path string) []string {
	if !strings.HasPrefix(path, "/") {
		return strings.FieldsFunc(path, func(r rune) bool { return r == '.' })
	}
	steps := strings.Split(path[1:], "/")
	for i, s := range steps {
		steps[i] = diag.UnescapePointer(s)
	}
	return steps
}

func child(v graph.Value, step string) graph.Value {
	if i, err := strconv.Atoi(step); err == nil && v.Is(graph.Array) && i >= 0 && i < v.Len() {
		return v.Items()[i]
	}
	return v.Get(step)
}

// nested wraps a value in the objects a path still names.
func nested(steps []string, value json.RawMessage) any {
	var v any = value
	for _, step := range slices.Backward(steps) {
		v = graph.Members{{Key: step, Value: v}}
	}
	return v
}
