package author

import (
	"context"
	"encoding/json"
	"errors"
	"strings"

	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/engine"
	"github.com/patchbay-mcp/patchbay/expr"
	"github.com/patchbay-mcp/patchbay/internal/execution"
	"github.com/patchbay-mcp/patchbay/internal/reply"
	"github.com/patchbay-mcp/patchbay/jsonata"
	"github.com/patchbay-mcp/patchbay/run"
)

// EvaluateInput asks for the value of an expression.
type EvaluateInput struct {
	Language   string          `json:"language,omitempty" flag:"language,l" enum:"jsonata,jsonlogic" jsonschema:"default jsonata" help:"jsonata (default) or jsonlogic"`
	Expression json.RawMessage `json:"expression" arg:"EXPRESSION" jsonschema:"JSONata as text, or a JSON Logic rule"`
	Context    json.RawMessage `json:"context,omitempty" flag:"context,c" jsonschema:"value of $, usually {<node id>: <output>}"`
	RunID      string          `json:"run_id,omitempty" flag:"run" jsonschema:"use the context and history of this run instead"`
}

// EvaluateResult is a value and its type, or what is wrong with the expression.
// An undefined value comes with warnings where the expression is probably not
// what its author meant.
type EvaluateResult struct {
	Value       json.RawMessage `json:"value,omitempty"`
	Type        string          `json:"type,omitempty"`
	Size        int             `json:"size,omitempty"` // in bytes, where the value is cut
	Diagnostics diag.List       `json:"diagnostics,omitempty"`

	Rendered string `json:"-"`
}

// Failed reports whether the evaluation produced no value.
func (r *EvaluateResult) Failed() bool { return r.Diagnostics.HasErrors() }

// Evaluate computes an expression as a node of a graph would.
func (au *Author) Evaluate(ctx context.Context, in EvaluateInput) (r *EvaluateResult, fault *diag.Fault) {
	if full := au.process.Compute(ctx, 0, func(ctx context.Context) { r, fault = au.evaluate(ctx, in) }); full != nil {
		return nil, full
	}
	return r, fault
}

func (au *Author) evaluate(ctx context.Context, in EvaluateInput) (*EvaluateResult, *diag.Fault) {
	scope, fault := au.evaluationScope(ctx, in)
	if fault != nil {
		return nil, fault
	}
	return evaluateOn(ctx, scope, in)
}

// evaluateOn computes an expression on a context.
func evaluateOn(ctx context.Context, scope *expr.Scope, in EvaluateInput) (*EvaluateResult, *diag.Fault) {
	var v expr.Value
	var src string
	var err error
	var doubts []*jsonata.Error
	switch in.Language {
	case "", "jsonata":
		if json.Unmarshal(in.Expression, &src) != nil {
			src = string(in.Expression)
		}
		prog, bad := expr.Compile(src)
		if bad != nil {
			return placed(src, diag.Error, bad), nil
		}
		if v, err = prog.Eval(ctx, scope); err != nil || v == nil {
			doubts = lintExpr(src, scope.Context())
		}
	case "jsonlogic":
		rule, bad, fault := compileRule(in.Expression)
		if fault != nil {
			return nil, fault
		}
		if len(bad) > 0 {
			return placed("", diag.Error, bad...), nil
		}
		v, err = rule.Eval(ctx, scope)
	default:
		return nil, diag.BadArgument("/language", `language is "jsonata" or "jsonlogic"`, "unknown language %q", in.Language)
	}
	if err != nil {
		e, ok := errors.AsType[*jsonata.Error](err)
		if !ok {
			e = &jsonata.Error{Code: engine.CodeExpressionFailed, Message: err.Error()}
		}
		return placed(src, diag.Error, e).doubting(src, doubts), nil
	}
	budget := execution.MaxValueBytes
	r := &EvaluateResult{Type: expr.Type(v)}
	r.Value, r.Size = reply.Excerpt(v, budget, &budget)
	if v == nil {
		r.Value = nil
	}
	return r.doubting(src, doubts), nil
}

