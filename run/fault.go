package run

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/expr"
)

// Ended is the cause that ends the branches for which nobody waits with the graph that
// they are of.
func Ended() *diag.Fault {
	return &diag.Fault{Code: "cancelled", Message: "stopped because the graph has ended, and nobody waits for the branch"}
}

// AsFault gives any error of a run the shape of a fault, with a message of bounded
// length.
func AsFault(err error) *diag.Fault {
	if f, ok := errors.AsType[*diag.Fault](err); ok {
		if short := diag.Brief(f.Message); short != f.Message {
			bounded := *f
			bounded.Message = short
			return &bounded
		}
		return f
	}
	if errors.Is(err, context.Canceled) {
		return &diag.Fault{Code: "cancelled", Message: "the run was cancelled", Err: err}
	}
	return &diag.Fault{Code: "node-failed", Message: diag.Brief(err.Error()), Err: err}
}

// JSONOrText returns a text if it is JSON, and else the JSON string of it: a record keeps what
// could not be read beside the fault that says so. Of nothing it is nothing.
func JSONOrText(text []byte) json.RawMessage {
	if len(text) == 0 || json.Valid(text) {
		return text
	}
	b, _ := json.Marshal(string(text)) // a string has JSON
	return b
}

// AnyJSON returns the JSON of what a fault has besides texts. What has no JSON is its
// text; of nil it is nil.
func AnyJSON(v any) json.RawMessage {
	if v == nil {
		return nil
	}
	b, err := json.Marshal(v)
	if err != nil {
		if b, err = expr.Encode(v); err != nil {
			b, _ = json.Marshal(fmt.Sprint(v))
		}
	}
	return b
}
