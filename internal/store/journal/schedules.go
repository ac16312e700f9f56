package journal

import (
	"context"
	"crypto/hmac"
	"database/sql"
	"errors"
	"time"

	"github.com/patchbay-mcp/patchbay/run"
)

// schedulesTable holds how far schedules have been handled. Programs that do not know it
// have no schedules.
const schedulesTable = `CREATE TABLE IF NOT EXISTS schedules (
	project TEXT NOT NULL, name TEXT NOT NULL,
	at INTEGER NOT NULL, definition TEXT NOT NULL, run TEXT NOT NULL, owner TEXT NOT NULL, code BLOB,
	PRIMARY KEY (project, name)
) STRICT, WITHOUT ROWID;`

// ScheduleMark implements [run.ScheduleStore].
func (j *Journal) ScheduleMark(project, name string) (*run.ScheduleMark, error) {
	m, begun, err := readMark(j.reads, j.sealer, project, name)
	if err != nil {
		return nil, j.failed("read", err)
	}
	if m != nil {
		m.Abandoned = m.Run != "" && !begun && !j.owner.alive(m.Owner)
	}
	return m, nil
}

// readMark returns the mark of a schedule, nil for none that is verified, and whether its run
// has begun.
func readMark(db reader, by *sealer, project, name string) (*run.ScheduleMark, bool, error) {
	var (
		m     run.ScheduleMark
		at    int64
		begun bool
		code  []byte
	)
	row := db.QueryRowContext(context.Background(), "SELECT at, definition, run, owner, code, EXISTS (SELECT 1 FROM runs WHERE id = schedules.run) FROM schedules WHERE project = ? AND name = ?", project, name)
	switch err := row.Scan(&at, &m.Definition, &m.Run, &m.Owner, &code, &begun); {
	case errors.Is(err, sql.ErrNoRows):
		return nil, false, nil
	case err != nil:
		return nil, false, err
	case !hmac.Equal(code, by.sum("schedules", nil, project, name, at, m.Definition, m.Run, m.Owner)):
		return nil, false, nil
	}
	m.At = time.Unix(0, at)
	return &m, begun, nil
}

// SetScheduleMark implements [run.ScheduleStore].
func (j *Journal) SetScheduleMark(project, name string, was *run.ScheduleMark, is run.ScheduleMark) (ours bool, err error) {
	err = j.queue.put(&op{do: func(w *writer) error {
		stored, _, err := readMark(w.conn, w.sealer, project, name)
		if ours = err == nil && sameMark(stored, was); !ours {
			return err
		}
		columns := []any{project, name, is.At.UnixNano(), is.Definition, is.Run, j.owner.id}
		_, err = w.exec("INSERT OR REPLACE INTO schedules ("+scheduleRows.columns+", code) VALUES (?, ?, ?, ?, ?, ?, ?)", append(columns, w.sealer.sum("schedules", columns))...)
		return err
	}}, true)
	return ours && err == nil, j.failed("written", err)
}

// sameMark reports whether two marks are the same, whoever looks.
func sameMark(a, b *run.ScheduleMark) bool {
	if a == nil || b == nil {
		return a == nil && b == nil
	}
	return a.At.Equal(b.At) && a.Definition == b.Definition && a.Run == b.Run && a.Owner == b.Owner
}

// scheduleKey names a schedule in memory.
type scheduleKey struct{ project, name string }

// ScheduleMark implements [run.ScheduleStore].
func (m *Memory) ScheduleMark(project, name string) (*run.ScheduleMark, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	mark := m.marks[scheduleKey{project, name}]
	if mark == nil {
		return nil, nil //nolint:nilnil // there is none
	}
	own := *mark
	return &own, nil
}

// SetScheduleMark implements [run.ScheduleStore].
func (m *Memory) SetScheduleMark(project, name string, was *run.ScheduleMark, is run.ScheduleMark) (bool, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	key := scheduleKey{project, name}
	if !sameMark(m.marks[key], was) {
		return false, nil
	}
	if m.marks == nil {
		m.marks = map[scheduleKey]*run.ScheduleMark{}
	}
	m.marks[key] = &is
	return true, nil
}

var (
	_ run.ScheduleStore = (*Journal)(nil)
	_ run.ScheduleStore = (*Memory)(nil)
)
