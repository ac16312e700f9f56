package local

import (
	"context"

	"github.com/patchbay-mcp/patchbay/expr"
	"github.com/patchbay-mcp/patchbay/run"
)

// A Keeper bounds the memory for what runs keep until they end: the inputs and outputs
// of their steps.
type Keeper interface {
	// Keep returns when the run may keep so many bytes in all. It is called before a
	// step, also by branches at the same time. An error ends the run.
	Keep(ctx context.Context, bytes int64) error
}

// maxInput is up to which size an input is measured, in bytes.
const maxInput = 1 << 40

// room returns when there is memory for what the run keeps so far. It holds up the next
// step, not the end of the last, which is recorded first.
func (r *runtime) room(ctx context.Context) error {
	if r.o.Keeper == nil {
		return nil
	}
	return r.o.Keeper.Keep(ctx, r.kept.Load())
}

// largeResult is from how many bytes on a result waits for memory before it is read, and
// is kept as it came if it must not be lost when time is over.
const largeResult = 256 << 10

func sizeOfResult(res *run.Result) int64 {
	size := int64(len(res.Structured))
	for _, item := range res.Content {
		size += int64(len(item))
	}
	return size
}

// arrive returns when there is memory for the result of a call, which is not read
// before: a value takes more memory than its JSON. It counts until its step has ended.
func (r *runtime) arrive(ctx context.Context, step string, res *run.Result) error {
	if r.o.Keeper == nil || res == nil {
		return nil
	}
	size := sizeOfResult(res)
	if size < largeResult {
		return nil
	}
	r.mu.Lock()
	if r.arrived == nil {
		r.arrived = map[string]int64{}
	}
	r.arrived[step] += size
	r.mu.Unlock()
	return r.o.Keeper.Keep(ctx, r.kept.Add(size))
}

// keep counts what is kept of a step that has ended.
func (r *runtime) keep(e *run.Event) {
	if r.o.Keeper == nil {
		return
	}
	size := sizeKept(e.Frame, e.Input, e.Size)
	r.mu.Lock()
	if len(r.arrived) > 0 {
		size -= r.arrived[e.Key]
		delete(r.arrived, e.Key)
	}
	r.mu.Unlock()
	r.kept.Add(size)
}

// keepPast counts what an earlier attempt at the run has kept.
func (r *runtime) keepPast() {
	if r.o.Keeper == nil {
		return
	}
	for i := range r.record.Steps {
		s := r.record.Steps[i]
		r.kept.Add(sizeKept(s.Frame, s.Input, valueSize(s.Output)))
	}
}

// sizeKept is how many bytes are kept of a step. The output of a frame is that of the
// steps it consists of.
func sizeKept(frame bool, input expr.Value, output int) int64 {
	if frame {
		output = 0
	}
	return int64(output + valueSize(input))
}

func valueSize(v expr.Value) int {
	if v == nil {
		return 0
	}
	return expr.Size(v, maxInput)
}
