package app

import (
	"context"
	"encoding/json"
	"errors"
	"time"

	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/run"
)

// An Ask is a question of an interrupted run.
type Ask struct {
	Step    string          `json:"step"`
	Message string          `json:"message"`
	Schema  json.RawMessage `json:"schema,omitempty"`
	Until   string          `json:"until,omitempty"` // then the answer is timeout
}

func asks(rec *run.Record) []Ask {
	if rec.Status != run.Interrupted {
		return nil
	}
	var list []Ask
	for i := range rec.Intents {
		in := &rec.Intents[i]
		if in.Kind != run.IntentAsk || in.Outcome != nil {
			continue
		}
		a := Ask{Step: in.Step}
		_ = json.Unmarshal(in.Detail, &a)
		if !in.Until.IsZero() {
			a.Until = in.Until.UTC().Format(time.RFC3339)
		}
		list = append(list, a)
	}
	return list
}

// RunsInput asks for the runs that are kept.
type RunsInput struct {
	Graph  string        `json:"graph,omitempty" flag:"graph-name" jsonschema:"only runs of this graph"`
	Status string        `json:"status,omitempty" jsonschema:"only runs that are running, succeeded, failed, cancelled or interrupted"`
	Since  time.Duration `json:"since,omitempty" jsonschema:"only runs that started at most this long ago, such as 2h"`
	Limit  int           `json:"limit,omitempty" default:"50" jsonschema:"at most this many; 0 is all"`
}

// RunsResult is a list of runs, the latest first.
type RunsResult struct {
	Runs []run.Summary `json:"runs"`
}

// Runs lists the caller's runs.
func (pb *App) Runs(ctx context.Context, in RunsInput) (*RunsResult, *diag.Fault) {
	archive, fault := pb.runner.archive()
	if fault != nil {
		return nil, fault
	}
	f := run.Filter{Principal: principal(ctx), Graph: in.Graph, Status: run.Status(in.Status), Limit: in.Limit}
	if in.Since > 0 {
		f.Since = time.Now().Add(-in.Since)
	}
	list, err := archive.List(f)
	if err != nil {
		return nil, archiveFault(err)
	}
	return &RunsResult{Runs: list}, nil
}

func archiveFault(err error) *diag.Fault {
	if f, ok := errors.AsType[*diag.Fault](err); ok {
		return f
	}
	return &diag.Fault{Code: "journal-failed", Message: "the runs cannot be read: " + err.Error(), Err: err}
}

// SourceOf returns where a run's graph came from.
func (pb *App) SourceOf(ctx context.Context, id string) (run.Source, *diag.Fault) {
	rec, fault := pb.record(ctx, id)
	if fault != nil {
		return run.Source{}, fault
	}
	return rec.Source, nil
}

// PruneResult is how many runs were forgotten.
type PruneResult struct {
	Forgotten int `json:"forgotten"`
}

// Prune forgets the runs that stopped longer ago than age, and the oldest of the
// others until they take at most so many bytes.
func (pb *App) Prune(_ context.Context, age time.Duration, bytes int64) (*PruneResult, *diag.Fault) {
	archive, fault := pb.runner.archive()
	if fault != nil {
		return nil, fault
	}
	n, err := archive.Prune(time.Now().Add(-age), bytes)
	if err != nil {
		return nil, archiveFault(err)
	}
	return &PruneResult{Forgotten: n}, nil
}

// CancelRunInput names the run to end.
type CancelRunInput struct {
	RunID string `json:"run_id" arg:"ID" jsonschema:"the run"`
}

// CancelRunResult says how the run stands now.
type CancelRunResult struct {
	RunID  string `json:"run_id"`
	Status string `json:"status"`
}

// CancelRun ends a run of the caller's, in whichever process it goes on. One that
// waits for somebody ends as well.
func (pb *App) CancelRun(ctx context.Context, in CancelRunInput) (*CancelRunResult, *diag.Fault) {
	by := "cancel_run"
	if principal(ctx) == "" {
		by = "patchbay runs cancel"
	}
	if pb.runner.stop(principal(ctx), in.RunID, cancelled(by)) {
		ctx, done := context.WithTimeout(ctx, 2*time.Second)
		defer done()
		pb.runner.wait(ctx, in.RunID)
	}
	rec, fault := pb.record(ctx, in.RunID)
	if fault != nil {
		return nil, fault
	}
	journal, fault := pb.runner.journal()
	if fault != nil {
		return nil, fault
	}
	switch rec.Status {
	case run.Interrupted:
		rec.Status, rec.Fault, rec.Ended = run.Cancelled, cancelled(by), time.Now()
		if fault := pb.file(journal, rec); fault != nil {
			return nil, fault
		}
	case run.Running:
		if rec, fault = pb.cancelElsewhere(ctx, journal, rec); fault != nil {
			return nil, fault
		}
	}
	return &CancelRunResult{RunID: rec.ID, Status: string(rec.Status)}, nil
}

// file keeps how a run stands that does not go on in this process.
func (pb *App) file(journal RunJournal, rec *run.Record) *diag.Fault {
	if journal == nil {
		pb.runner.memory.Keep(rec)
		return nil
	}
	err := journal.Begin(rec)
	if err == nil {
		err = journal.End(rec)
	}
	if err == nil {
		return nil
	}
	return archiveFault(err)
}

// cancelElsewhere asks another process to end a run, and waits two seconds for it.
func (pb *App) cancelElsewhere(ctx context.Context, journal RunJournal, rec *run.Record) (*run.Record, *diag.Fault) {
	if journal == nil {
		return rec, nil
	}
	if err := journal.Cancel(principal(ctx), rec.ID); err != nil {
		return nil, archiveFault(err)
	}
	for range 40 {
		select {
		case <-ctx.Done():
		case <-time.After(50 * time.Millisecond):
		}
		now, fault := pb.record(ctx, rec.ID)
		if fault != nil || now.Status != run.Running {
			return now, fault
		}
	}
	return rec, nil
}
