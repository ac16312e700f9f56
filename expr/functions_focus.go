package expr

import (
	"encoding/json"

	"github.com/patchbay-mcp/patchbay/types"
)

// withFocus returns fn, to which the context is given as the first argument where
// JSONata's signature of name says so: when what is given fits only so.
func withFocus(name string, fn function) function {
	params, _ := signatureOf(name)
	if len(params) == 0 || !params[0].context {
		return fn
	}
	rest := params[1:]
	return func(args []any, focus any, f frame) (any, error) {
		if len(args) >= len(params) || len(args) > 0 && takes(params, args) || !takes(rest, args) {
			return fn(args, focus, f)
		}
		if !params[0].takes(focus) {
			e := fail("T0411", "$%s takes %s, and as it is given none, the context; that is %s", name, params[0].words, describeValue(focus))
			return nil, e
		}
		given := make([]any, 0, len(params))
		return fn(append(append(given, focus), args...), focus, f)
	}
}

// takes reports whether args are what params say, in order.
func takes(params []param, args []any) bool {
	if len(params) == 0 || len(args) == 0 {
		return len(args) == 0 && required(params) == 0
	}
	return params[0].takes(args[0]) && takes(params[1:], args[1:]) || params[0].optional && takes(params[1:], args)
}

// takes reports whether v is of one of p's types. Undefined is of all but that of
// functions.
func (p param) takes(v any) bool {
	kind := types.Function
	switch v := v.(type) {
	case nil:
		return p.kinds != types.Function
	case string:
		kind = types.String
	case float64, json.Number:
		kind = types.Number
	case bool:
		kind = types.Boolean
	case []any:
		kind = types.Array
	case Object:
		kind = types.Object
	case map[string]any:
		if !isRegex(v) {
			kind = types.Object
		}
	default:
		if IsNull(v) {
			kind = types.Null
		} else if items, ok := natives().items(v); ok {
			return p.takes(collapse(items))
		}
	}
	return p.kinds&kind != 0
}
