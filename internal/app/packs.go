package app

import (
	"log/slog"
	"slices"
	"sync"

	"github.com/patchbay-mcp/patchbay/catalog"
	"github.com/patchbay-mcp/patchbay/internal/packs"
	"github.com/patchbay-mcp/patchbay/internal/plans"
)

// loadPacks adds knowledge packs to a catalog. The faults of one are logged, and
// the rest of it is used: patchbay packs lint lists them all.
func loadPacks(places []string, cat *catalog.Catalog, log *slog.Logger) []plans.LoadedPack {
	loaded := make([]plans.LoadedPack, len(places))
	for i, place := range places {
		one := &loaded[i]
		one.Pack = place
		pack, found, err := packs.Load(place)
		if err != nil {
			one.Error, one.Faults, one.Hint = err.Error(), 1, "correct packs in patchbay.yaml"
			log.Warn("a knowledge pack cannot be read", "pack", place, "error", err)
			continue
		}
		one.Nodes = len(pack.Specs)
		for _, f := range found {
			if !packs.HasErrors([]packs.Finding{f}) {
				continue
			}
			if one.Faults++; one.Faults == 1 {
				one.Error, one.Hint = f.String(), "patchbay packs lint "+place
			}
		}
		if one.Faults > 0 {
			log.Warn("a knowledge pack has faults", "pack", pack.Name, "faults", one.Faults, "first", one.Error, "hint", one.Hint)
		}
		one.Origin = "pack:" + pack.Name
		cat.Replace(one.Origin, pack.Specs)
	}
	return loaded
}

// reloadPacks reads the knowledge packs of a changed configuration, and returns those that were
// added, removed or read again.
func (a *App) reloadPacks(places []string) (changed []string) {
	former := a.Packs.All()
	loaded := loadPacks(places, a.Plans.Catalog, a.lifecycle.setup.Log)
	for _, p := range former {
		if p.Origin != "" && !slices.ContainsFunc(loaded, func(l plans.LoadedPack) bool { return l.Origin == p.Origin }) {
			a.Plans.Catalog.Replace(p.Origin, nil)
		}
	}
	a.Packs.Set(loaded)
	for _, p := range slices.Concat(former, loaded) {
		if slices.Contains(former, p) != slices.Contains(loaded, p) && !slices.Contains(changed, p.Pack) {
			changed = append(changed, p.Pack)
		}
	}
	return changed
}

// builtinPacks are the packs of the program. They are decoded when a question is first asked
// that the catalog cannot answer.
var builtinPacks = sync.OnceValue(func() (all []plans.BuiltinPack) {
	for _, name := range packs.Builtin() {
		pack, _, err := packs.Load(packs.BuiltinPrefix + name)
		if err != nil {
			continue // a test loads all of them
		}
		cat := catalog.New()
		cat.Replace("pack:"+pack.Name, pack.Specs)
		all = append(all, plans.BuiltinPack{Name: name, Place: packs.BuiltinPrefix + name, Catalog: cat})
	}
	return all
})
