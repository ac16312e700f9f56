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

// spentTable has what the requests of a graph to models have cost on a day of UTC, or may have
// where their replies are not known. A file that earlier programs have made gets it when it is
// opened.
const spentTable = `CREATE TABLE IF NOT EXISTS spent (
	graph TEXT NOT NULL, project TEXT NOT NULL, day INTEGER NOT NULL, tokens INTEGER NOT NULL,
	PRIMARY KEY (graph, project, day)
) STRICT, WITHOUT ROWID;`

var (
	getAsked = "SELECT " + columnText("detail") + ", " + columnText("outcome") + " FROM intents WHERE run = ? AND key = ?"
	addSpent = "INSERT INTO spent (graph, project, day, tokens) SELECT graph, project, ?2, ?3 FROM runs WHERE n = ?1 ON CONFLICT DO UPDATE SET tokens = tokens + excluded.tokens"
)

// spend adds what a request to a model costs, in place of what was assumed before.
func (w *writer) spend(active int64, in *run.Intent) error {
	var detail, outcome []byte
	if _, err := w.get(getAsked, []any{active, in.Key}, &detail, &outcome); err != nil {
		return err
	}
	was, _ := (&run.Intent{Detail: detail, Outcome: outcome}).Tokens()
	now, _ := in.Tokens()
	_, err := w.exec(addSpent, active, dayOf(in.At), now.Sum()-was.Sum())
	return err
}

// dayOf counts days of UTC.
func dayOf(t time.Time) int64 { return t.Unix() / (24 * 60 * 60) }

// TokensOn returns what the requests of a graph to models have cost on a day of UTC, or may have
// where their replies are not known.
func (j *Journal) TokensOn(project, graph string, day time.Time) (sum int, err error) {
	j.settle()
	err = j.reads.QueryRowContext(context.Background(), "SELECT coalesce(sum(tokens), 0) FROM spent WHERE graph = ? AND project = ? AND day = ?", graph, project, dayOf(day)).Scan(&sum)
	return sum, j.failed("read", err)
}

// A spentOn is a graph and a day.
type spentOn struct {
	graph, project string
	day            int64
}

// TokensOn returns what the requests of a graph to models have cost on a day of UTC, or may have
// where their replies are not known.
func (m *Memory) TokensOn(project, graph string, day time.Time) (int, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.spent[spentOn{graph, project, dayOf(day)}], nil
}

// spend adds what a request of a run to a model costs, in place of what was assumed before.
func (m *Memory) spend(r *run.Record, was, now *run.Intent) {
	if t, asks := now.Tokens(); asks {
		before, _ := was.Tokens()
		m.spent[spentOn{r.Graph, r.Project, dayOf(now.At)}] += t.Sum() - before.Sum()
	}
}
