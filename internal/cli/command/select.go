package command

import (
	"context"
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/engine"
	"github.com/patchbay-mcp/patchbay/expr"
	"github.com/patchbay-mcp/patchbay/internal/execution"
	"github.com/patchbay-mcp/patchbay/internal/sys/plainjson"
)

// selected is what --field or --query takes of a result.
func (o *output) selected(ctx context.Context, v any) (json.RawMessage, error) {
	b, err := plainjson.Marshal(v)
	if err != nil {
		return nil, err
	}
	if o.Query == "" {
		return fieldAt(b, o.Field)
	}
	context, err := expr.Decode(b)
	if err != nil {
		return nil, err
	}
	p, fault := expr.Compile(o.Query)
	if fault != nil {
		return nil, &diag.Fault{Code: execution.CodeExprSyntax, Path: "--query", Message: fault.Message, Hint: fault.Hint}
	}
	out, err := p.Eval(ctx, expr.NewScopeWith(context, nil, expr.Limits{}))
	if err != nil {
		return nil, &diag.Fault{Code: engine.CodeExpressionFailed, Path: "--query", Message: err.Error()}
	}
	return expr.Encode(out)
}

// pathStep is a name or an index of a path: runs[0].run_id, or runs.0.run_id.
var pathStep = regexp.MustCompile(`^\.?([^.\[\]]+)|^\[(\d+)\]`)

// fieldAt returns the value at a path within JSON.
func fieldAt(value json.RawMessage, path string) (json.RawMessage, error) {
	for at := path; at != ""; {
		step := pathStep.FindStringSubmatch(at)
		if step == nil {
			return nil, Misuse("--field", fmt.Sprintf("%q is not a path", path), "write it as runs[0].run_id")
		}
		name := step[1] + step[2]
		next, choices := member(value, name)
		if next == nil {
			done := path[:len(path)-len(at)]
			return nil, missingField(name, done, choices)
		}
		value, at = next, at[len(step[0]):]
	}
	return value, nil
}

// member returns a member of an object or an item of a list, or which there are.
func member(value json.RawMessage, name string) (json.RawMessage, []string) {
	var object map[string]json.RawMessage
	if json.Unmarshal(value, &object) == nil && object != nil {
		names := make([]string, 0, len(object))
		for key := range object {
			names = append(names, key)
		}
		slices.Sort(names)
		return object[name], names
	}
	var list []json.RawMessage
	if json.Unmarshal(value, &list) != nil {
		return nil, nil
	}
	if len(list) == 0 {
		return nil, []string{}
	}
	i, err := strconv.Atoi(name)
	if err != nil || i < 0 || i >= len(list) {
		return nil, []string{fmt.Sprintf("0 to %d", len(list)-1)}
	}
	return list[i], nil
}

func missingField(name, within string, choices []string) error {
	f := &diag.Fault{Code: diag.CodeBadArgument, Path: "--field", Message: fmt.Sprintf("the result has no field %q", name), Suggestions: diag.Closer(name, choices, 3)}
	if within != "" {
		f.Message = fmt.Sprintf("%s has no field %q", strings.TrimSuffix(within, "."), name)
	}
	if len(choices) > 0 {
		f.Hint = "the fields are " + diag.OneOf(choices, 20)
	} else if choices != nil {
		f.Hint = "it is empty"
	}
	return f
}
