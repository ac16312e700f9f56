package local

import (
	"context"
	"encoding/json"

	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/internal/sys/admission"
	"github.com/patchbay-mcp/patchbay/run"
)

var CodeNoState = diag.DefineFault("no-state", diag.FailsAttempt, "a graph has stored nothing under that key, or the program has no store of state", "`patchbay state list` shows what there is")

// State implements [engine.Runtime]. A change that was made by an earlier attempt at the
// step is not made again: its result is in the intent that was stored with it.
func (r *runtime) State(ctx context.Context, key string, c run.StateChange) (result json.RawMessage, simulated string, err error) {
	step, _, _ := cutLast(key, "/")
	if made := r.stateMade(key); made != nil {
		return made, "", nil
	}
	switch {
	case r.past != nil && r.past.replay:
		return nil, "", notRecorded(step)
	case r.o.State == nil && r.o.ChangeState == nil:
		return nil, "", diag.Faultf(CodeNoState, "no store of state is configured").WithHint("give local.Options a State")
	}
	if cause := context.Cause(ctx); cause != nil {
		return nil, "", cause
	}
	admission.From(ctx).Pause()
	c.Project = r.record.Project
	dry := r.record.Mode == run.DryRun
	in := run.Intent{Key: key, Step: step, Kind: run.IntentState, At: r.Now()}
	in.Detail, _ = json.Marshal(map[string]string{"graph": c.Graph, "do": c.Do, "key": c.Key})
	result, err = r.changeState(ctx, in, c, dry)
	switch {
	case err != nil:
		return nil, "", journalFault(err)
	case c.Do == run.StateGet:
		return result, "", nil
	case dry:
		return result, run.DryRun, nil
	}
	in.Outcome = result
	r.mu.Lock()
	r.setIntent(key, len(r.record.Intents))
	r.record.Intents = append(r.record.Intents, in)
	r.mu.Unlock()
	return result, "", nil
}

func (r *runtime) changeState(ctx context.Context, in run.Intent, c run.StateChange, dry bool) (json.RawMessage, error) {
	if r.o.ChangeState != nil {
		return r.o.ChangeState(ctx, in, c, dry)
	}
	return r.o.State.ChangeState(r.record.ID, in, c, dry)
}

// stateMade returns the result of a change of state that this run has made, or nil.
func (r *runtime) stateMade(key string) json.RawMessage {
	r.mu.Lock()
	defer r.mu.Unlock()
	if i, made := r.intents[key]; made {
		return r.record.Intents[i].Outcome
	}
	return nil
}
