package admission

import (
	"context"
	"fmt"
)

// A TooLarge is the error of a reservation that is larger than all memory.
type TooLarge struct{ Bytes, Most int64 }

func (e *TooLarge) Error() string {
	return fmt.Sprintf("%d bytes are more than the %d that may be reserved", e.Bytes, e.Most)
}

// memory is what may be reserved. It is guarded by the queue's lock.
type memory struct {
	size     int64 // 0 has no bound
	reserved int64
	waiting  int
	line     line
}

// reserve returns when n bytes are reserved.
func (q *Queue) reserve(ctx context.Context, t *Turn, n int64) error {
	m := &q.memory
	q.mu.Lock()
	if m.size > 0 && n > m.size {
		q.mu.Unlock()
		return &TooLarge{n, m.size}
	}
	if m.fits(n) && m.line.empty() {
		m.reserved += n
		q.mu.Unlock()
		return nil
	}
	w := &waiter{ready: make(chan struct{}), bytes: n}
	m.line.push(t.principal, t.request, w)
	m.waiting++
	q.mu.Unlock()
	t.Pause()
	var err error
	select {
	case <-w.ready:
	case <-ctx.Done():
		err = context.Cause(ctx)
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	m.waiting--
	if err != nil {
		w.gone = true
		if w.granted {
			m.reserved -= n
		}
		m.grant()
	}
	return err
}

// unreserve gives n bytes back.
func (q *Queue) unreserve(n int64) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.memory.reserved -= n
	q.memory.grant()
}

func (m *memory) fits(n int64) bool { return m.size == 0 || m.reserved+n <= m.size }

// grant gives free memory to those who wait. Who needs much is not overtaken.
func (m *memory) grant() {
	for {
		w := m.line.peek()
		if w == nil || !m.fits(w.bytes) {
			return
		}
		m.line.pop()
		m.reserved += w.bytes
		w.grant()
	}
}
