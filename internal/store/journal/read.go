package journal

import (
	"context"
	"crypto/hmac"
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
		", started, ended, begun, project, owner, seal, head FROM runs WHERE id = ?1 AND (?2 OR principal = ?3)"
	getStatus = "SELECT status, owner FROM runs WHERE id = ?1 AND (?2 OR principal = ?3)"
	getSteps  = "SELECT at, node, type, key, started, duration, " + columnText("input") + ", " + columnText("output") + ", " + columnText("fault") +
		", caught, part, pure, attempts, ended, simulated, definition, " + columnText("branches") + ", call, frame FROM steps WHERE at >= ? AND at < ? ORDER BY at"
	getTraces  = "SELECT data FROM traces WHERE at >= ? AND at < ? ORDER BY at"
	getIntents = "SELECT key, step, kind, at, until, " + columnText("detail") + ", " + columnText("outcome") + ", code FROM intents WHERE run = ? ORDER BY at, n"
	listRuns   = listed + chosen + latestFirst
	// What is running may turn out to have stopped.
	listStatus = listed + chosen + "AND n IN (SELECT n FROM (SELECT n FROM runs WHERE status = ?4 AND " + chosen + latestFirst + ") UNION ALL SELECT n FROM runs WHERE status = 'running') ORDER BY started DESC, n DESC"
	listed     = "SELECT id, graph, principal, status, started, ended, " +
		"steps, CASE WHEN ?9 THEN NULL ELSE " + columnText("arguments") + " END, " + columnText("fault") + ", owner, project, " + heldQuestion + ", " + sealedColumns + ", " + standingColumns + " FROM runs WHERE "
	chosen = "(?1 OR principal = ?2) AND (?3 = '' OR graph = ?3) AND started >= ?5 " +
		"AND (?6 = '' OR project = ?6) AND NOT (?8 AND typeof(options) = 'text' AND json_valid(options) AND coalesce(json_extract(options, '$.around'), 0)) "
	latestFirst = "ORDER BY started DESC, n DESC LIMIT ?7"
)

// settle waits until all that is pending is written, as far as it can be.
func (j *Journal) settle() {
	if j.queue.waiting() {
		_ = j.queue.put(&op{do: func(*writer) error { return nil }}, true) // what cannot be written is logged
	}
}

// decoder reads the columns of a record.
type decoder struct {
	restored func([]byte) []byte // returns a text that was read with the secrets in it
	sealer   *sealer
}

func (j *Journal) decoder() decoder { return decoder{j.restored, j.sealer} }

// restore puts the secrets back into texts that were read.
func (d decoder) restore(texts ...*[]byte) {
	for _, b := range texts {
		*b = d.restored(*b)
	}
}

func (j *Journal) restored(b []byte) []byte {
	if b == nil || j.o.Restore == nil {
		return b
	}
	return j.o.Restore(b)
}

// Load returns a run as far as it is kept. A step without anything kept,
// although later ones are, has only its index.
func (j *Journal) Load(actor run.Actor, id string) (*run.Record, error) {
	r, err := j.load(actor, id)
	if err != nil {
		return nil, err
	}
	return r.Record, nil
}

