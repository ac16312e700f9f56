package journal

import (
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"github.com/patchbay-mcp/patchbay/expr"
	"github.com/patchbay-mcp/patchbay/run"
)

const (
	putRun = `INSERT INTO runs (principal, graph, mode, source_name, source_text, source_tool, source_trusted,
		arguments, options, resumed, status, result, fault, started, ended, steps, owner, begun, project, calls, called, replied, cancel, id, seal, head)
		VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 0, ?, ?, ?)`
	setRun = `UPDATE runs SET principal = ?, graph = ?, mode = ?, source_name = ?, source_text = ?, source_tool = ?, source_trusted = ?,
		arguments = ?, options = ?, resumed = ?, status = ?, result = ?, fault = ?, started = ?, ended = ?, steps = ?, owner = ?, begun = ?, project = ?,
		calls = ?, called = ?, replied = ?, seal = ?24, head = ?25
		WHERE id = ?23`
	endRun = `UPDATE runs SET resumed = ?, status = ?, result = ?, fault = ?, ended = ?, steps = ?, calls = ?, called = ?, replied = ?,
		head = ?, owner = '', cancel = 0 WHERE n = ?`
	putStep = `INSERT OR REPLACE INTO steps (node, type, key, started, duration, input, output, fault,
		caught, part, pure, attempts, ended, simulated, definition, branches, call, frame, at) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`
	putIntent = `INSERT INTO intents (key, step, kind, at, until, detail, outcome, code, run) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
		ON CONFLICT (run, key) DO UPDATE SET step = excluded.step, kind = excluded.kind, at = excluded.at, until = excluded.until,
		detail = excluded.detail, outcome = excluded.outcome, code = excluded.code`
	setHead  = `UPDATE runs SET steps = max(steps, ?), head = ? WHERE n = ?`
	putTrace = `INSERT INTO traces (at, data) VALUES ((SELECT coalesce(max(at) + 1, ?1) FROM traces WHERE at >= ?1 AND at < ?2), ?3)`
	putBlob  = `INSERT INTO blobs (hash, data) VALUES (?, ?) ON CONFLICT DO NOTHING`
	putRef   = `INSERT INTO refs (run, hash) VALUES (?, ?) ON CONFLICT DO NOTHING`
)

const (
	indexBits = 32 // of a step's row id
	maxIndex  = 1 << 24
)

// run encodes a run without its steps and intents, and without its head.
func (e encoder) run(r *run.Record, owner string, begun int) (*row, error) {
	w := &row{}
	w.add(r.Principal, r.Graph, r.Mode, r.Source.Name)
	e.document(w, r.Source.Text)
	w.add(r.Source.Tool, r.Source.Trusted)
	e.json(w, r.Arguments)
	if err := e.options(w, r.Options); err != nil {
		return nil, err
	}
	e.resumed(w, r.Resumed)
	w.add(string(r.Status))
	if err := e.value(w, "the result", r.Result); err != nil {
		return nil, err
	}
	e.fault(w, r.Fault)
	w.add(nanos(r.Started), nanos(r.Ended), r.Filed(), owner, begun, r.Project, nil, nil, nil, r.ID)
	w.add(e.sealer.sum("run", w.columns[:resumedColumn], nanos(r.Started), begun, r.Project, r.ID))
	return w, nil
}

// stands returns what the head of a run covers of its row.
func (r *row) stands() []any {
	c := r.columns
	return append([]any{c[begunColumn], c[endedColumn]}, c[resumedColumn:resumedColumn+4]...)
}

// standsAfter returns the same of the row of its end.
func (r *row) standsAfter(begun any) []any {
	return append([]any{begun, r.columns[4]}, r.columns[:4]...)
}

// Columns of putRun that the end of a run sets, and the first of those of endRun.
const (
	resumedColumn = 9 // then status, result, fault
	endedColumn   = 14
	stepsColumn   = 15
	ownerColumn   = 16
	begunColumn   = 17
	callsColumn   = 19 // then called, replied
)

