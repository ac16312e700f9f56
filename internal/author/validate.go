package author

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/engine"
	"github.com/patchbay-mcp/patchbay/graph/edit"
	"github.com/patchbay-mcp/patchbay/internal/plans"
	"github.com/patchbay-mcp/patchbay/internal/reply"
	"github.com/patchbay-mcp/patchbay/internal/request"
	"github.com/patchbay-mcp/patchbay/schema"
)

// ValidateInput asks whether a graph is right.
type ValidateInput struct {
	plans.GraphInput `arg:"FILE|DIR|GLOB…"`
	ApplyFixes       bool `json:"apply_fixes,omitempty" flag:"fix" jsonschema:"apply the first fix of each diagnostic, but none that removes a node; return the changed lines" help:"apply the first fix of each diagnostic, repeatedly, except fixes that remove nodes; rewrite the file, keep it as it was in FILE.orig unless git tracks it, and print the diff"`
}

// ValidateResult says what was found. With ApplyFixes, everything is about the
// fixed graph.
type ValidateResult struct {
	Valid      bool                `json:"valid"`
	Runnable   *bool               `json:"runnable,omitempty"` // false of a valid graph that run_graph refuses
	Why        *diag.Fault         `json:"why,omitempty"`      // it cannot run; of placeholders, the warnings say it
	Errors     diag.List           `json:"errors,omitempty"`
	Warnings   diag.List           `json:"warnings,omitempty"`
	Notes      diag.List           `json:"notes,omitempty"`
	More       int                 `json:"more,omitempty"` // diagnostics beyond those shown
	FixedGraph json.RawMessage     `json:"fixed_graph,omitempty"`
	Diff       string              `json:"diff,omitempty"`
	Flow       string              `json:"flow,omitempty"`
	Signature  string              `json:"signature,omitempty"`       // of a function, whose schemas may be inferred
	Missing    []string            `json:"missing_to_save,omitempty"` // what save_graph will ask for
	Draft      string              `json:"draft,omitempty"`
	Hint       string              `json:"hint,omitempty"` // how to change the draft
	Catalog    *plans.CatalogState `json:"catalog,omitempty"`

	// Rendered is the diagnostics with the source lines they are about, for
	// people; empty when the graph came as an object or is faultless.
	Rendered string `json:"-"`
	Source   string `json:"-"` // the text the diagnostics are about
	Before   string `json:"-"` // the text as it came
}

// Validate compiles a graph and drops the plan. It never calls a tool.
func (au *Author) Validate(ctx context.Context, in ValidateInput) (*ValidateResult, *diag.Fault) {
	began := time.Now()
	s, fault := au.plans.Source(ctx, in.GraphInput)
	if fault != nil {
		return nil, fault
	}
	before := s.Text
	s.Looked = true
	c, fault := au.plans.Check(ctx, s, in.Tool)
	switch {
	case fault != nil:
	case in.ApplyFixes:
		c, fault = au.fix(ctx, c, in.Tool, began)
	default:
		fault = au.ProveFixes(ctx, c, in.Tool)
	}
	if fault != nil {
		return nil, fault
	}
	r := &ValidateResult{Source: c.Source.Text, Before: before, Catalog: au.plans.CatalogState(ctx)}
	r.Valid, r.Runnable, r.Why = au.plans.Verdict(ctx, c)
	list, more := s.Shown(c.Found)
	r.Errors, r.Warnings, r.Notes, r.More = list.With(diag.Error), list.With(diag.Warning), list.With(diag.Note), more
	if s.Code == nil || request.ActorFrom(ctx).Operator { // an agent that writes functions does not read graphs
		r.Flow = DrawnFlow(c.Plans)
	}
	if s.Code != nil && c.Plan != nil {
		tool := c.Plan.Tool()
		r.Signature = reply.SchemaText(schema.Read(tool.InputSchema.JSON())) + " -> " + reply.SchemaText(schema.Read(tool.OutputSchema.JSON()))
	}
	if r.Valid && len(c.Plans) == 1 {
		r.Missing = engine.MissingForSave(c.Plan.Tool())
	}
	if !s.Object && len(list) > 0 {
		r.Rendered = diag.Format(s.Name, c.Source.Written(), list)
	}
	if c.Source.Text != before {
		r.Diff = edit.DiffGraphs("", before, c.Source.Text, 0)
		r.FixedGraph = json.RawMessage(c.Source.Text)
		if !s.Object {
			r.FixedGraph, _ = json.Marshal(c.Source.Text)
		}
	}
	if c.Source.Looked = false; c.Doc != nil {
		r.Draft = au.plans.Drafts.Put(request.ActorFrom(ctx).Principal, c.Source)
	}
	r.Hint = editHint(r.Draft, r.Errors)
	return r, nil
}

// Bounds on how often fixes are applied: a repair may lay another bare. What is left to
// fix then is among the diagnostics.
const (
	fixRounds = 10
	// fixBytes is how many bytes of fixed text are checked, beyond the first.
	fixBytes = 2 << 20
	// fixTime is after what time of the call no more fixes are applied.
	fixTime = 4 * time.Second
)

// fix applies first fixes until nothing is left to fix or its bounds are reached, and
// returns the best of the graphs in between. It leaves out those that remove nodes.
func (au *Author) fix(ctx context.Context, c *plans.Checked, tool string, began time.Time) (*plans.Checked, *diag.Fault) {
	inTime, cancel := context.WithDeadline(ctx, began.Add(fixTime))
	defer cancel()
	done, best := 0, c
	for range fixRounds {
		after, fault := (*plans.Checked)(nil), au.ProveFixes(inTime, c, tool)
		if fault == nil {
			text, applied := diag.Apply(c.Source.Text, c.Applicable())
			if applied == 0 || text == c.Source.Text || done > 0 && done+len(text) > fixBytes {
				break
			}
			done += len(text)
			after, fault = au.checkText(inTime, c, text, tool)
		}
		if fault != nil && ctx.Err() == nil && inTime.Err() != nil {
			break
		}
		if fault != nil {
			return nil, fault
		}
		if after.Doc == nil && c.Doc != nil {
			break
		}
		if c = after; best.Doc == nil || best.WorseThan(c) {
			best = c
		}
	}
	return best, nil
}

// DrawnFlow is the flow of plans as text, each under its name where there are several.
func DrawnFlow(plans []*engine.Plan) string {
	var flows []string
	for _, p := range plans {
		if p == nil {
			continue
		}
		flow := p.Flow()
		if len(plans) > 1 {
			flow = p.Name + ":\n" + flow
		}
		flows = append(flows, flow)
	}
	return strings.Join(flows, "\n")
}

// Text is the diagnostics for people, or "".
func (r *ValidateResult) Text() string { return r.Rendered }

// editHint says how to change a draft where a fault has no fix that could be applied, or
// nothing.
func editHint(draft string, errors diag.List) string {
	i := slices.IndexFunc(errors, func(d *diag.Diagnostic) bool { return len(d.Fixes) == 0 })
	if i < 0 || draft == "" {
		return ""
	}
	return fmt.Sprintf(`edit_graph {"graph": %q, "ops": [{"op": "set", "path": %q, "value": "VALUE"}]} changes the draft (other ops: %s)`, draft, errors[i].Path, strings.Join(otherOps, ", "))
}

// otherOps are the operations of an edit but set.
var otherOps = []string{"add_node {node, after?}", "update_node {id, set}", "remove_node {id}", "connect {from, to}", "insert_between {from, to, node}", "rename_node {id, new_id}"}
