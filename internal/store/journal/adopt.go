package journal

import (
	"slices"
	"strings"

	"github.com/patchbay-mcp/patchbay/internal/sys/lists"
)

// Adopt makes the runs of some projects those of another, and returns how many these
// are. State of their graphs follows, unless the other has some under the same key.
func (j *Journal) Adopt(from []string, to string) (int, error) {
	adopted := 0
	err := j.queue.put(&op{do: func(w *writer) error {
		adopted = 0
		for _, project := range from {
			n, err := w.adopt(project, to)
			if err != nil {
				return err
			}
			adopted += n
		}
		return nil
	}}, true)
	return adopted, j.failed("written", err)
}

// adoptFormer makes the runs of projects as earlier versions called them those of the
// project as it is called now. It writes only where there are such runs.
func (w *writer) adoptFormer(former []string, project string) error {
	if len(former) == 0 || project == "" {
		return nil
	}
	args := lists.Each(former, func(id string) any { return id })
	found, err := w.rows("SELECT DISTINCT project FROM runs WHERE length(project) = 32 AND project IN (?"+strings.Repeat(", ?", len(former)-1)+")", args...)
	if err != nil || len(found) == 0 {
		return err
	}
	return w.transaction(func() error {
		for _, of := range found {
			if _, err := w.adopt(of[0].(string), project); err != nil {
				return err
			}
		}
		return nil
	})
}

// Adopt makes the runs and the state of some projects those of another, and returns how
// many runs these are.
func (m *Memory) Adopt(from []string, to string) (adopted int, err error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for id, r := range m.active {
		if slices.Contains(from, r.Project) {
			r.Project = to
			if m.kept[id] == nil {
				adopted++
			}
		}
	}
	for k, s := range m.state {
		at := stateKey{to, k.graph, k.key}
		if slices.Contains(from, k.project) && m.state[at] == nil {
			delete(m.state, k)
			m.state[at] = s
		}
	}
	for _, e := range m.kept {
		if slices.Contains(from, e.record.Project) {
			own := *e.record // whoever filed it may still read it
			own.Project, e.record = to, &own
			adopted++
		}
	}
	return adopted, nil
}
