package local

import (
	"context"

	"github.com/patchbay-mcp/patchbay/run"
)

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
	if !c.Sent || !r.permits.any.Load() {
		return nil
	}
	r.permits.Lock()
	defer r.permits.Unlock()
	return r.permits.waiting[c.Server+"/"+c.Tool]
}
