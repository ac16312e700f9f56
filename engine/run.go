package engine

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/expr"
)

// RunOptions say how a plan runs. The zero value runs it whole.
type RunOptions struct {
	ID     string                // of the run; what is random in it follows from this
	Limits Limits                // the operator's ceiling
	Pins   map[string]expr.Value // outputs given instead of computed, by node id
	Until  string                // the last node to run, or ""
}

// Run executes the plan on the arguments of a call, a JSON object, and returns
// its result; undefined is nil. An error is a [diag.Fault]: invalid-arguments
// when the arguments do not satisfy the input schema, invalid-result when the
// result does not satisfy the output schema, else what failed, with the node.
func (p *Plan) Run(ctx context.Context, rt Runtime, arguments json.RawMessage, o *RunOptions) (expr.Value, error) {
	if o == nil {
		o = &RunOptions{}
	}
	input, err := p.Input(arguments)
	if err != nil {
		return nil, err
	}
	for id := range o.Pins {
		if _, ok := p.index[id]; !ok {
			return nil, p.noSuchNode("pins", id)
		}
	}
	if _, ok := p.index[o.Until]; o.Until != "" && !ok {
		return nil, p.noSuchNode("until", o.Until)
	}
	limit := p.limits.Within(o.Limits).MaxExecutionTime
	ctx, cancel := context.WithTimeoutCause(ctx, limit, timeUp(limit))
	defer cancel()
	s := newState(p, rt, input, o)
	result, err := s.Walk(ctx, p.entry, NoNode)
	if err != nil {
		return nil, asFault(err)
	}
	if o.Until != "" {
		return result, nil
	}
	return result, p.checkResult(result)
}

func (p *Plan) noSuchNode(path, id string) *diag.Fault {
	f := diag.Faultf("unknown-node", "the graph has no node %q", id)
	f.Path = "/" + path
	f.Suggestions = diag.Closer(id, p.NodeIDs(), 3)
	f.Hint = "its nodes are " + diag.OneOf(p.NodeIDs(), 12)
	return f
}

func timeUp(limit time.Duration) *diag.Fault {
	return &diag.Fault{
		Code:    "time-limit",
		Message: fmt.Sprintf("the run was stopped after %s, its time limit", limit),
		Hint:    "raise executionLimits.maxExecutionTimeMs of the document (the operator's limit stays the ceiling), or do less in one run",
	}
}

// asFault gives any error of a run the shape of a fault, with a message of bounded
// length.
func asFault(err error) *diag.Fault {
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

// Input checks the arguments of a call against the input schema and fills its
// defaults.
func (p *Plan) Input(arguments json.RawMessage) (expr.Value, error) {
	if len(arguments) == 0 || string(arguments) == "null" {
		arguments = json.RawMessage("{}")
	}
	input, err := expr.Decode(arguments)
	if err != nil {
		return nil, &diag.Fault{Code: "invalid-arguments", Path: "/arguments", Message: "the arguments are not JSON: " + err.Error(), Err: err}
	}
	if p.input == nil {
		return input, nil
	}
	fillDefaults(input, p.input.Raw)
	filled, err := expr.Encode(input)
	if err != nil {
		return nil, err
	}
	if found := p.input.Check(filled); len(found) > 0 {
		return nil, schemaFault("invalid-arguments", "the arguments do not satisfy the input schema", "/arguments", found)
	}
	return input, nil
}

func (p *Plan) checkResult(result expr.Value) error {
	if p.output == nil {
		return nil
	}
	b, err := expr.Encode(result)
	if err != nil {
		return &diag.Fault{Code: "invalid-result", Message: "the result is not JSON: " + err.Error(), Err: err}
	}
	found := p.output.Check(b)
	if len(found) == 0 {
		return nil
	}
	if _, isObject := result.(expr.Object); !isObject && len(p.output.Check(Wrap(b))) == 0 {
		return nil
	}
	f := schemaFault("invalid-result", "the result does not satisfy the output schema", "", found)
	f.Got = json.RawMessage(cutJSON(b, maxShown))
	f.Hint = "change what the exit returns, or the outputSchema"
	return f
}

// Wrap gives a result the form of structured content: an object is itself, any
// other value becomes {"result": value}.
func Wrap(result []byte) []byte {
	if len(result) > 0 && result[0] == '{' {
		return result
	}
	return append(append([]byte(`{"result":`), result...), '}')
}

// maxShown is how many bytes of a value a fault shows.
const maxShown = 2048

func schemaFault(code, message, base string, found []Mismatch) *diag.Fault {
	f := &diag.Fault{Code: code, Path: base, Want: found[0].Want}
	if at := found[0].Pointer(); len(at) <= maxShown {
		f.Path += at
	}
	if found[0].Keyword == "type" || found[0].Keyword == "enum" {
		f.Got = found[0].Got
		if b, err := json.Marshal(f.Got); err == nil && len(b) > maxShown {
			f.Got = json.RawMessage(cutJSON(b, maxShown))
		}
	}
	var parts []string
	for i, m := range found {
		if i == 5 {
			parts = append(parts, fmt.Sprintf("and %d more", len(found)-i))
			break
		}
		where := "at " + m.Pointer()
		if m.Pointer() == "" {
			where = "at the top"
		}
		parts = append(parts, where+" "+m.Message)
	}
	f.Message = diag.Brief(message + ": " + strings.Join(parts, "; "))
	return f
}

// cutJSON returns b, or when it is longer than n bytes a JSON string of its
// beginning.
func cutJSON(b []byte, n int) []byte {
	if len(b) <= n {
		return b
	}
	short, _ := json.Marshal(string(b[:n]) + "…")
	return short
}

// fillDefaults sets the properties that a schema gives a default and the value
// lacks, in nested objects too.
func fillDefaults(v expr.Value, schema json.RawMessage) {
	obj, ok := v.(expr.Object)
	if !ok {
		return
	}
	var s struct {
		Properties map[string]json.RawMessage `json:"properties"`
	}
	if json.Unmarshal(schema, &s) != nil {
		return
	}
	for _, name := range sortedKeys(s.Properties) {
		var prop struct {
			Default json.RawMessage `json:"default"`
		}
		if json.Unmarshal(s.Properties[name], &prop) != nil {
			continue
		}
		if member, there := obj.Get(name); there {
			fillDefaults(member, s.Properties[name])
		} else if len(prop.Default) > 0 {
			if value, err := expr.Decode(prop.Default); err == nil {
				obj.Set(name, value)
			}
		}
	}
}
