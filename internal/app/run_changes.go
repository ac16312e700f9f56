package app

import "sync"

// runChanges tells who listens that runs start, continue or stop.
type runChanges struct {
	mu        sync.Mutex
	listeners []func(id string)
}

// OnRunChange has f called with the id of each run that starts, continues, waits or ends, by
// many runs at the same time. It must be quick.
func (pb *App) OnRunChange(f func(id string)) {
	pb.runChanges.mu.Lock()
	defer pb.runChanges.mu.Unlock()
	pb.runChanges.listeners = append(pb.runChanges.listeners, f)
}

func (c *runChanges) changed(id string) {
	c.mu.Lock()
	listeners := c.listeners
	c.mu.Unlock()
	for _, f := range listeners {
		f(id)
	}
}
