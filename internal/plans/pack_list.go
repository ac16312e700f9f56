package plans

import (
	"context"
	"slices"
	"sync/atomic"

	"github.com/patchbay-mcp/patchbay/catalog"
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

// A BuiltinPack is a knowledge pack of the program, with a catalog of its own.
type BuiltinPack struct {
	Name    string // for --pack
	Place   string // for packs of the configuration
	Catalog *catalog.Catalog
}

// packList has the knowledge packs: those of the configuration, and those of the program.
type packList struct {
	builtin func() []BuiltinPack // nil: there are none
	list    atomic.Pointer[[]LoadedPack]
}

// Set makes packs the knowledge packs of the configuration in effect.
func (pk *packList) Set(packs []LoadedPack) { pk.list.Store(&packs) }

// All returns the knowledge packs of the configuration in effect.
func (pk *packList) All() []LoadedPack {
	if list := pk.list.Load(); list != nil {
		return slices.Clone(*list)
	}
	return nil
}

// Broken are those that have faults.
func (pk *packList) Broken() (broken []LoadedPack) {
	for _, p := range pk.All() {
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

// available lists the packs of the program that are not in a catalog and have nodes
// to name.
func (pk *packList) available(snap *catalog.Snapshot, nodes func(*catalog.Snapshot) []string) (list []AvailablePack) {
	if pk.builtin == nil {
		return nil
	}
	for _, p := range pk.builtin() {
		own := p.Catalog.Snapshot()
		if all := own.All(); len(all) == 0 || snap.Spec(all[0].ID()) != nil {
			continue
		}
		if ids := nodes(own); len(ids) > 0 {
			list = append(list, AvailablePack{
				Pack: p.Place, Nodes: ids[:min(len(ids), MaxAvailable)],
				Hint: "switch it on with packs: [" + p.Place + "] in patchbay.yaml, or --pack " + p.Name,
			})
		}
	}
	return list
}

// WithType are the packs that are not switched on and have a node type.
func (pk *packList) WithType(snap *catalog.Snapshot, name string) []AvailablePack {
	return pk.available(snap, func(pack *catalog.Snapshot) (ids []string) {
		nodeType := pack.TypeNamed(name)
		for _, subtype := range pack.Subtypes(nodeType, "") {
			ids = append(ids, nodeType+":"+subtype)
		}
		return ids
	})
}

// WithNode are the packs that are not switched on and have a node of a name, or
// the nodes of a type.
func (pk *packList) WithNode(snap *catalog.Snapshot, ref catalog.Ref) []AvailablePack {
	return pk.available(snap, func(pack *catalog.Snapshot) []string {
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

// ThatAnswer are the packs that are not switched on and have better results for a
// search than the catalog, or a node of the name that is searched for.
func (pk *packList) ThatAnswer(ctx context.Context, snap *catalog.Snapshot, text string, found []search.Hit) []AvailablePack {
	best := 0.0
	if len(found) > 0 {
		best = found[0].Score
	}
	return pk.available(snap, func(pack *catalog.Snapshot) (ids []string) {
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
