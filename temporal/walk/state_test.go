package walk_test

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"testing"

	"github.com/patchbay-mcp/patchbay/run"
	"github.com/patchbay-mcp/patchbay/temporal/walk"
	"github.com/patchbay-mcp/patchbay/temporal/wire"
)

// A change of state whose worker is lost is asked for again with the same intent, and the
// store is told that it may have been made.
func TestStateOfALostWorker(t *testing.T) {
	e := newEnvironment(t, nil)
	var again []bool
	calls := &walk.Calls{State: func(_ context.Context, r *wire.StateRequest, repeated bool) (json.RawMessage, error) {
		if r.Run != "run_1" || r.Intent.Key != "add#0/state" || r.Change.Do != run.StateAdd {
			t.Errorf("%+v", r)
		}
		if again = append(again, repeated); !repeated {
			return nil, errors.New("the worker was lost")
		}
		return json.RawMessage(`{"added":["a"],"known":[],"count":1}`), nil
	}}
	calls.Register(e)
	e.in = inputOf(t, graphOf("add", "{id: add, type: state, key: ids, add: {expr: '[\"a\"]'}, next: exit}"), &site{})
	e.SetStartTime(e.in.Record.Started)
	result(t, e.run(), `{"added":["a"],"known":[],"count":1}`)
	if !slices.Equal(again, []bool{false, true}) {
		t.Errorf("the store was asked %v", again)
	}
}
