package journal

import (
	"context"
	"database/sql"
	"errors"
	"net/url"
	"sync"
	"sync/atomic"
	"time"

	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"

	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/run"
)

const (
	// A write without a caller that waits is written with one that has a caller, or after this.
	groupDelay = 50 * time.Millisecond
	// From this length of the queue on everybody waits.
	longQueue = 4096
)

// An op is one write. do may be called more than once, each time in a transaction
// in which nothing of it has been done.
type op struct {
	run  *activeRun // whose write it is, or nil
	do   func(*writer) error
	done chan error // nil without a caller that waits
	err  error
}

// queue is what is to be written, in order.
type queue struct {
	mu      sync.Mutex
	ops     []*op
	urgent  bool // somebody waits
	writing bool // what was taken last is not written yet
	closed  bool
	wakeup  chan struct{}
	timer   *time.Timer
	delay   time.Duration // after which writes without a caller are written
}

func (q *queue) init() {
	q.wakeup, q.delay = make(chan struct{}, 1), groupDelay
	q.timer = time.AfterFunc(time.Hour, q.flush)
	q.timer.Stop()
}

// put queues a write, and waits for it if it is to be safe.
func (q *queue) put(o *op, safe bool) error {
	q.mu.Lock()
	if q.closed {
		q.mu.Unlock()
		return errClosed
	}
	q.ops = append(q.ops, o)
	safe = safe || len(q.ops) > longQueue
	switch {
	case safe:
		o.done = make(chan error, 1)
		q.urgent = true
	case len(q.ops) == 1:
		q.timer.Reset(q.delay)
	}
	q.mu.Unlock()
	if !safe {
		return nil
	}
	q.wake()
	return <-o.done
}

// waiting reports whether anything is to be written, or is being written.
func (q *queue) waiting() bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	return !q.closed && (len(q.ops) > 0 || q.writing)
}

func (q *queue) wake() {
	select {
	case q.wakeup <- struct{}{}:
	default:
	}
}

func (q *queue) flush() {
	q.mu.Lock()
	q.urgent = true
	q.mu.Unlock()
	q.wake()
}

func (q *queue) close() {
	q.mu.Lock()
	q.closed, q.urgent = true, true
	q.timer.Stop()
	q.mu.Unlock()
	q.wake()
}

// take returns what is to be written now, and whether more may come.
func (q *queue) take() (ops []*op, more bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.urgent {
		ops, q.ops, q.urgent = q.ops, nil, q.closed
	}
	q.writing = len(ops) > 0
	return ops, !q.closed || len(ops) > 0
}

// write is the goroutine that writes.
func (j *Journal) write() {
	defer close(j.ended)
	for range j.queue.wakeup {
		for {
			ops, more := j.queue.take()
			if !more {
				return
			}
			if len(ops) == 0 {
				break
			}
			j.commit(ops)
		}
	}
}

// commit writes in one transaction, or where that fails in one for each, so that
// a write which cannot be done spoils no other.
func (j *Journal) commit(ops []*op) {
	if together := !j.o.Ungrouped && len(ops) > 1; together {
		err := j.writer.transaction(func() error {
			written := map[*activeRun]bool{} // the first write of a run takes all
			for _, o := range ops {
				if o.run != nil && written[o.run] {
					continue
				}
				written[o.run] = true
				if err := j.writer.apply(o); err != nil {
					return err
				}
			}
			return nil
		})
		if err == nil || isBusy(err) {
			for _, o := range ops {
				j.finish(o, err)
			}
			return
		}
	}
	for _, o := range ops {
		j.finish(o, j.writer.transaction(func() error { return j.writer.apply(o) }))
	}
}

// finish tells who waits what came of a write.
func (j *Journal) finish(o *op, err error) {
	if err != nil {
		o.err = j.failed("written", err)
	}
	switch {
	case o.run != nil && err != nil:
		j.keepUnwritten(o.run, o.err)
	case o.run != nil:
		if o.run.failed {
			j.forgetUnwritten(o.run)
		}
		o.run.committed()
	}
	if o.done != nil {
		o.done <- o.err
	}
}

// writer is the one connection that writes.
type writer struct {
	ctx   context.Context
	db    *sql.DB
	conn  *sql.Conn
	stmts map[string]*sql.Stmt

	commits atomic.Int64 // transactions so far

	sealer *sealer
	sealed []*codes // that the transaction changes
}

// seals notes that a transaction changes the rows of a run.
func (w *writer) seals(c *codes) { w.sealed = append(w.sealed, c) }

// openWriter opens a journal to write it; known says that it is sound, and own that the runs
// in it of earlier formats are believed.
func openWriter(ctx context.Context, path string, known, own bool, s *sealer) (w *writer, err error) {
	db, err := openSQLite(path, url.Values{"_pragma": {"synchronous(full)", "journal_size_limit(8388608)"}})
	if err != nil {
		return nil, err
	}
	w = &writer{ctx: ctx, db: db, stmts: map[string]*sql.Stmt{}, sealer: s}
	if w.conn, err = db.Conn(ctx); err == nil {
		if err = w.prepareFile(known, own); err == nil {
			err = useWAL(ctx, w.conn)
		}
	}
	if err != nil {
		return nil, errors.Join(err, w.close())
	}
	return w, nil
}

func (w *writer) close() error {
	var errs []error
	for _, s := range w.stmts {
		errs = append(errs, s.Close())
	}
	if w.conn != nil {
		errs = append(errs, w.conn.Close())
	}
	return errors.Join(append(errs, w.db.Close())...)
}

// apply does one write. What is refused is told to its caller and hinders no other;
// an error is the transaction's.
func (w *writer) apply(o *op) error {
	o.err = nil
	err := o.do(w)
	if _, refused := errors.AsType[*diag.Fault](err); refused || errors.Is(err, run.ErrNoRun) || errors.Is(err, errChanged) {
		o.err = err
		return nil
	}
	return err
}

func (w *writer) transaction(f func() error) error {
	if _, err := w.exec("BEGIN IMMEDIATE"); err != nil {
		return err
	}
	err := f()
	if err == nil {
		w.commits.Add(1)
		_, err = w.exec("COMMIT")
	}
	if err != nil {
		// SQLite may have rolled back by itself; then there is nothing to do here.
		_, _ = w.conn.ExecContext(w.ctx, "ROLLBACK")
	}
	for _, c := range w.sealed {
		c.settle(err == nil)
	}
	w.sealed = w.sealed[:0]
	return err
}

func (w *writer) prepared(text string) (*sql.Stmt, error) {
	if s := w.stmts[text]; s != nil {
		return s, nil
	}
	s, err := w.conn.PrepareContext(w.ctx, text)
	if err == nil {
		w.stmts[text] = s
	}
	return s, err
}

func (w *writer) exec(text string, args ...any) (sql.Result, error) {
	s, err := w.prepared(text)
	if err != nil {
		return nil, err
	}
	return s.ExecContext(w.ctx, args...)
}

// get reads one row; found is false if there is none.
func (w *writer) get(text string, args []any, into ...any) (found bool, err error) {
	s, err := w.prepared(text)
	if err != nil {
		return false, err
	}
	err = s.QueryRowContext(w.ctx, args...).Scan(into...)
	if errors.Is(err, sql.ErrNoRows) {
		return false, nil
	}
	return err == nil, err
}

func isBusy(err error) bool {
	e, ok := errors.AsType[*sqlite.Error](err)
	return ok && e.Code()&0xff == sqlite3.SQLITE_BUSY
}