func (j *Journal) load(actor run.Actor, id string) (*storedRun, error) {
	j.settle()
	ctx := context.Background()
	tx, err := j.reads.BeginTx(ctx, &sql.TxOptions{ReadOnly: true})
	if err != nil {
		return nil, j.failed("read", err)
	}
	defer func() { _ = tx.Rollback() }()
	r, err := j.decoder().load(ctx, tx, actor, id, true)
	ended := j.unwrittenEnd(id)
	switch {
	case errors.Is(err, run.ErrNoRun) && ended != nil && actor.Sees(ended.Principal):
		own := *ended
		return &storedRun{Record: &own}, nil
	case err != nil:
		return nil, j.failed("read", err)
	case !r.verified:
		r.Unverified = j.sealer.unverified("the run " + id)
	case ended != nil:
		r.Status, r.Result, r.Fault, r.Ended, r.Resumed = ended.Status, ended.Result, ended.Fault, ended.Ended, ended.Resumed
	}
	if r.Status == run.Running && !j.owner.alive(r.owner) {
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
	switch ended := j.unwrittenEnd(id); {
	case ended != nil && actor.Sees(ended.Principal):
		return ended.Status, nil
	case errors.Is(err, sql.ErrNoRows):
		return "", run.ErrNoRun
	case err != nil:
		return "", j.failed("read", err)
	case status == run.Running && !j.owner.alive(owner):
		return run.Interrupted, nil
	}
	return status, nil
}

var codeCrashed = diag.DefineFault("crashed", diag.FailsAttempt, "parked: the process crashed", "nothing: the next `patchbay serve` of the project resumes it")

// crashed is the fault of a run whose process ended during the run.
func crashed() *diag.Fault {
	return &diag.Fault{
		Code: codeCrashed, Message: "the process ended during the run",
		Hint: "patchbay serve with the same configuration resumes it, or resume_run {\"decision\": \"retry\"}",
	}
}

// A storedRun is a run as it is on disk.
type storedRun struct {
	*run.Record
	n          int64
	owner      string
	seal, head []byte // as they should be
	verified   bool   // they are
	answers    []any  // codes of the answers with which calls wait, as they should be
	codes      codes
	lastTraced int // index of the last step in a trace, -1 for none
}

// load reads a run; without values, the inputs, outputs and faults of its steps are nil.
func (d decoder) load(ctx context.Context, tx reader, actor run.Actor, id string, values bool) (*storedRun, error) {
	var (
		r                                                   run.Record
		started, ended                                      int64
		source, arguments, options, resumed, result, faulty []byte
		seal, head                                          []byte
	)
	out := &storedRun{Record: &r, lastTraced: -1}
	err := tx.QueryRowContext(ctx, getRun, id, actor.Operator, actor.Principal).Scan(&out.n, &r.ID, &r.Principal, &r.Graph, &r.Mode, &r.Source.Name, &source, &r.Source.Tool,
		&r.Source.Trusted, &arguments, &options, &resumed, &r.Status, &result, &faulty, &started, &ended, &r.Begun, &r.Project, &out.owner, &seal, &head)
	if errors.Is(err, sql.ErrNoRows) {
		return nil, run.ErrNoRun
	}
	if err != nil {
		return nil, err
	}
	began := []any{r.Principal, r.Graph, r.Mode, r.Source.Name, stored(source, largeText), r.Source.Tool, r.Source.Trusted, stored(arguments, largeValue), stored(options, largeValue)}
	stands := []any{r.Begun, ended, stored(resumed, largeValue), string(r.Status), stored(result, largeValue), stored(faulty, largeValue)}
	d.restore(&source, &arguments, &options, &resumed, &result, &faulty)
	r.Source.Text, r.Arguments = string(source), run.JSONOrText(arguments)
	r.Started, r.Ended = timeFromNanos(started), timeFromNanos(ended)
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
		return nil, fmt.Errorf("%w: the run %s: %w", errDamaged, id, err)
	}
	if r.Steps, err = d.loadSteps(ctx, tx, out, values); err != nil {
		return nil, err
	}
	answered, err := d.loadIntents(ctx, tx, out)
	if err != nil {
		return nil, err
	}
	out.codes.settle(true)
	out.seal = d.sealer.sum("run", began, started, r.Begun, r.Project, r.ID)
	out.head = out.codes.head(d.sealer, r.ID, stands)
	out.verified = answered && hmac.Equal(seal, out.seal) && hmac.Equal(head, out.head)
	return out, nil
}

