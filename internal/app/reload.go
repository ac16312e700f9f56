package app

import (
	"reflect"
	"slices"

	"github.com/patchbay-mcp/patchbay/internal/config"
	"github.com/patchbay-mcp/patchbay/internal/servers/downstream"
)

// Reloaded says what [App.Reload] has changed.
type Reloaded struct {
	Servers downstream.Changes
	Packs   []string // that were added, removed or read again
	// Restart says that other settings differ, which have an effect at the next start only.
	Restart bool
}

// Reload takes over a new configuration while the program runs: its servers, and of these
// only those that differ are started or ended, and its knowledge packs, which are read
// again. Saved graphs are read again too. Secrets of the new configuration are masked in
// addition to the former ones. All other settings need a restart.
func (a *App) Reload(cfg *config.Config) Reloaded {
	a.lifecycle.reloading.Lock()
	defer a.lifecycle.reloading.Unlock()
	defer a.GraphsFollow.Changed()
	next, before := *cfg, a.Config()
	next.Redactor = before.Redactor // which everybody has
	next.Redactor.Include(cfg.Redactor)
	r := Reloaded{Restart: restartNeeded(before, cfg)}
	a.SetConfig(&next)
	a.reloadFeatures(cfg)
	a.SetModels(cfg.Models)
	if s := a.Scheduler.Load(); s != nil {
		s.Set(cfg.Schedules)
	}
	r.Servers = a.Hub.Apply(append(downstreamServers(cfg, a.Egress, a.lifecycle.setup.Version, a.lifecycle.setup.Log), a.lifecycle.setup.Servers...))
	a.Deny(deniedBy(cfg))
	for _, o := range a.Hub.Offers() {
		a.fileTools(o.Server, o.Tools)
	}
	a.AnnounceOffer()
	a.Policies.Set(cfg.Calls, a.Hub.Offers())
	r.Packs = a.reloadPacks(cfg.Packs)
	return r
}

// GraphsChanged has saved graphs read again, after their folder has changed.
func (a *App) GraphsChanged() { a.GraphsFollow.Changed() }

// reloadable are the fields of a configuration that [App.Reload] takes over, or that follow
// from the files.
var reloadable = []string{"Servers", "Own", "Identity", "Calls", "Documents", "Workflows", "Beside", "Schedules", "Webhooks", "Models", "Links", "Packs", "Files", "Redactor", "Default", "Workspace", "WorkspaceReplaced", "WorkspaceOff", "Hidden"}

// restartNeeded reports whether the rest of two configurations differs.
func restartNeeded(a, b *config.Config) bool {
	x, y := reflect.ValueOf(*a), reflect.ValueOf(*b)
	for i := range x.NumField() {
		f := x.Type().Field(i)
		if f.IsExported() && !slices.Contains(reloadable, f.Name) && !reflect.DeepEqual(x.Field(i).Interface(), y.Field(i).Interface()) {
			return true
		}
	}
	return !slices.EqualFunc(a.Documents, b.Documents, func(p, q *config.Document) bool { return p.Graph.Src == q.Graph.Src })
}
