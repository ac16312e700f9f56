package local

import (
	"context"
	"encoding/json"
	"strconv"

	"github.com/patchbay-mcp/patchbay/run"
)

// endQuestions returns when no call waits for an answer any more: the calls have ended.
func (r *runtime) endQuestions() {
	r.mu.Lock()
	r.over = true
	r.mu.Unlock()
	r.asking.Wait()
}

// A Holder waits for answers while calls are in progress.
type Holder interface {
	// Hold returns the answer to a question, until in.Until at most: then the action is
	// "timeout". It calls file, which stores the question, when it can receive the answer.
	// The error is that of file, or the cause of ctx.
	Hold(ctx context.Context, in run.Intent, file func() error) (*run.Answer, error)
}

// AskDuring implements [run.CallAsker]: the question is stored, so that it can be answered
// also by another process, and the call waits for the answer.
func (r *runtime) AskDuring(ctx context.Context, c run.Call, q run.Question) (*run.Answer, error) {
	if r.o.Holder == nil || r.record.Mode == run.DryRun {
		return nil, run.ErrNobodyAsked
	}
	in := run.Intent{Kind: run.IntentHeld, At: r.Now(), Detail: run.DetailOf(q)}
	in.Step, _, _ = cutLast(c.Key, "/call")
	in.Until = in.At.Add(r.o.MaxHeld)
	r.mu.Lock()
	if r.over {
		r.mu.Unlock()
		return nil, run.ErrNobodyAsked
	}
	r.asking.Add(1)
	defer r.asking.Done()
	in.Key = c.Key + "/held#" + strconv.FormatInt(in.At.UnixNano(), 36) + "." + strconv.Itoa(len(r.record.Intents)) // also unlike those of earlier attempts
	r.setIntent(in.Key, len(r.record.Intents))
	r.record.Intents = append(r.record.Intents, in)
	r.mu.Unlock()
	var answer *run.Answer
	err := r.branches.wait(ctx, c.Key, func() (err error) {
		answer, err = r.o.Holder.Hold(ctx, in, func() error { return r.intend(in, true) })
		return err
	})
	kept := answer
	if err != nil {
		kept = &run.Answer{Action: "cancel"}
	}
	in.Outcome, _ = json.Marshal(kept) // of texts and JSON
	if failed := r.intend(in, false); failed != nil && err == nil {
		return nil, failed
	}
	return answer, err
}

// Ask implements [run.Asker] for the calls of the run. Whether the calls of a tool are
// permitted is asked once, by the first of them, unless the answer is for its step only: the
// others of the same attempt at the run stop without a question of their own.
func (r *runtime) Ask(ctx context.Context, c run.Call, q run.Question) (*run.Answer, error) {
	q.Step, _, _ = cutLast(c.Key, "/call")
	if q.Permits == "" {
		q.Key = c.Key + "/" + q.Key
		return r.Await(ctx, q)
	}
	for n := 0; ; n++ {
		q.Key = run.PermitKey(r.record.Source.Text, q.Permits, n)
		if in := r.past.intent(q.Key); in == nil || !in.AllowedOther(q.Step) {
			break
		}
	}
	r.permits.Lock()
	defer r.permits.Unlock()
	if waits, asked := r.permits.waiting[q.Permits]; asked {
		return nil, waits
	}
	answer, err := r.Await(ctx, q)
	if run.Parked(err) {
		if r.permits.waiting == nil {
			r.permits.waiting = map[string]error{}
		}
		r.permits.waiting[q.Permits] = err
		r.permits.any.Store(true)
	}
	return answer, err
}

// permitting returns why a call is not made that an agent has sent: a person has been asked
// about this tool, and has not answered.
func (r *runtime) permitting(c *run.Call) error {
	if !c.Sent && !c.Marked || !r.permits.any.Load() {
		return nil
	}
	r.permits.Lock()
	defer r.permits.Unlock()
	return r.permits.waiting[c.Server+"/"+c.Tool]
}