// loadSteps returns the steps of a run: those of its traces, the later before the
// earlier, and before them those with a row of their own.
func (d decoder) loadSteps(ctx context.Context, tx reader, of *storedRun, values bool) ([]*run.StepRecord, error) {
	var steps []*run.StepRecord
	var records run.Steps
	put := func(s run.StepRecord) { steps = records.Put(steps, &s) }
	err := d.loadTraces(ctx, tx, of, func(s run.StepRecord) {
		of.lastTraced = max(of.lastTraced, s.Index)
		put(s)
	})
	if err != nil {
		return nil, err
	}
	rows, err := tx.QueryContext(ctx, getSteps, stepID(of.n, 0), stepID(of.n+1, 0))
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
		s.Index = int(at & (1<<indexBits - 1))
		of.codes.step(d.sealer, s.Index, []any{
			s.Node, s.Type, s.Key, started, duration, stored(input, largeValue), stored(output, largeValue), stored(faulty, largeValue),
			s.Caught, s.Part, s.Pure, s.Attempts, s.Ended, s.Simulated, definition, stored(branches, largeValue), s.Call, s.Frame,
		})
		d.restore(&input, &output, &faulty)
		s.Size = len(output)
		if !values {
			input, output, faulty = nil, nil, nil
		}
		s.Started, s.Duration, s.Definition = timeFromNanos(started), time.Duration(duration), uint64(definition) //nolint:gosec // the same bits
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
func (d decoder) loadTraces(ctx context.Context, tx reader, of *storedRun, f func(run.StepRecord)) error {
	rows, err := tx.QueryContext(ctx, getTraces, stepID(of.n, 0), stepID(of.n+1, 0))
	if err != nil {
		return err
	}
	defer func() { _ = rows.Close() }()
	for rows.Next() {
		var data []byte
		if err := rows.Scan(&data); err != nil {
			return err
		}
		of.codes.trace(d.sealer, data)
		if err := decodeTrace(data, d.restored, f); err != nil {
			return fmt.Errorf("%w: %w", errDamaged, err)
		}
	}
	return rows.Err()
}

// loadIntents reads the intents of a run, and reports whether its answers are verified.
func (d decoder) loadIntents(ctx context.Context, tx reader, of *storedRun) (verified bool, err error) {
	rows, err := tx.QueryContext(ctx, getIntents, of.n)
	if err != nil {
		return false, err
	}
	defer func() { _ = rows.Close() }()
	verified = true
	for rows.Next() {
		var (
			in              run.Intent
			at              int64
			until           string
			detail, outcome []byte
			code            []byte
		)
		if err := rows.Scan(&in.Key, &in.Step, &in.Kind, &at, &until, &detail, &outcome, &code); err != nil {
			return false, err
		}
		answer := stored(outcome, largeValue)
		of.codes.intent(d.sealer, []any{in.Key, in.Step, string(in.Kind), at, until, stored(detail, largeValue), answer})
		if in.Kind == run.IntentHeld && outcome != nil {
			should := d.sealer.answer(of.ID, in.Key, answer)
			of.answers = append(of.answers, should)
			verified = verified && hmac.Equal(code, should)
		}
		d.restore(&detail, &outcome)
		in.At, in.Detail, in.Outcome = timeFromNanos(at), detail, outcome
		if until != "" {
			if in.Until, err = time.Parse(time.RFC3339Nano, until); err != nil {
				return false, fmt.Errorf("%w: the intent %s: %w", errDamaged, in.Key, err)
			}
		}
		of.Intents = append(of.Intents, in)
	}
	return verified, rows.Err()
}

// List returns a line about each of the chosen runs, the latest first.
func (j *Journal) List(f run.Filter) ([]run.Summary, error) {
	j.settle()
	limit := f.Limit
	if limit <= 0 {
		limit = -1
	}
	text := listRuns
	if f.Status != "" {
		text = listStatus
	}
	rows, err := j.reads.QueryContext(context.Background(), text, f.Actor.Operator, f.Actor.Principal, f.Graph, string(f.Status), nanos(f.Since), f.Project, limit, f.Ordinary, f.Brief)
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
			sealed            sealedRow
			stands            standingRow
		)
		if err := rows.Scan(append([]any{&s.ID, &s.Graph, &s.Principal, &s.Status, &started, &ended, &s.Steps, &arguments, &faulty, &owner, &s.Project, &question}, append(into(sealed[:]), into(stands[:])...)...)...); err != nil {
			return nil, j.failed("read", err)
		}
		s.Unverified = !sealed.valid(j.sealer) || !stands.valid(j.sealer, s.ID)
		unwritten := j.unwrittenEnd(s.ID)
		j.decoder().restore(&arguments, &faulty, &question)
		s.Started, s.Ended, s.Arguments = timeFromNanos(started), timeFromNanos(ended), run.JSONOrText(arguments)
		switch fault, err := decodeFault(faulty); {
		case err != nil:
			return nil, j.failed("read", fmt.Errorf("%w: the run %s: %w", errDamaged, s.ID, err))
		case fault != nil:
			s.Code, s.Message = fault.Code, fault.Error()
		}
		switch {
		case unwritten != nil:
			now := run.Summarize(unwritten)
			s.Status, s.Ended, s.Code, s.Message = now.Status, now.Ended, now.Code, now.Message
		case s.Status == run.Running && !j.owner.alive(owner):
			s.Status, s.Code, s.Message = run.Interrupted, codeCrashed, crashed().Message
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
