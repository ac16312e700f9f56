package journal

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"time"

	"github.com/patchbay-mcp/patchbay/internal/graphstate"
	"github.com/patchbay-mcp/patchbay/run"
)

// A reader reads one row: a database or a connection.
type reader interface {
	QueryRowContext(ctx context.Context, query string, args ...any) *sql.Row
}

// readState returns what is stored under the key of a change, nil for nothing, and how
// many other keys its graph has.
func readState(db reader, c *run.StateChange) (*graphstate.Stored, int, error) {
	var others int
	row := db.QueryRowContext(context.Background(), "SELECT count(*) FROM state WHERE project = ? AND graph = ? AND key <> ?", c.Project, c.Graph, c.Key)
	if err := row.Scan(&others); err != nil {
		return nil, 0, err
	}
	var value string
	var set bool
	var updated, expires int64
	row = db.QueryRowContext(context.Background(), "SELECT value, members, updated, expires FROM state WHERE project = ? AND graph = ? AND key = ?", c.Project, c.Graph, c.Key)
	switch err := row.Scan(&value, &set, &updated, &expires); {
	case errors.Is(err, sql.ErrNoRows):
		return nil, others, nil
	case err != nil:
		return nil, 0, err
	}
	s, err := decodeState(value, set, updated, expires)
	return s, others, err
}

func decodeState(value string, set bool, updated, expires int64) (*graphstate.Stored, error) {
	s := &graphstate.Stored{Set: set, Updated: timeOf(updated), Expires: timeOf(expires)}
	if set {
		return s, json.Unmarshal([]byte(value), &s.Members)
	}
	s.Value = json.RawMessage(value)
	return s, nil
}

// putState stores what is under the key of a change, nil for nothing.
func (w *writer) putState(c *run.StateChange, s *graphstate.Stored) error {
	if s == nil {
		_, err := w.exec("DELETE FROM state WHERE project = ? AND graph = ? AND key = ?", c.Project, c.Graph, c.Key)
		return err
	}
	value := s.Value
	if s.Set {
		var err error
		if value, err = json.Marshal(s.Members); err != nil {
			return err
		}
	}
	_, err := w.exec("INSERT OR REPLACE INTO state (project, graph, key, value, members, updated, expires) VALUES (?, ?, ?, ?, ?, ?, ?)",
		c.Project, c.Graph, c.Key, string(value), s.Set, nanos(s.Updated), nanos(s.Expires))
	return err
}

// states lists what is stored and has not expired.
func (j *Journal) states(project, graph string) (list []run.StateEntry, err error) {
	rows, err := j.reads.QueryContext(context.Background(),
		"SELECT project, graph, key, value, members, updated, expires FROM state WHERE (?1 = '' OR project = ?1) AND (?2 = '' OR graph = ?2) ORDER BY project, graph, key", project, graph)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, rows.Close()) }()
	now := time.Now()
	for rows.Next() {
		var e run.StateEntry
		var value string
		var set bool
		var updated, expires int64
		if err := rows.Scan(&e.Project, &e.Graph, &e.Key, &value, &set, &updated, &expires); err != nil {
			return nil, err
		}
		s, err := decodeState(value, set, updated, expires)
		if err != nil {
			return nil, err
		}
		if s = s.Live(now); s != nil {
			list = append(list, s.Entry(e))
		}
	}
	return list, rows.Err()
}