// lintExpr returns what in an expression is probably not meant, the fields of the
// context taken for nodes.
func lintExpr(src string, context expr.Value) []*jsonata.Error {
	ast, bad := jsonata.Parse(src)
	if bad != nil {
		return nil
	}
	return jsonata.Lint(ast, func(id string) bool {
		o, ok := context.(expr.Object)
		if !ok {
			return false
		}
		_, ok = o.Get(id)
		return ok
	})
}

// doubting adds doubts as warnings.
func (r *EvaluateResult) doubting(src string, doubts []*jsonata.Error) *EvaluateResult {
	if len(doubts) == 0 {
		return r
	}
	r.Diagnostics = append(r.Diagnostics, placed(src, diag.Warning, doubts...).Diagnostics...)
	r.Rendered = diag.Format("expression", src, r.Diagnostics)
	return r
}

func compileRule(text json.RawMessage) (*expr.Rule, []*jsonata.Error, *diag.Fault) {
	var inner string
	if json.Unmarshal(text, &inner) == nil && json.Valid([]byte(inner)) {
		text = json.RawMessage(inner)
	}
	value, err := expr.Decode(text)
	if err != nil {
		return nil, nil, diag.BadArgument("/expression", `write {">": [{"var": "a.b"}, 3]}`, "the rule is not JSON: %v", err)
	}
	rule, bad := expr.CompileRule(value)
	return rule, bad, nil
}

// evaluationScope is what the expression sees.
func (au *Author) evaluationScope(ctx context.Context, in EvaluateInput) (*expr.Scope, *diag.Fault) {
	limits := expr.Limits{Timeout: au.plans.Limits.Within(run.Limits{}).MaxExpressionTime}
	if in.RunID != "" {
		rec, fault := au.execution.LookedAt(ctx, in.RunID)
		if fault != nil {
			return nil, fault
		}
		return rec.Scope(-1, limits), nil
	}
	if len(in.Context) == 0 {
		return expr.NewScope(nil, limits), nil
	}
	var text string
	if json.Unmarshal(in.Context, &text) == nil && json.Valid([]byte(text)) && strings.ContainsAny(text[:1], "{[") {
		in.Context = json.RawMessage(text) // an object that was written as text
	}
	value, err := expr.Decode(in.Context)
	if err != nil {
		return nil, diag.BadArgument("/context", "write a JSON value; a text is in quotes", "the context is not JSON: %v", err)
	}
	return expr.NewScopeWith(value, nil, limits), nil
}

// placed returns the errors of an expression as diagnostics of one severity, with
// places in the expression's own text.
func placed(src string, severity diag.Severity, errs ...*jsonata.Error) *EvaluateResult {
	r := &EvaluateResult{}
	for _, e := range errs {
		d := &diag.Diagnostic{Code: doubtCode(e, severity), Severity: severity, Path: "/expression" + e.Pointer, Message: e.Message, Hint: e.Hint}
		if src != "" {
			d.Range = diag.Range{Start: position(src, e.Start), End: position(src, e.End)}
		}
		if len(e.Edits) > 0 && src != "" {
			d.Fixes = []diag.Fix{{Title: "write " + diag.Cut(diag.ApplyEdits(src, e.Edits), 80), Edits: e.Edits, Patch: []diag.PatchOp{{Op: "replace", Path: "/expression", Value: diag.ApplyEdits(src, e.Edits)}}}}
		}
		r.Diagnostics = append(r.Diagnostics, d)
	}
	r.Rendered = diag.Format("expression", src, r.Diagnostics)
	return r
}

// doubtCode is the code that a checked graph has for the same error, where there is one.
func doubtCode(e *jsonata.Error, severity diag.Severity) string {
	switch {
	case severity == diag.Warning:
		return "expr-suspicious"
	case e.Code == "syntax":
		return "expr-syntax"
	case e.Code == "unknown-operator" || e.Code == "several-operators":
		return "json-logic"
	}
	return e.Code
}

// position converts a byte offset to a line and column of src.
func position(src string, offset int) diag.Pos {
	p := diag.Pos{Line: 1, Column: 1, Offset: min(offset, len(src))}
	for _, r := range src[:p.Offset] {
		p.Column++
		if r == '\n' {
			p.Line, p.Column = p.Line+1, 1
		}
	}
	return p
}

// Text is the diagnostics for people, or "".
func (r *EvaluateResult) Text() string { return r.Rendered }
