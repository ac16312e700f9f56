package journal

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/run"
)

// kept is the text of a column that holds it or its hash.
func columnText(column string) string {
	return "CASE typeof(" + column + ") WHEN 'blob' THEN (SELECT data FROM blobs WHERE hash = " + column + ") ELSE " + column + " END"
}

var (
	getRun = "SELECT n, id, principal, graph, mode, source_name, " + columnText("source_text") + ", source_tool, source_trusted, " +
		columnText("arguments") + ", " + columnText("options") + ", " + columnText("resumed") + ", status, " + columnText("result") + ", " + columnText("fault") +
		", started, ended, begun, project, owner FROM runs WHERE id = ?1 AND (?2 OR principal = ?3)"
	getStatus = "SELECT status, owner FROM runs WHERE id = ?1 AND (?2 OR principal = ?3)"
	getSteps  = "SELECT at, node, type, key, started, duration, " + columnText("input") + ", " + columnText("output") + ", " + columnText("fault") +
		", caught, part, pure, attempts, ended, simulated, definition, " + columnText("branches") + ", call, frame FROM steps WHERE at >= ? AND at < ? ORDER BY at"
	getTraces  = "SELECT data FROM traces WHERE at >= ? AND at < ? ORDER BY at"
	getIntents = "SELECT key, step, kind, at, until, " + columnText("detail") + ", " + columnText("outcome") + " FROM intents WHERE run = ? ORDER BY n"
	listRuns   = "SELECT id, graph, principal, status, started, ended, " +
		"steps, " + columnText("arguments") + ", " + columnText("fault") + ", owner, project, " + heldQuestion + " FROM runs WHERE (?1 OR principal = ?2) AND (?3 = '' OR graph = ?3) " +
		"AND (?4 = '' OR status = ?4 OR ?4 = 'interrupted' AND status = 'running') AND started >= ?5 " +
		"AND (?6 = '' OR project = ?6) ORDER BY started DESC, n DESC LIMIT ?7"
)

// settle waits until all that is pending is written, as far as it can be.
func (j *Journal) settle() {
	if j.queue.waiting() {
		_ = j.queue.put(&op{do: func(*writer) error { return nil }}, true) // what cannot be written is logged
	}
}

// restore puts the secrets back into texts that were read.
func (j *Journal) restore(texts ...*[]byte) {
	for _, b := range texts {
		*b = j.restored(*b)
	}
}

func (j *Journal) restored(b []byte) []byte {
	if b == nil || j.o.Restore == nil {
		return b
	}
	return j.o.Restore(b)
}

// Load returns a run as far as it is kept. A step of which nothing is kept,
// although later ones are, has only its index.
func (j *Journal) Load(actor run.Actor, id string) (*run.Record, error) {
	j.settle()
	ctx := context.Background()
	tx, err := j.reads.BeginTx(ctx, &sql.TxOptions{ReadOnly: true})
	if err != nil {
		return nil, j.failed("read", err)
	}
	defer func() { _ = tx.Rollback() }()
	r, owner, err := j.load(ctx, tx, actor, id)
	if err != nil {
		return nil, j.failed("read", err)
	}
	if r.Status == run.Running && !j.owner.alive(owner) {
		r.Status, r.Fault = run.Interrupted, crashed()
	}
	return r, nil
}

// Status returns the status of a run.
func (j *Journal) Status(actor run.Actor, id string) (run.Status, error) {
	j.settle()
	var (
		status run.Status
		owner  string
	)
	err := j.reads.QueryRowContext(context.Background(), getStatus, id, actor.Operator, actor.Principal).Scan(&status, &owner)
	switch {
	case errors.Is(err, sql.ErrNoRows):
		return "", run.ErrNoRun
	case err != nil:
		return "", j.failed("read", err)
	case status == run.Running && !j.owner.alive(owner):
		return run.Interrupted, nil
	}
	return status, nil
}

