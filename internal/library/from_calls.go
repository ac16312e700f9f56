package library

import (
	"context"
	"encoding/json"
	"slices"
	"strings"

	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/expr"
	"github.com/patchbay-mcp/patchbay/graph"
	"github.com/patchbay-mcp/patchbay/internal/author"
	"github.com/patchbay-mcp/patchbay/internal/author/drafting"
	"github.com/patchbay-mcp/patchbay/internal/execution"
	"github.com/patchbay-mcp/patchbay/internal/plans"
	"github.com/patchbay-mcp/patchbay/internal/reply"
	"github.com/patchbay-mcp/patchbay/internal/request"
)

// CallsInput asks for a graph that repeats recorded calls.
type CallsInput struct {
	FromCalls   []string `json:"from_calls,omitempty" maximum:"50" jsonschema:"ids of runs of one call, to draft from" help:"instead of a file, draft a graph that repeats the calls of these runs"`
	Last        int      `json:"last,omitempty" maximum:"50" jsonschema:"from the last N calls" help:"instead of a file, draft a graph that repeats the last calls of patchbay call"`
	Description string   `json:"description,omitempty" jsonschema:"what the tool does"`
}

func (in *CallsInput) fromCalls() bool { return len(in.FromCalls) > 0 || in.Last != 0 }

// Drafted is a graph that repeats recorded calls, and what is to be known of it.
type Drafted struct {
	Draft       string                 `json:"draft,omitempty"`
	Valid       *bool                  `json:"valid,omitempty"`
	Proven      *bool                  `json:"proven,omitempty"` // a run with the recorded results makes the recorded calls, and no item of a list is chosen by its position
	Graph       string                 `json:"graph,omitempty"`
	Flow        string                 `json:"flow,omitempty"`
	Arguments   json.RawMessage        `json:"arguments,omitempty"` // with which the graph repeats the calls
	LeftOut     []string               `json:"left_out,omitempty"`  // what is too large to be shown: arguments, or the graph
	Ambiguous   []drafting.Choice      `json:"ambiguous,omitempty"` // arguments that several expressions would give
	Differences []execution.Difference `json:"differences,omitempty"`
	Hint        string                 `json:"hint,omitempty"`
}

// statusDraft is the status of a graph that was made and not saved.
const statusDraft = "draft"

// saveCalls makes a draft of recorded calls. With a name and a description it saves the
// draft, if nothing about it is left to decide.
func (lib *Library) saveCalls(ctx context.Context, in SaveInput) (*SaveResult, *diag.Fault) {
	if !in.Empty() {
		return nil, diag.BadArgument("/graph", "send graph, from_calls or last", "the call has both a graph and calls")
	}
	if in.As != "" {
		if fault := lib.nameTaken(in.As, in.As); fault != nil {
			return nil, fault
		}
	}
	calls, notes, fault := lib.recordedCalls(ctx, &in)
	if fault != nil {
		return nil, fault
	}
	d, fault := lib.drafted(ctx, calls, drafting.Options{Name: in.As, Description: in.Description, Secret: lib.hasSecret})
	if fault != nil {
		return nil, fault
	}
	r := d.result()
	r.Draft = lib.plans.Drafts.Put(request.ActorFrom(ctx).Principal, d.checked.Source)
	r.Notes = slices.Concat(notes, d.Notes)
	if !*r.Valid || !*r.Proven || len(r.Ambiguous) > 0 || in.As == "" || in.Description == "" {
		r.Hint = d.next(r, in)
		return r, nil
	}
	in.CallsInput, in.As = CallsInput{}, ""
	in.GraphInput = plans.GraphInput{Graph: graph.Encode(r.Draft)}
	saved, fault := lib.Save(ctx, in)
	if fault != nil {
		return nil, fault
	}
	saved.Drafted, saved.Notes = r.Drafted, append(r.Notes, saved.Notes...)
	if !saved.Failed() {
		saved.Draft = ""
	}
	return saved, nil
}

// hasSecret reports whether a text has a configured secret in it.
func (lib *Library) hasSecret(text string) bool {
	if lib.process.Redact == nil {
		return false
	}
	quoted, err := json.Marshal(text)
	if err != nil {
		return true
	}
	var shown string
	return json.Unmarshal(lib.process.Redact(quoted), &shown) != nil || shown != text
}

