// Package states keeps what graphs store for later runs: a workflow for each graph of a
// project has it, and changes it by updates. It knows clients and workers, and nothing of
// runs but the intents of their changes.
package states

import (
	"encoding/json"
	"slices"
	"time"

	"github.com/patchbay-mcp/patchbay/internal/execution/runs"

	"go.temporal.io/sdk/worker"
	"go.temporal.io/sdk/workflow"

	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/internal/store/graphstate"
	"github.com/patchbay-mcp/patchbay/run"
	"github.com/patchbay-mcp/patchbay/temporal/wire"
)

// Names that the workflow and its callers use.
const (
	workflowType = "patchbay.state"
	queryRead    = "read"   // takes a change, and returns what it would result in
	queryList    = "list"   // returns entries
	updateChange = "change" // takes a request, and returns the result
	updateDelete = "delete" // takes a key, and returns how many were deleted
)

const (
	maxChanges  = 500       // after which the workflow continues as a new execution
	maxMade     = 1_000     // results that are remembered
	maxMadeSize = 128 << 10 // bytes of them
)

// state is what a graph has stored, as its workflow has it.
type state struct {
	Project string                        `json:"project,omitempty"`
	Graph   string                        `json:"graph"`
	Most    int                           `json:"most"` // bytes of everything
	Keys    map[string]*graphstate.Stored `json:"keys,omitempty"`
	Marks   map[string]run.ScheduleMark   `json:"marks,omitempty"` // of schedules, by name
	// Made are the latest changes, the oldest first. The intents of all that are forgotten
	// are of Forgot or before.
	Made   []made    `json:"made,omitempty"`
	Forgot time.Time `json:"forgot,omitzero"`
}

// made is a change that was made.
type made struct {
	ID     string          `json:"id"`
	At     time.Time       `json:"at"` // of the intent
	Result json.RawMessage `json:"result"`
}

// request asks for a change.
type request struct {
	ID     string          `json:"id"` // of the run and its intent
	At     time.Time       `json:"at"` // of the intent
	Change run.StateChange `json:"change"`
	Again  bool            `json:"again,omitempty"` // it may have been made before
}

// reply is what came of a request.
type reply struct {
	Result json.RawMessage `json:"result,omitempty"`
	Fault  *wire.Fault     `json:"fault,omitempty"`
}

// Register makes a worker keep the state of graphs. The workflow does not end, so that it
// moves to the current version of a worker deployment.
func Register(r worker.WorkflowRegistry) {
	r.RegisterWorkflowWithOptions(keep, workflow.RegisterOptions{Name: workflowType, VersioningBehavior: workflow.VersioningBehaviorAutoUpgrade})
}

// keep is the workflow. It does not end.
func keep(ctx workflow.Context, s state) error {
	if s.Keys == nil {
		s.Keys = map[string]*graphstate.Stored{}
	}
	changes := 0
	for name, f := range map[string]any{
		queryRead: func(q request) (reply, error) { return s.read(&q), nil },
		queryList: func() ([]run.StateEntry, error) { return s.list(), nil },
	} {
		if err := workflow.SetQueryHandler(ctx, name, f); err != nil {
			return err
		}
	}
	if err := workflow.SetUpdateHandler(ctx, updateChange, func(_ workflow.Context, q request) (reply, error) {
		changes++
		return s.change(&q), nil
	}); err != nil {
		return err
	}
	if err := workflow.SetUpdateHandler(ctx, updateDelete, func(_ workflow.Context, key string) (int, error) {
		changes++
		return s.remove(key), nil
	}); err != nil {
		return err
	}
	if err := s.handleMarks(ctx, func() { changes++ }); err != nil {
		return err
	}
	err := workflow.Await(ctx, func() bool {
		return changes > 0 && (changes >= maxChanges || workflow.GetInfo(ctx).GetContinueAsNewSuggested()) && workflow.AllHandlersFinished(ctx)
	})
	if err != nil {
		return err
	}
	return workflow.NewContinueAsNewError(ctx, workflowType, s)
}

