package local

import (
	"context"
	"encoding/json"

	"github.com/patchbay-mcp/patchbay/internal/sys/admission"
	"github.com/patchbay-mcp/patchbay/internal/sys/timelimit"
	"github.com/patchbay-mcp/patchbay/run"
)

// pause lets the debugger hold a step before it starts. Meanwhile the run has no turn, and no
// time limit runs. A step that no earlier attempt had begun starts when the pause is over.
func (r *runtime) pause(ctx context.Context, e *run.Event) error {
	if r.o.Debugger == nil || r.past.lost(e.Key) != nil {
		return nil
	}
	p := r.o.Debugger.Stop(e)
	if p == nil {
		return nil
	}
	defer p.Leave()
	admission.From(ctx).Pause()
	defer timelimit.Pause(ctx)()
	in := p.Intent()
	if err := r.intend(in, false); err != nil {
		return err
	}
	r.tellPause(p.Notice())
	var by string
	err := r.branches.wait(ctx, e.Key, func() (err error) {
		by, err = p.Wait(ctx)
		return err
	})
	if err != nil {
		return err
	}
	c := run.Continued{By: by, At: r.Now()}
	if in.Outcome, err = json.Marshal(c); err != nil {
		return err
	}
	if err := r.intend(in, false); err != nil {
		return err
	}
	r.tellPause(p.Continued(c))
	if _, begun := r.past.index(e.Key); !begun {
		e.At = c.At
	}
	return nil
}

func (r *runtime) tellPause(n run.Notice) {
	if r.o.Observer.Pause != nil {
		r.o.Observer.Pause(n)
	}
}
