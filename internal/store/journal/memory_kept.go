package journal

import (
	"time"

	"github.com/patchbay-mcp/patchbay/expr"
	"github.com/patchbay-mcp/patchbay/run"
)

// Prune deletes the runs of a project, or of all for "", that stopped before a time,
// and then the oldest of all until the rest take at most so many bytes.
func (m *Memory) Prune(project string, before time.Time, maxBytes int64) (deleted int, err error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	prune := func(chosen func(*run.Record) bool) {
		for _, e := range m.order {
			if e != nil && e.record.Status != run.Interrupted && m.active[e.record.ID] == nil && chosen(e.record) {
				m.drop(e)
				deleted++
			}
		}
	}
	prune(func(r *run.Record) bool {
		return !before.IsZero() && r.Ended.Before(before) && (project == "" || r.Project == project)
	})
	prune(func(*run.Record) bool { return maxBytes > 0 && int64(m.bytes) > maxBytes })
	return deleted, nil
}

// entry is a run that has stopped. Its record is not changed any more.
type entry struct {
	record *run.Record
	size   int
	at     int // its index in order
}

// put files a run as the latest, in place of its earlier record, and drops the
// oldest runs that no longer fit. The caller holds mu.
func (m *Memory) put(r *run.Record, size int) {
	if old := m.kept[r.ID]; old != nil {
		m.drop(old)
	}
	if size > m.max.MaxBytes {
		return
	}
	m.compact()
	e := &entry{record: r, size: size, at: len(m.order)}
	m.order = append(m.order, e)
	m.kept[r.ID] = e
	m.bytes += size
	for len(m.kept) > m.max.MaxRuns || m.bytes > m.max.MaxBytes {
		m.drop(m.oldest())
	}
}

// oldest returns the run that stopped first, or nil.
func (m *Memory) oldest() *entry {
	for m.head < len(m.order) && m.order[m.head] == nil {
		m.head++
	}
	if m.head == len(m.order) {
		return nil
	}
	return m.order[m.head]
}

func (m *Memory) drop(e *entry) {
	delete(m.kept, e.record.ID)
	m.order[e.at] = nil
	m.bytes -= e.size
}

// compact closes the gaps once they outnumber the runs, so that filing a run is
// O(1) on average and order stays within twice the runs.
func (m *Memory) compact() {
	if len(m.order) < 2*len(m.kept)+16 {
		return
	}
	live := m.order[:0]
	for _, e := range m.order {
		if e != nil {
			e.at = len(live)
			live = append(live, e)
		}
	}
	clear(m.order[len(live):])
	m.order, m.head = live, 0
}

// stepSize is the memory of a step without its values, in bytes, near enough.
const stepSize = 200

// recordSize estimates the memory of a record in bytes.
func recordSize(r *run.Record) int {
	size := len(r.Arguments) + len(r.Source.Text)
	for i := range r.Steps {
		size += stepSize + valueSize(r.Steps[i].Input) + valueSize(r.Steps[i].Output)
	}
	return size
}

func valueSize(v expr.Value) int {
	switch t := v.(type) {
	case string:
		return 16 + len(t)
	case []any:
		n := 24
		for _, item := range t {
			n += valueSize(item)
		}
		return n
	case expr.Object:
		n := 48
		for key, member := range t.All() {
			n += 32 + len(key) + valueSize(member)
		}
		return n
	}
	return 16
}
