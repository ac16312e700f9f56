package app

import (
	"github.com/patchbay-mcp/patchbay/internal/config"
)

// What the App tells its features, the parts that the services do without: see
// [process.Feature]. They have told the process of themselves when they were made.

func (a *App) refreshFeatures() {
	for _, f := range a.Features {
		if f.Refresh != nil {
			f.Refresh()
		}
	}
}

func (a *App) reloadFeatures(cfg *config.Config) {
	for _, f := range a.Features {
		if f.Reload != nil {
			f.Reload(cfg)
		}
	}
}

func (a *App) reportFeatures(metrics any) {
	for _, f := range a.Features {
		if f.Report != nil {
			f.Report(metrics)
		}
	}
}

func (a *App) closeFeatures() {
	for _, f := range a.Features {
		if f.Close != nil {
			f.Close()
		}
	}
}

// listsChange reports whether clients may be listed other tools than there are.
func (a *App) listsChange() bool {
	for _, f := range a.Features {
		if f.ChangesLists != nil && f.ChangesLists() {
			return true
		}
	}
	return false
}
