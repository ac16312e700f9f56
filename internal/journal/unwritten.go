package journal

import "github.com/patchbay-mcp/patchbay/run"

// maxUnwritten is how many runs that have ended are kept in memory while they cannot
// be written.
const maxUnwritten = 1000

// keepUnwritten remembers a run of which a write failed, to try again.
func (j *Journal) keepUnwritten(a *activeRun, err error) {
	if !a.failed {
		a.failed = true
		j.log.Error("a run could not be saved", "run", a.id, "error", err)
	}
	ended := a.end()
	j.mu.Lock()
	defer j.mu.Unlock()
	if ended != nil && len(j.unwritten) >= maxUnwritten && j.unwritten[a.id] == nil {
		j.log.Error("a run is lost: too many runs that could not be saved are waiting", "run", a.id)
		return
	}
	j.unwritten[a.id] = a
	j.schedulePoll()
}

// end returns how the run stopped, without its steps and intents; nil if it has not.
func (a *activeRun) end() *run.Record {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.ended
}

// unwrittenEnd returns how a run of this process stopped that the disk says is running, since
// its end could not be written; nil for others.
func (j *Journal) unwrittenEnd(id string) *run.Record {
	j.mu.Lock()
	defer j.mu.Unlock()
	if a := j.unwritten[id]; a != nil {
		return a.end()
	}
	return nil
}

// forgetUnwritten notes that a run was written after all.
func (j *Journal) forgetUnwritten(a *activeRun) {
	j.log.Info("a run that could not be saved is now saved", "run", a.id)
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.unwritten[a.id] == a {
		delete(j.unwritten, a.id)
	}
}

// writeAgain tries to write the runs that could not be written.
func (j *Journal) writeAgain() {
	j.mu.Lock()
	again := make([]*activeRun, 0, len(j.unwritten))
	for _, a := range j.unwritten {
		again = append(again, a)
	}
	j.mu.Unlock()
	for _, a := range again {
		if j.flush(a, true) != nil {
			return // for all the same reason
		}
	}
}
