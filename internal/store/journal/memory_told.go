package journal

import (
	"cmp"
	"encoding/json"
	"slices"
	"time"

	"github.com/patchbay-mcp/patchbay/internal/store/graphstate"
	"github.com/patchbay-mcp/patchbay/run"
)

// Cancel calls what OnCancel has set for a run that executes.
func (m *Memory) Cancel(actor run.Actor, id string) error {
	m.mu.Lock()
	r, f := m.find(actor, id), m.onCancel
	m.mu.Unlock()
	switch {
	case r == nil:
		return run.ErrNoRun
	case r.Status != run.Running:
		return notRunning(id, string(r.Status))
	case f != nil:
		f(id)
	}
	return nil
}

// OnCancel sets what Cancel calls.
func (m *Memory) OnCancel(f func(id string)) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.onCancel = f
}

// Reply calls what OnReply has set for a question with which a call waits.
func (m *Memory) Reply(actor run.Actor, id, key string, answer json.RawMessage) error {
	m.mu.Lock()
	r, f := m.find(actor, id), m.onReply
	var err error
	switch {
	case r == nil:
		err = run.ErrNoRun
	case r.Status != run.Running:
		err = notRunning(id, string(r.Status))
	case !r.Answer(key, answer):
		err = notAsked(id)
	}
	m.mu.Unlock()
	if err == nil && f != nil {
		f(id, key, answer)
	}
	return err
}

// OnReply sets what Reply calls.
func (m *Memory) OnReply(f func(id, key string, answer json.RawMessage)) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.onReply = f
}

// stateKey names what a graph has stored.
type stateKey struct{ project, graph, key string }

// ChangeState implements [run.StateStore].
func (m *Memory) ChangeState(id string, in run.Intent, c run.StateChange, dry bool) (json.RawMessage, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	r := m.active[id]
	if r == nil {
		return nil, errNotBegun
	}
	at := stateKey{c.Project, c.Graph, c.Key}
	others := 0
	for k := range m.state {
		if k.project == at.project && k.graph == at.graph && k.key != at.key {
			others++
		}
	}
	is, result, err := graphstate.Change(&c, in.At, m.state[at], others)
	if err != nil || dry || c.Do == run.StateGet {
		return result, err
	}
	if is == nil {
		delete(m.state, at)
	} else {
		m.state[at] = is
	}
	in.Outcome = result
	r.Intents = append(r.Intents, in)
	return result, nil
}

// States implements [run.StateStore].
func (m *Memory) States(project, graph string) (list []run.StateEntry, err error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	now := time.Now()
	for k, s := range m.state {
		if s = s.Live(now); s != nil && (project == "" || k.project == project) && (graph == "" || k.graph == graph) {
			list = append(list, s.Entry(run.StateEntry{Project: k.project, Graph: k.graph, Key: k.key}))
		}
	}
	slices.SortFunc(list, func(a, b run.StateEntry) int {
		return cmp.Or(cmp.Compare(a.Project, b.Project), cmp.Compare(a.Graph, b.Graph), cmp.Compare(a.Key, b.Key))
	})
	return list, nil
}

// DeleteState implements [run.StateStore].
func (m *Memory) DeleteState(project, graph, key string) (deleted int, err error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for k := range m.state {
		if k.project == project && k.graph == graph && (key == "" || k.key == key) {
			delete(m.state, k)
			deleted++
		}
	}
	return deleted, nil
}
