package process

// Loaded is closed when the first [plans.Plans.Start] has returned.
func (p *Process) Loaded() <-chan struct{} { return p.loaded }

// MarkLoaded closes [Process.Loaded].
func (p *Process) MarkLoaded() { p.started.Do(func() { close(p.loaded) }) }

// Background does work that Shutdown waits for, nothing after it.
func (p *Process) Background(f func()) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.Working.Err() == nil {
		p.work.Go(f)
	}
}

// AwaitWork waits for the work in the background.
func (p *Process) AwaitWork() { p.work.Wait() }

// EndWork keeps work from being added, and tells that which is done to end.
func (p *Process) EndWork() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.endWork()
}
