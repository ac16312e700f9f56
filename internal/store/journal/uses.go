package journal

import (
	"context"

	"github.com/patchbay-mcp/patchbay/run"
)

// usesIndex has all that is asked about the uses of graphs, so that no run is read for
// it.
const usesIndex = `CREATE INDEX IF NOT EXISTS runs_uses ON runs (graph, project, principal, started, calls, called, replied)
	WHERE status = 'succeeded' AND mode = '';`

const (
	sumUses = "SELECT graph, count(*), count(calls), coalesce(sum(calls), 0), coalesce(sum(called), 0), coalesce(sum(replied), 0) FROM runs INDEXED BY runs_uses " +
		"WHERE status = 'succeeded' AND mode = '' AND (?1 OR principal = ?2) AND (?3 = '' OR project = ?3) AND started >= ?4 "
	usesOfAll   = sumUses + "GROUP BY graph ORDER BY count(*) DESC, graph"
	usesOfGraph = sumUses + "AND graph = ?5 GROUP BY graph"
)

// Uses adds up the completed runs of each graph, the most used first.
func (j *Journal) Uses(f run.Filter) ([]run.Use, error) {
	j.settle()
	text, args := usesOfAll, []any{f.Actor.Operator, f.Actor.Principal, f.Project, nanos(f.Since)}
	if f.Graph != "" {
		text, args = usesOfGraph, append(args, f.Graph)
	}
	rows, err := j.reads.QueryContext(context.Background(), text, args...)
	if err != nil {
		return nil, j.failed("read", err)
	}
	defer func() { _ = rows.Close() }()
	var list []run.Use
	for rows.Next() {
		var u run.Use
		if err := rows.Scan(&u.Graph, &u.Runs, &u.Counted, &u.Calls, &u.Called, &u.Replied); err != nil {
			return nil, j.failed("read", err)
		}
		list = append(list, u)
	}
	return list, j.failed("read", rows.Err())
}

// Uses adds up the completed runs of each graph, the most used first.
func (m *Memory) Uses(f run.Filter) ([]run.Use, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	return run.UsesOf(f, func(yield func(*run.Record) bool) {
		for id, e := range m.kept {
			if m.active[id] == nil && !yield(e.record) {
				return
			}
		}
	}), nil
}
