package journal

import (
	"encoding/json"

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