// crashed is the fault of a run whose process ended during the run.
func crashed() *diag.Fault {
	return &diag.Fault{
		Code: "crashed", Message: "the process ended during the run",
		Hint: "patchbay serve with the same configuration resumes it, or resume_run {\"decision\": \"retry\"}",
	}
}

func (j *Journal) load(ctx context.Context, tx *sql.Tx, actor run.Actor, id string) (rec *run.Record, owner string, err error) {
	var (
		r                                                   run.Record
		n, started, ended                                   int64
		source, arguments, options, resumed, result, faulty []byte
	)
	err = tx.QueryRowContext(ctx, getRun, id, actor.Operator, actor.Principal).Scan(&n, &r.ID, &r.Principal, &r.Graph, &r.Mode, &r.Source.Name, &source, &r.Source.Tool,
		&r.Source.Trusted, &arguments, &options, &resumed, &r.Status, &result, &faulty, &started, &ended, &r.Begun, &r.Project, &owner)
	if errors.Is(err, sql.ErrNoRows) {
		return nil, "", run.ErrNoRun
	}
	if err != nil {
		return nil, "", err
	}
	j.restore(&source, &arguments, &options, &resumed, &result, &faulty)
	r.Source.Text, r.Arguments = string(source), run.JSONOrText(arguments)
	r.Started, r.Ended = timeOf(started), timeOf(ended)
	err = nil
	note := func(e error) { err = errors.Join(err, e) }
	var e error
	r.Options, e = decodeOptions(options)
	note(e)
	if resumed != nil {
		note(json.Unmarshal(resumed, &r.Resumed))
	}
	r.Result, e = decodeValue(result)
	note(e)
	r.Fault, e = decodeFault(faulty)
	note(e)
	if err != nil {
		return nil, "", fmt.Errorf("%w: the run %s: %w", errDamaged, id, err)
	}
	if r.Steps, err = j.loadSteps(ctx, tx, n); err != nil {
		return nil, "", err
	}
	r.Intents, err = j.loadIntents(ctx, tx, n)
	return &r, owner, err
}

// loadSteps returns the steps of a run: those of its traces, the later before the
// earlier, and before them those with a row of their own.
func (j *Journal) loadSteps(ctx context.Context, tx *sql.Tx, active int64) ([]*run.StepRecord, error) {
	var steps []*run.StepRecord
	var records run.Steps
	put := func(s run.StepRecord) { steps = records.Put(steps, &s) }
	if err := j.loadTraces(ctx, tx, active, put); err != nil {
		return nil, err
	}
	rows, err := tx.QueryContext(ctx, getSteps, stepID(active, 0), stepID(active+1, 0))
	if err != nil {
		return nil, err
	}
	defer func() { _ = rows.Close() }()
	for rows.Next() {
		var (
			s                                 run.StepRecord
			at, started, duration, definition int64
			input, output, faulty, branches   []byte
		)
		if err := rows.Scan(&at, &s.Node, &s.Type, &s.Key, &started, &duration, &input, &output, &faulty,
			&s.Caught, &s.Part, &s.Pure, &s.Attempts, &s.Ended, &s.Simulated, &definition, &branches, &s.Call, &s.Frame); err != nil {
			return nil, err
		}
		j.restore(&input, &output, &faulty)
		s.Index, s.Size = int(at&(1<<indexBits-1)), len(output)
		s.Started, s.Duration, s.Definition = timeOf(started), time.Duration(duration), uint64(definition) //nolint:gosec // the same bits
		if s.Index >= maxIndex {
			return nil, fmt.Errorf("%w: a step has the index %d", errDamaged, s.Index)
		}
		var failed [4]error
		s.Input, failed[0] = decodeValue(input)
		s.Output, failed[1] = decodeValue(output)
		s.Fault, failed[2] = decodeFault(faulty)
		if branches != nil {
			failed[3] = json.Unmarshal(branches, &s.Branches)
		}
		if err := errors.Join(failed[:]...); err != nil {
			return nil, fmt.Errorf("%w: the step %s: %w", errDamaged, s.Key, err)
		}
		put(s)
	}
	return steps, rows.Err()
}

