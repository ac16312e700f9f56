package schema

import (
	"context"
	"sync/atomic"
)

const (
	// compiledAtOnce is the size in bytes up to which a schema is compiled in less than a
	// few milliseconds.
	compiledAtOnce = 16 << 10
	// maxUnawaited is how many schemas of this process may be compiled at the same time
	// for which nobody waits any more. A compilation cannot be stopped.
	maxUnawaited = 2
)

var unawaited atomic.Int32

// ErrContext is [Schema.Err] that waits for a large schema to be compiled only until ctx
// ends, and then returns ctx's cause.
func (s *Schema) ErrContext(ctx context.Context) error {
	if s == nil || len(s.Raw) <= compiledAtOnce {
		return s.Err()
	}
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		s.once.Do(func() { s.compile(maxTogether) })
	}()
	select {
	case <-done:
		return s.err
	case <-ctx.Done():
	}
	if unawaited.Add(1) > maxUnawaited {
		unawaited.Add(-1)
		<-done
	} else {
		go func() {
			<-done
			unawaited.Add(-1)
		}()
	}
	return context.Cause(ctx)
}