// endedRun makes the row of a run that begins that of one which has ended.
func (r *row) endedRun(end *row) {
	copy(r.columns[resumedColumn:], end.columns[:4])
	r.columns[endedColumn], r.columns[stepsColumn], r.columns[ownerColumn] = end.columns[4], end.columns[5], ""
	copy(r.columns[callsColumn:], end.columns[6:9])
	r.blobs = append(slices.Clip(r.blobs), end.blobs...)
}

// end encodes the state of a run that has stopped.
func (e encoder) end(r *run.Record) (*row, error) {
	w := &row{}
	e.resumed(w, r.Resumed)
	w.add(string(r.Status))
	if err := e.value(w, "the result", r.Result); err != nil {
		return nil, err
	}
	e.fault(w, r.Fault)
	calls, called := r.Calls()
	w.add(nanos(r.Ended), r.Filed(), calls, called, r.ResultSize())
	return w, nil
}

func (e encoder) resumed(w *row, resumed []run.Resumption) {
	if resumed == nil {
		w.add(nil)
		return
	}
	b, _ := json.Marshal(resumed) // of texts and times
	e.json(w, b)
}

// step encodes a step, but for its row id.
func (e encoder) step(s *run.StepRecord) (*row, error) {
	if s.Index < 0 || s.Index >= maxIndex {
		return nil, fmt.Errorf("a run has at most %d steps", maxIndex)
	}
	w := &row{columns: make([]any, 0, 19)}
	w.add(s.Node, s.Type, s.Key, nanos(s.Started), int64(s.Duration))
	if input := s.Input; s.Fault != nil && (s.Pure || s.Frame) && expr.Size(input, maxFailedInput) > maxFailedInput {
		w.text(nil, largeValue) // it follows from the rest of the run, and nothing continues from it
	} else if err := e.value(w, "the input of "+s.Key, input); err != nil {
		return nil, err
	}
	if err := e.value(w, "the output of "+s.Key, s.Output); err != nil {
		return nil, err
	}
	e.fault(w, s.Fault)
	w.add(s.Caught, s.Part, s.Pure, s.Attempts, s.Ended, s.Simulated, int64(s.Definition)) //nolint:gosec // the same bits
	if s.Branches == nil {
		w.add(nil)
	} else {
		b, _ := json.Marshal(s.Branches)
		w.text(b, largeValue)
	}
	w.add(s.Call, s.Frame)
	return w, nil
}

// intent encodes an intent of a run, but for the run's row id. A time may be further away
// than nanoseconds reach.
func (e encoder) intent(id string, in *run.Intent) *row {
	w := &row{}
	if _, asks := in.Tokens(); asks && in.Kind == run.IntentCall {
		w.asks = in
	}
	until := ""
	if !in.Until.IsZero() {
		until = in.Until.UTC().Format(time.RFC3339Nano)
	}
	w.add(in.Key, in.Step, string(in.Kind), nanos(in.At), until)
	e.json(w, in.Detail)
	e.json(w, in.Outcome)
	if in.Kind == run.IntentHeld && in.Outcome != nil {
		w.add(e.sealer.answer(id, in.Key, w.columns[6]))
	} else {
		w.add(nil)
	}
	return w
}

func stepID(active int64, index int) int64 { return active<<indexBits | int64(index) }

// put writes a row of a run, with its last column and the large texts it names.
func (w *writer) put(text string, active int64, r *row, last any) error {
	if r.asks != nil {
		if err := w.spend(active, r.asks); err != nil {
			return err
		}
	}
	args := slices.Concat(r.columns, []any{last})
	if _, err := w.exec(text, args...); err != nil {
		return err
	}
	return w.keep(active, r.blobs)
}

func (w *writer) keep(active int64, blobs []blob) error {
	for _, b := range blobs {
		if _, err := w.exec(putBlob, b.hash, b.data); err != nil {
			return err
		}
		if _, err := w.exec(putRef, active, b.hash); err != nil {
			return err
		}
	}
	return nil
}