// loadTraces calls f for each step in the traces of a run.
func (j *Journal) loadTraces(ctx context.Context, tx *sql.Tx, active int64, f func(run.StepRecord)) error {
	rows, err := tx.QueryContext(ctx, getTraces, stepID(active, 0), stepID(active+1, 0))
	if err != nil {
		return err
	}
	defer func() { _ = rows.Close() }()
	for rows.Next() {
		var data []byte
		if err := rows.Scan(&data); err != nil {
			return err
		}
		if err := decodeTrace(data, j.restored, f); err != nil {
			return fmt.Errorf("%w: %w", errDamaged, err)
		}
	}
	return rows.Err()
}

func (j *Journal) loadIntents(ctx context.Context, tx *sql.Tx, active int64) ([]run.Intent, error) {
	rows, err := tx.QueryContext(ctx, getIntents, active)
	if err != nil {
		return nil, err
	}
	defer func() { _ = rows.Close() }()
	var intents []run.Intent
	for rows.Next() {
		var (
			in              run.Intent
			at              int64
			until           string
			detail, outcome []byte
		)
		if err := rows.Scan(&in.Key, &in.Step, &in.Kind, &at, &until, &detail, &outcome); err != nil {
			return nil, err
		}
		j.restore(&detail, &outcome)
		in.At, in.Detail, in.Outcome = timeOf(at), detail, outcome
		if until != "" {
			if in.Until, err = time.Parse(time.RFC3339Nano, until); err != nil {
				return nil, fmt.Errorf("%w: the intent %s: %w", errDamaged, in.Key, err)
			}
		}
		intents = append(intents, in)
	}
	return intents, rows.Err()
}

// List returns a line about each of the chosen runs, the latest first.
func (j *Journal) List(f run.Filter) ([]run.Summary, error) {
	j.settle()
	limit := f.Limit
	if limit <= 0 || f.Status != "" { // what is running may turn out to be interrupted
		limit = -1
	}
	rows, err := j.reads.QueryContext(context.Background(), listRuns, f.Actor.Operator, f.Actor.Principal, f.Graph, string(f.Status), nanos(f.Since), f.Project, limit)
	if err != nil {
		return nil, j.failed("read", err)
	}
	defer func() { _ = rows.Close() }()
	var out []run.Summary
	for rows.Next() {
		var (
			s                 run.Summary
			started, ended    int64
			arguments, faulty []byte
			owner             string
			question          []byte
		)
		if err := rows.Scan(&s.ID, &s.Graph, &s.Principal, &s.Status, &started, &ended, &s.Steps, &arguments, &faulty, &owner, &s.Project, &question); err != nil {
			return nil, j.failed("read", err)
		}
		j.restore(&arguments, &faulty, &question)
		s.Started, s.Ended, s.Arguments = timeOf(started), timeOf(ended), run.JSONOrText(arguments)
		switch fault, err := decodeFault(faulty); {
		case err != nil:
			return nil, j.failed("read", fmt.Errorf("%w: the run %s: %w", errDamaged, s.ID, err))
		case fault != nil:
			s.Code, s.Message = fault.Code, fault.Error()
		}
		switch {
		case s.Status == run.Running && !j.owner.alive(owner):
			s.Status, s.Code, s.Message = run.Interrupted, "crashed", crashed().Message
		case question != nil:
			s.Waits(question)
		}
		if f.Status != "" && s.Status != f.Status {
			continue
		}
		if f.Limit > 0 && len(out) == f.Limit {
			break
		}
		out = append(out, s)
	}
	return out, j.failed("read", rows.Err())
}

// loadAll loads runs that are known to be there.
func (j *Journal) loadAll(ids []string) ([]*run.Record, error) {
	var (
		out  []*run.Record
		errs []error
	)
	for _, id := range ids {
		r, err := j.Load(run.Actor{Operator: true}, id)
		if err != nil {
			errs = append(errs, err)
			continue
		}
		out = append(out, r)
	}
	return out, errors.Join(errs...)
}
