package journal

import (
	"context"
	"time"

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

// tokensOf are the requests to models of a graph, since a time.
var tokensOf = "SELECT kind, " + columnText("detail") + ", " + columnText("outcome") + " FROM intents WHERE run IN (SELECT n FROM runs WHERE graph = ?1 AND project = ?2 AND (started >= ?3 OR ended >= ?3 OR status IN ('running', 'interrupted'))) " +
	"AND kind IN ('call', 'spent') AND at >= ?3 AND detail LIKE '{%\"server\":\"" + run.ModelServer + "\"%'"

// TokensSince returns what the requests of a graph to models have cost since a time, or may
// have where their replies are not known.
func (j *Journal) TokensSince(project, graph string, since time.Time) (sum int, err error) {
	j.settle()
	rows, err := j.reads.QueryContext(context.Background(), tokensOf, graph, project, nanos(since))
	if err != nil {
		return 0, j.failed("read", err)
	}
	defer func() { _ = rows.Close() }()
	for rows.Next() {
		var in run.Intent
		var detail, outcome []byte
		if err := rows.Scan(&in.Kind, &detail, &outcome); err != nil {
			return 0, j.failed("read", err)
		}
		in.Detail, in.Outcome = detail, outcome
		t, _ := in.Tokens()
		sum += t.Sum()
	}
	return sum, j.failed("read", rows.Err())
}

// TokensSince returns what the requests of a graph to models have cost since a time, or may
// have where their replies are not known.
func (m *Memory) TokensSince(project, graph string, since time.Time) (sum int, _ error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	add := func(r *run.Record) {
		for i := range r.Intents {
			if in := &r.Intents[i]; r.Graph == graph && r.Project == project && !in.At.Before(since) {
				t, _ := in.Tokens()
				sum += t.Sum()
			}
		}
	}
	for _, r := range m.active {
		add(&r.Record)
	}
	for id, e := range m.kept {
		if m.active[id] == nil {
			add(e.record)
		}
	}
	return sum, nil
}
