package engine

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/expr"
	"github.com/patchbay-mcp/patchbay/run"
	"github.com/patchbay-mcp/patchbay/schema"
)

// Run executes the plan on the arguments of a call, a JSON object, and returns
// its result; undefined is nil. An error is a [diag.Fault]: invalid-arguments
// when the arguments do not satisfy the input schema, invalid-result when the
// result does not satisfy the output schema, else what failed, with the node.
func (p *Plan) Run(ctx context.Context, rt Runtime, arguments json.RawMessage, o *run.Options) (expr.Value, error) {
	if o == nil {
		o = &run.Options{}
	}
	input, err := p.Input(arguments)
	if err != nil {
		return nil, err
	}
	for _, id := range slices.Sorted(maps.Keys(o.Pins)) {
		if f := p.CheckNode("/pins", id); f != nil {
			return nil, f
		}
	}
	if o.Until != "" {
		if f := p.CheckNode("/until", o.Until); f != nil {
			return nil, f
		}
	}
	limit := p.limits.Within(o.Limits).MaxExecutionTime
	ctx, cancel := rt.Deadline(ctx, limit, timeUp(limit))
	defer cancel()
	s := newState(p, rt, input, o)
	s.run.count.Store(int64(rt.Used()))
	result, err := s.graph(ctx)
	if err != nil {
		return nil, run.AsFault(err)
	}
	return result, nil
}

// CheckNode returns the fault unknown-node at a path of the caller's arguments, nil if the
// graph has a node with this id.
func (p *Plan) CheckNode(path, id string) *diag.Fault {
	if _, ok := p.index[id]; ok {
		return nil
	}
	f := diag.Faultf(run.CodeUnknownNode, "the graph has no node %q", id)
	f.Path = path
	f.Suggestions = diag.Closer(id, p.NodeIDs(), 3)
	f.Hint = "its nodes are " + diag.OneOf(p.NodeIDs(), 12)
	return f
}

// timeUp is the fault of a run that takes too long. Most runs have the same limit, and
// none changes its fault: the last is used again.
func timeUp(limit time.Duration) *diag.Fault {
	if last := lastTimeUp.Load(); last != nil && last.limit == limit {
		return last.fault
	}
	f := &diag.Fault{
		Code:    run.CodeTimeLimit,
		Message: fmt.Sprintf("the run was stopped after %s, its time limit", limit),
		Err:     context.DeadlineExceeded,
		Hint:    "raise executionLimits.maxExecutionTimeMs of the document (the operator's ceiling is limits.maxExecutionTimeMs in patchbay.yaml), or do less in one run",
	}
	lastTimeUp.Store(&timeLimit{limit, f})
	return f
}

type timeLimit struct {
	limit time.Duration
	fault *diag.Fault
}

var lastTimeUp atomic.Pointer[timeLimit]

// Input checks the arguments of a call against the input schema and fills its
// defaults.
func (p *Plan) Input(arguments json.RawMessage) (expr.Value, error) {
	input, plain, err := p.filled(arguments)
	if err != nil || plain == nil {
		return input, err
	}
	if found := p.input.CheckValue(plain); len(found) == 1 && found[0].Keyword == "required" && len(found[0].Path) == 0 {
		return nil, p.missing(found[0].Names)
	} else if len(found) > 0 {
		return nil, schema.Fault(codeInvalidArguments, "the arguments do not satisfy the input schema", "/arguments", found)
	}
	return input, nil
}

// filled returns the arguments of a call with the defaults of the input schema, also as
// a plain value if there is such a schema.
func (p *Plan) filled(arguments json.RawMessage) (expr.Value, any, error) {
	if len(arguments) == 0 || string(arguments) == "null" {
		arguments = json.RawMessage("{}")
	}
	input, err := expr.Decode(arguments)
	if text, ok := input.(string); ok { // a record keeps what is not JSON as a text
		_, err = expr.Decode([]byte(text))
	}
	if err != nil {
		return nil, nil, &diag.Fault{Code: codeInvalidArguments, Path: "/arguments", Message: "the arguments are not a JSON object: " + strings.TrimPrefix(err.Error(), "not JSON "), Err: err}
	}
	if p.input == nil {
		return input, nil, nil
	}
	if err := p.input.FillDefaults(input, expr.Decode); err != nil {
		return nil, nil, &diag.Fault{Code: codeInvalidArguments, Path: "/arguments", Message: err.Error(), Err: err}
	}
	plain, err := expr.Plain(input)
	return input, plain, err
}

// missing is the fault of arguments that the caller must pass and has not.
func (p *Plan) missing(names []string) *diag.Fault {
	what, verb := "argument", "is"
	if len(names) > 1 {
		what, verb = "arguments", "are"
	}
	f := diag.Faultf(codeInvalidArguments, "the %s %s %s missing", what, schema.QuoteAll(names), verb)
	f.Path = "/arguments"
	var hints []string
	for _, name := range names[:min(len(names), 5)] {
		if t := p.input.Root().Get("properties").Get(name).Get("type").Text(); t != "" {
			hints = append(hints, diag.Quote(name)+" has the type "+t)
		}
	}
	f.Hint = strings.Join(hints, ", ")
	return f
}

func (p *Plan) checkResult(result expr.Value) error {
	if p.output == nil {
		return nil
	}
	plain, err := expr.Plain(result)
	if err != nil {
		return &diag.Fault{Code: diag.CodeInvalidResult, Message: "the result is not JSON: " + err.Error(), Err: err}
	}
	found := p.output.CheckValue(plain)
	if len(found) == 0 {
		return nil
	}
	if _, isObject := result.(expr.Object); !isObject && len(p.output.CheckValue(map[string]any{"result": plain})) == 0 {
		return nil
	}
	b, _ := expr.Encode(result)
	f := schema.Fault(diag.CodeInvalidResult, "the result does not satisfy the output schema", "", found)
	f.Got = json.RawMessage(diag.CutJSON(b, schema.MaxShown))
	f.Hint = "change the result of the exit or the outputSchema"
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
