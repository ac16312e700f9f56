package plans

import (
	"context"
	"log/slog"
	"slices"
	"sync"

	"github.com/patchbay-mcp/patchbay/catalog"
	"github.com/patchbay-mcp/patchbay/internal/packs"
	"github.com/patchbay-mcp/patchbay/search"
)

// A LoadedPack says what came of a knowledge pack of the configuration.
type LoadedPack struct {
	Pack   string `json:"pack"`             // its folder, or builtin:<name>
	Nodes  int    `json:"nodes"`            // that can be used
	Error  string `json:"error,omitempty"`  // the first of its faults
	Faults int    `json:"faults,omitempty"` // how many there are
	Hint   string `json:"hint,omitempty"`

	Origin string // of its nodes in the catalog; "" without any
}

// LoadPacks adds knowledge packs to a catalog. The faults of one are logged, and
// the rest of it is used: patchbay packs lint lists them all.
func LoadPacks(places []string, cat *catalog.Catalog, log *slog.Logger) []LoadedPack {
	loaded := make([]LoadedPack, len(places))
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

// SetPacks makes packs the knowledge packs of the configuration in effect.
func (pl *Plans) SetPacks(packs []LoadedPack) { pl.packs.Store(&packs) }

// Packs returns the knowledge packs of the configuration in effect.
func (pl *Plans) Packs() []LoadedPack {
	if list := pl.packs.Load(); list != nil {
		return slices.Clone(*list)
	}
	return nil
}

// BrokenPacks are those that have faults.
func (pl *Plans) BrokenPacks() (broken []LoadedPack) {
	for _, p := range pl.Packs() {
		if p.Faults > 0 {
			broken = append(broken, p)
		}
	}
	return broken
}

// An AvailablePack is a knowledge pack of the program that is not switched on and
// knows what was asked for.
type AvailablePack struct {
	Pack  string   `json:"pack"`
	Nodes []string `json:"nodes"` // the first ones that it has
	Hint  string   `json:"hint"`
}

// MaxAvailable is how many nodes of a pack that is not switched on are named.
const MaxAvailable = 3

// A builtinPack is a pack of the program with a catalog of its own.
type builtinPack struct {
	name    string
	catalog *catalog.Catalog
}

// builtinPacks are decoded when a question is first asked that the catalog cannot
// answer.
var builtinPacks = sync.OnceValue(func() (all []builtinPack) {
	for _, name := range packs.Builtin() {
		pack, _, err := packs.Load(packs.BuiltinPrefix + name)
		if err != nil {
			continue // a test loads all of them
		}
		cat := catalog.New()
		cat.Replace("pack:"+pack.Name, pack.Specs)
		all = append(all, builtinPack{name, cat})
	}
	return all
})

// available lists the packs of the program that are not in a catalog and have nodes
// to name.
func available(snap *catalog.Snapshot, nodes func(*catalog.Snapshot) []string) (list []AvailablePack) {
	for _, p := range builtinPacks() {
		own := p.catalog.Snapshot()
		if all := own.All(); len(all) == 0 || snap.Spec(all[0].ID()) != nil {
			continue
		}
		if ids := nodes(own); len(ids) > 0 {
			list = append(list, AvailablePack{
				Pack: packs.BuiltinPrefix + p.name, Nodes: ids[:min(len(ids), MaxAvailable)],
				Hint: "switch it on with packs: [" + packs.BuiltinPrefix + p.name + "] in patchbay.yaml, or --pack " + p.name,
			})
		}
	}
	return list
}

// PacksWithType are the packs that are not switched on and have a node type.
func PacksWithType(snap *catalog.Snapshot, name string) []AvailablePack {
	return available(snap, func(pack *catalog.Snapshot) (ids []string) {
		nodeType := pack.TypeNamed(name)
		for _, subtype := range pack.Subtypes(nodeType, "") {
			ids = append(ids, nodeType+":"+subtype)
		}
		return ids
	})
}

// PacksWithNode are the packs that are not switched on and have a node of a name, or
// the nodes of a type.
func PacksWithNode(snap *catalog.Snapshot, ref catalog.Ref) []AvailablePack {
	return available(snap, func(pack *catalog.Snapshot) []string {
		if spec, ok := pack.Nearest(ref); ok {
			return []string{spec.ID()}
		}
		if _, miss := pack.Resolve(ref); miss != nil && miss.Type != "" {
			return miss.Suggestions
		}
		return nil
	})
}

// goodAnswer is the score from which on a pack has what a search asked for.
const goodAnswer = 0.4

// PacksThatAnswer are the packs that are not switched on and have better results for a
// search than the catalog, or a node of the name that is searched for.
func PacksThatAnswer(ctx context.Context, snap *catalog.Snapshot, text string, found []search.Hit) []AvailablePack {
	best := 0.0
	if len(found) > 0 {
		best = found[0].Score
	}
	return available(snap, func(pack *catalog.Snapshot) (ids []string) {
		if spec, ok := pack.Nearest(catalog.Ref{ID: text}); ok {
			return []string{spec.ID()}
		}
		r, err := pack.Search(ctx, search.Query{Text: text, Max: MaxAvailable})
		if err != nil {
			return nil
		}
		for _, h := range r.Hits {
			if h.Score >= goodAnswer && h.Score > best {
				ids = append(ids, h.Spec.ID())
			}
		}
		return ids
	})
}
