package process

import (
	"github.com/patchbay-mcp/patchbay/internal/config"
)

// Config returns the configuration that was read last, by [Open] or for [app.App.Reload]; after
// [New] it is empty.
func (p *Process) Config() *config.Config { return p.config.Load() }

// SetConfig makes a configuration the one that was read last.
func (p *Process) SetConfig(c *config.Config) { p.config.Store(c) }

// OnPublished registers a function to call after the set of tools that
// [plans.Plans.Published] returns has changed.
func (p *Process) OnPublished(f func()) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.changed = append(p.changed, f)
}

func (p *Process) Announce() {
	p.mu.Lock()
	listeners := append([]func(){}, p.changed...)
	p.mu.Unlock()
	for _, f := range listeners {
		f()
	}
}
