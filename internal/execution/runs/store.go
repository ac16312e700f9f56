package runs

import (
	"encoding/json"
	"time"

	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/engine/local"
	"github.com/patchbay-mcp/patchbay/run"
)

// A RunStore keeps runs: while they execute, as a [run.Journal], and afterwards. A
// run exists for the actors that may see it; to others it is [run.ErrNoRun]. An
// error that is a [diag.Fault] is for the user as it is. A store is safe for
// concurrent use.
type RunStore interface {
	run.Journal

	// Load returns a copy of a run's record, as far as it is kept. A store that does not know
	// who wrote it sets Unverified, and refuses to Begin or End the run.
	Load(actor run.Actor, id string) (*run.Record, error)
	// Status returns the status of a run.
	Status(actor run.Actor, id string) (run.Status, error)
	// List returns a line about each of the chosen runs, the latest first.
	List(f run.Filter) ([]run.Summary, error)
	// Uses adds up the completed runs of each graph, the most used graph first. The
	// filter's Status and Limit do not count. A store on disk does not read the runs for
	// it.
	Uses(f run.Filter) ([]run.Use, error)
	// Prune deletes the runs of a project that stopped before a time, or those of every
	// project for "". Then it deletes the oldest of all runs until the rest take at most
	// so many bytes. The zero time and 0 mean no bound. Runs that execute or wait stay. It
	// returns how many it deleted.
	Prune(project string, before time.Time, maxBytes int64) (deleted int, err error)
	// Adopt makes the runs of some projects those of another, and returns how many these
	// are. Among the projects, "" stands for the runs without one.
	Adopt(from []string, to string) (adopted int, err error)

	// ClaimOrphans returns the runs of a project whose process ended while they
	// executed. They are this process's from then on. Runs that cannot be read are in
	// the error; the others are returned all the same.
	ClaimOrphans(project string) ([]*run.Record, error)
	// Cancel asks whichever process executes a run to end it, and returns when that is
	// kept. A run that does not execute is a fault with the code not-running.
	Cancel(actor run.Actor, id string) error
	// OnCancel sets what is called, with the id of a run of this process, soon after
	// somebody has cancelled it in any process.
	OnCancel(f func(id string))
	// Reply keeps the answer to a question with which a call waits, by the key of its
	// intent, and passes it to whichever process executes the run. Only the first answer
	// counts: any other is a fault with the code not-asked. A run that does not execute is a
	// fault with the code not-running.
	Reply(actor run.Actor, id, key string, answer json.RawMessage) error
	// OnReply sets what is called soon after a question of a run of this process was answered
	// in any process, also more than once for an answer.
	OnReply(f func(id, key string, answer json.RawMessage))
	// Close keeps what is not kept yet and releases the store.
	Close() error
}

// A TokenStore also counts what models have cost.
type TokenStore interface {
	// TokensOn returns what the requests of a graph to models have cost on a day of UTC, or may
	// have where their replies are not known.
	TokensOn(project, graph string, day time.Time) (int, error)
}

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
		return nil, diag.Faultf(local.CodeNoState, "the store of runs keeps no state")
	}
	return state, nil
}

// ScheduleMark implements [run.ScheduleStore].
func (l *Local) ScheduleMark(project, name string) (*run.ScheduleMark, error) {
	store, err := l.scheduleStore()
	if err != nil {
		return nil, err
	}
	return store.ScheduleMark(project, name)
}

// SetScheduleMark implements [run.ScheduleStore].
func (l *Local) SetScheduleMark(project, name string, was *run.ScheduleMark, is run.ScheduleMark) (bool, error) {
	store, err := l.scheduleStore()
	if err != nil {
		return false, err
	}
	return store.SetScheduleMark(project, name, was, is)
}

var codeNoSchedules = diag.DefineFault("no-schedules", diag.RefusesRequest, "the store of runs, of a program of your own, keeps no schedules", "implement `run.ScheduleStore`")

func (l *Local) scheduleStore() (run.ScheduleStore, error) {
	store, fault := l.store()
	if fault != nil {
		return nil, fault
	}
	marks, ok := store.(run.ScheduleStore)
	if !ok {
		return nil, diag.Faultf(codeNoSchedules, "the store of runs keeps no schedules")
	}
	return marks, nil
}
