package runs

import (
	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/run"
)

// States implements [Runner].
func (l *Local) States(project, graph string) ([]run.StateEntry, *diag.Fault) {
	state, fault := l.stateStore()
	if fault != nil {
		return nil, fault
	}
	list, err := state.States(project, graph)
	if err != nil {
		return nil, storeFault("", err)
	}
	return list, nil
}

// DeleteState implements [Runner].
func (l *Local) DeleteState(project, graph, key string) (int, *diag.Fault) {
	state, fault := l.stateStore()
	if fault != nil {
		return 0, fault
	}
	deleted, err := state.DeleteState(project, graph, key)
	if err != nil {
		return 0, storeFault("", err)
	}
	return deleted, nil
}

func (l *Local) stateStore() (run.StateStore, *diag.Fault) {
	store, fault := l.store()
	if fault != nil {
		return nil, fault
	}
	state, ok := store.(run.StateStore)
	if !ok {
		return nil, diag.Faultf("no-state", "the store of runs keeps no state")
	}
	return state, nil
}