// read returns what a change would result in, and changes nothing.
func (s *state) read(q *request) reply {
	_, result, err := graphstate.Change(&q.Change, q.At, s.Keys[q.Change.Key], s.others(q))
	return replyOf(result, err)
}

// change makes a change once.
func (s *state) change(q *request) reply {
	if i := slices.IndexFunc(s.Made, func(m made) bool { return m.ID == q.ID }); i >= 0 {
		return reply{Result: s.Made[i].Result}
	}
	if q.Again && !q.At.After(s.Forgot) {
		f := diag.Faultf(runs.CodeStateUnknown, "the worker that changed the state %q was lost, and whether it did is not known any more", q.Change.Key)
		f.Hint = "patchbay state list shows what is stored; then decide with patchbay runs resume"
		return reply{Fault: wire.FaultOf(f)}
	}
	for key, is := range s.Keys {
		if is.Live(q.At) == nil {
			delete(s.Keys, key)
		}
	}
	was, key := s.Keys[q.Change.Key], q.Change.Key
	is, result, err := graphstate.Change(&q.Change, q.At, was, s.others(q))
	if err != nil {
		return replyOf(nil, err)
	}
	if size := s.size() - sizeOf(key, was) + sizeOf(key, is); size > s.Most && sizeOf(key, is) > sizeOf(key, was) {
		f := diag.Faultf(graphstate.CodeStateFull, "the state of the graph would take %d bytes, at most %d are allowed on Temporal", size, s.Most)
		f.Hint = "give the state a ttl, or delete what is not needed: patchbay state list, patchbay state delete"
		return reply{Fault: wire.FaultOf(f)}
	}
	if is == nil {
		delete(s.Keys, key)
	} else {
		s.Keys[key] = is
	}
	s.Made = append(s.Made, made{q.ID, q.At, result})
	s.forget()
	return reply{Result: result}
}

// forget drops the oldest results, but not the latest.
func (s *state) forget() {
	size := 0
	for i, latest := range slices.Backward(s.Made) {
		size += len(latest.ID) + len(latest.Result)
		if i == len(s.Made)-1 || len(s.Made)-i <= maxMade && size <= maxMadeSize {
			continue
		}
		for _, m := range s.Made[:i+1] {
			if m.At.After(s.Forgot) {
				s.Forgot = m.At
			}
		}
		s.Made = slices.Delete(s.Made, 0, i+1)
		return
	}
}

// others is how many other keys the graph has.
func (s *state) others(q *request) (n int) {
	for key, is := range s.Keys {
		if key != q.Change.Key && is.Live(q.At) != nil {
			n++
		}
	}
	return n
}

func (s *state) size() (n int) {
	for key, is := range s.Keys {
		n += sizeOf(key, is)
	}
	return n
}

// sizeOf is about how many bytes a key takes in a history.
func sizeOf(key string, s *graphstate.Stored) int {
	if s == nil {
		return 0
	}
	n := len(key) + len(s.Value) + 100
	for _, m := range s.Members {
		n += len(m.Value) + 30
	}
	return n
}

func (s *state) list() []run.StateEntry {
	list := make([]run.StateEntry, 0, len(s.Keys))
	for key, is := range s.Keys {
		list = append(list, is.Entry(run.StateEntry{Project: s.Project, Graph: s.Graph, Key: key}))
	}
	return list
}

// remove deletes a key, or every one for "".
func (s *state) remove(key string) (n int) {
	for k := range s.Keys {
		if key == "" || k == key {
			delete(s.Keys, k)
			n++
		}
	}
	return n
}

func replyOf(result json.RawMessage, err error) reply {
	if err != nil {
		return reply{Fault: wire.FaultOf(run.AsFault(err))}
	}
	return reply{Result: result}
}
