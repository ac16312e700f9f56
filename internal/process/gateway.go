package process

// OnOffer registers a function to call after what [servers.Gateway.Offers] returns may have changed.
func (p *Process) OnOffer(f func()) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.offered = append(p.offered, f)
}

func (p *Process) AnnounceOffer() {
	p.mu.Lock()
	listeners := append([]func(){}, p.offered...)
	p.mu.Unlock()
	for _, f := range listeners {
		f()
	}
}