// A callDraft is a draft with the verdict on it.
type callDraft struct {
	*drafting.Draft

	checked     *plans.Checked
	differences []execution.Difference
}

// maxRepairs is how often a draft is made again without what is wrong with it.
const maxRepairs = 4

// drafted makes a draft, checks it and compares a run of it with the calls. An expression
// that the checker refuses is left out, and so are loops if their draft is not proven.
func (lib *Library) drafted(ctx context.Context, calls []drafting.Call, o drafting.Options) (*callDraft, *diag.Fault) {
	o.Literal = map[string]bool{}
	var d *callDraft
	for range maxRepairs {
		d = &callDraft{}
		if fault := lib.process.Compute(ctx, plans.CheckBase+plans.JSONFactor*reply.CallsSize(calls), func(context.Context) { d.Draft = drafting.FromCalls(calls, o) }); fault != nil {
			return nil, fault
		}
		var fault *diag.Fault
		if d.checked, fault = lib.plans.Check(ctx, &plans.Source{Name: "draft", Text: string(graph.Encode(d.Tool))}, ""); fault != nil {
			return nil, fault
		}
		if refused := d.refused(); len(refused) > 0 {
			for _, argument := range refused {
				o.Literal[argument] = true
			}
			continue
		}
		if d.differences, fault = lib.author.Prove(ctx, d.Draft, calls); fault != nil {
			return nil, fault
		}
		if len(d.differences) == 0 || !d.Loops {
			break
		}
		o.NoLoops = true
	}
	return d, nil
}

// refused are the arguments with an expression that the checker refuses, as in
// [drafting.Options].
func (d *callDraft) refused() (list []string) {
	for _, found := range d.checked.Found.With(diag.Error) {
		if _, path, ok := strings.Cut(found.Path, "/args/"); ok && found.Node != "" {
			list = append(list, found.Node+"."+strings.ReplaceAll(strings.TrimSuffix(path, "/expr"), "/", "."))
		}
	}
	return list
}

// The bounds of what a reply shows of a draft.
const (
	maxArguments = 1000 // of all together
	maxShownText = 3500 // of the graph
)

// result is the reply about a draft.
func (d *callDraft) result() *SaveResult {
	valid := !d.checked.Found.HasErrors()
	proven := valid && len(d.differences) == 0 && !d.ByPosition
	r := &SaveResult{Status: statusDraft}
	r.Valid, r.Proven, r.Graph, r.Flow = &valid, &proven, d.checked.Source.Text, author.DrawnFlow(d.checked.Plans)
	r.Diagnostics, _ = d.checked.Source.Shown(d.checked.Found)
	r.Differences, r.Ambiguous = d.differences, d.Ambiguous
	shown, size := expr.NewObject(), 0
	for name, v := range d.Arguments.All() {
		if n := expr.Size(v, maxArguments); n <= author.MaxArgument && size+n <= maxArguments {
			shown.Set(name, v)
			size += n
			continue
		}
		r.LeftOut = append(r.LeftOut, name)
	}
	r.Arguments, _ = expr.Encode(shown)
	if len(r.Graph) > maxShownText {
		r.Graph, r.LeftOut = "", append(r.LeftOut, "graph")
	}
	return r
}

// next says what to do with a draft that was not saved.
func (d *callDraft) next(r *SaveResult, in SaveInput) string {
	var missing []string
	if in.As == "" {
		missing = append(missing, "name: …")
	}
	if in.Description == "" {
		missing = append(missing, "description: …")
	}
	call := "save_graph {" + strings.Join(append([]string{"graph: <draft>"}, missing...), ", ") + "}"
	switch {
	case !*r.Valid:
		return "repair it: edit_graph {graph: <draft>, ops: […]}; then " + call
	case d.ByPosition:
		return "which items of the list are meant is not known, see notes: call run_node for each of them, in the order of the list, and make the draft again; or edit_graph {graph: <draft>, ops: […]}, so that an argument chooses. If the position is meant: " + call
	case !*r.Proven:
		return "a run with the recorded results makes other calls, see differences: edit_graph {graph: <draft>, ops: […]} corrects it; then " + call
	case len(r.Ambiguous) > 0:
		return "check ambiguous, and edit_graph what was meant otherwise; then " + call
	}
	return call
}
