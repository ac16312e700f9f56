package journal

import (
	"context"
	"crypto/hmac"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/patchbay-mcp/patchbay/internal/store/graphstate"
	"github.com/patchbay-mcp/patchbay/run"
)

// A reader reads rows: a database, a connection or a transaction.
type reader interface {
	QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error)
	QueryRowContext(ctx context.Context, query string, args ...any) *sql.Row
}

// readState returns what is stored under the key of a change, nil for nothing, and how
// many other keys its graph has.
func readState(db reader, by *sealer, c *run.StateChange) (*graphstate.Stored, int, error) {
	var others int
	row := db.QueryRowContext(context.Background(), "SELECT count(*) FROM state WHERE project = ? AND graph = ? AND key <> ?", c.Project, c.Graph, c.Key)
	if err := row.Scan(&others); err != nil {
		return nil, 0, err
	}
	var value string
	var set bool
	var updated, expires int64
	var code []byte
	row = db.QueryRowContext(context.Background(), "SELECT value, members, updated, expires, code FROM state WHERE project = ? AND graph = ? AND key = ?", c.Project, c.Graph, c.Key)
	switch err := row.Scan(&value, &set, &updated, &expires, &code); {
	case errors.Is(err, sql.ErrNoRows):
		return nil, others, nil
	case err != nil:
		return nil, 0, err
	case !hmac.Equal(code, by.sum("state", nil, c.Project, c.Graph, c.Key, value, set, updated, expires)):
		return nil, 0, by.unverified(fmt.Sprintf("what %q has stored under %q", c.Graph, c.Key))
	}
	s, err := decodeState(value, set, updated, expires)
	return s, others, err
}

func decodeState(value string, set bool, updated, expires int64) (*graphstate.Stored, error) {
	s := &graphstate.Stored{Set: set, Updated: timeFromNanos(updated), Expires: timeFromNanos(expires)}
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
	columns := []any{c.Project, c.Graph, c.Key, string(value), s.Set, nanos(s.Updated), nanos(s.Expires)}
	_, err := w.exec("INSERT OR REPLACE INTO state ("+stateRows.columns+", code) VALUES (?, ?, ?, ?, ?, ?, ?, ?)", append(columns, w.sealer.sum("state", columns))...)
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
