package app

import (
	"context"
	"encoding/json"
	"strings"
	"time"

	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/engine"
	"github.com/patchbay-mcp/patchbay/graph"
)

// ValidateInput asks whether a graph is right.
type ValidateInput struct {
	GraphInput `arg:"FILE|DIR|GLOB…"`
	ApplyFixes bool `json:"apply_fixes,omitempty" flag:"fix" jsonschema:"apply the first fix of each diagnostic, but none that removes a node; return the changed lines" help:"apply the first fix of each diagnostic, repeatedly, except fixes that remove nodes; rewrite the file, keep it as it was in FILE.orig unless git tracks it, and print the diff"`
}

// ValidateResult says what was found. With ApplyFixes, everything is about the
// fixed graph.
type ValidateResult struct {
	Valid      bool            `json:"valid"`
	Runnable   *bool           `json:"runnable,omitempty"` // false of a valid graph that run_graph refuses
	Why        *diag.Fault     `json:"why,omitempty"`      // it cannot run; of placeholders, the warnings say it
	Errors     diag.List       `json:"errors,omitempty"`
	Warnings   diag.List       `json:"warnings,omitempty"`
	Notes      diag.List       `json:"notes,omitempty"`
	More       int             `json:"more,omitempty"` // diagnostics beyond those shown
	FixedGraph json.RawMessage `json:"fixed_graph,omitempty"`
	Diff       string          `json:"diff,omitempty"`
	Flow       string          `json:"flow,omitempty"`
	Missing    []string        `json:"missing_to_save,omitempty"` // what save_graph will ask for
	Draft      string          `json:"draft,omitempty"`
	Hint       string          `json:"hint,omitempty"` // how to change the draft
	Catalog    *CatalogState   `json:"catalog,omitempty"`

	// Rendered is the diagnostics with the source lines they are about, for
	// people; empty when the graph came as an object or is faultless.
	Rendered string `json:"-"`
	Source   string `json:"-"` // the text the diagnostics are about
	Before   string `json:"-"` // the text as it came
}

// Validate compiles a graph and drops the plan. It never calls a tool.
func (a *App) Validate(ctx context.Context, in ValidateInput) (*ValidateResult, *diag.Fault) {
	began := time.Now()
	s, fault := a.source(ctx, in.GraphInput)
	if fault != nil {
		return nil, fault
	}
	before := s.text
	s.looked = true
	c, fault := a.check(ctx, s, in.Tool)
	switch {
	case fault != nil:
	case in.ApplyFixes:
		c, fault = a.fix(ctx, c, in.Tool, began)
	default:
		fault = a.proveFixes(ctx, c, in.Tool)
	}
	if fault != nil {
		return nil, fault
	}
	r := &ValidateResult{Source: c.source.text, Before: before, Catalog: a.catalogState(ctx)}
	r.Valid, r.Runnable, r.Why = a.verdict(ctx, c)
	list, more := s.shown(c.found)
	r.Errors, r.Warnings, r.Notes, r.More = list.With(diag.Error), list.With(diag.Warning), list.With(diag.Note), more
	r.Flow = drawnFlow(c.plans)
	if r.Valid && len(c.plans) == 1 {
		r.Missing = engine.MissingForSave(c.plan.Tool())
	}
	if !s.object && len(list) > 0 {
		r.Rendered = diag.Format(s.name, c.source.text, list)
	}
	if c.source.text != before {
		r.Diff = graph.DiffGraphs("", before, c.source.text, 0)
		r.FixedGraph = json.RawMessage(c.source.text)
		if !s.object {
			r.FixedGraph, _ = json.Marshal(c.source.text)
		}
	}
	if c.source.looked = false; c.doc != nil {
		r.Draft = a.authoring.drafts.put(actor(ctx).Principal, c.source)
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
func (a *App) fix(ctx context.Context, c *checked, tool string, began time.Time) (*checked, *diag.Fault) {
	inTime, cancel := context.WithDeadline(ctx, began.Add(fixTime))
	defer cancel()
	done, best := 0, c
	for range fixRounds {
		after, fault := (*checked)(nil), a.proveFixes(inTime, c, tool)
		if fault == nil {
			text, applied := diag.Apply(c.source.text, c.applicable())
			if applied == 0 || text == c.source.text || done > 0 && done+len(text) > fixBytes {
				break
			}
			done += len(text)
			after, fault = a.checkText(inTime, c, text, tool)
		}
		if fault != nil && ctx.Err() == nil && inTime.Err() != nil {
			break
		}
		if fault != nil {
			return nil, fault
		}
		if after.doc == nil && c.doc != nil {
			break
		}
		if c = after; best.doc == nil || best.worseThan(c) {
			best = c
		}
	}
	return best, nil
}

func drawnFlow(plans []*engine.Plan) string {
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
