package app

// Refresh looks at the saved graphs again: what they do depends on tools that may
// have come since.
func (a *App) Refresh() {
	a.PublishGraphs()
	a.LoadWorkflows()
	a.Announce()
}
