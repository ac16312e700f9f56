package plans

import (
	"cmp"
	"maps"
	"slices"
	"sync"

	"github.com/patchbay-mcp/patchbay/catalog"
	"github.com/patchbay-mcp/patchbay/graph"
	"github.com/patchbay-mcp/patchbay/specs"
)

// maxFollowing is how many nodes are named that follow a node.
const maxFollowing = 3

// following knows which nodes follow which in the operator's documents, in saved graphs
// and in the examples of the catalog. A graph and the examples of a spec are read once,
// when somebody asks.
type following struct {
	mu       sync.Mutex
	docs     func() []*graph.Document
	saved    map[*graph.Document]steps
	examples map[*specs.Spec]steps
	snapshot *catalog.Snapshot   // that after is about
	after    map[string][]string // the most frequent first, all of the catalog
}

// steps are the edges of a graph, each as the ids of two nodes of the catalog.
type steps map[[2]string]bool

// file replaces the graphs.
func (f *following) file(docs func() []*graph.Document) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.docs, f.snapshot = docs, nil
}

// Of returns the nodes that follow a node most often, at most maxFollowing.
func (f *following) Of(snap *catalog.Snapshot, id string) []string {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.snapshot != snap {
		f.read(snap)
	}
	return f.after[id]
}

// read counts which nodes follow which. A saved graph counts for more than all examples.
func (f *following) read(snap *catalog.Snapshot) {
	f.readExamples(snap)
	counts := map[[2]string]int{}
	for _, s := range f.examples {
		for step := range s {
			counts[step]++
		}
	}
	known, docs := f.saved, f.docs()
	f.saved = make(map[*graph.Document]steps, len(docs))
	for _, doc := range docs {
		s := known[doc]
		if s == nil {
			s = documentSteps(doc)
		}
		f.saved[doc] = s
		for step := range s {
			counts[step] += 1 + len(f.examples)
		}
	}
	order := slices.SortedFunc(maps.Keys(counts), func(a, b [2]string) int {
		return cmp.Or(cmp.Compare(counts[b], counts[a]), cmp.Compare(a[1], b[1]), cmp.Compare(a[0], b[0]))
	})
	f.snapshot, f.after = snap, map[string][]string{}
	for _, step := range order {
		if to := f.after[step[0]]; len(to) < maxFollowing && follows(snap.Spec(step[1])) {
			f.after[step[0]] = append(to, step[1])
		}
	}
}

// follows reports whether a node of the catalog is named as one that follows others:
// that an exit does is said of no node.
func follows(spec *specs.Spec) bool { return spec != nil && !spec.Ends }

// readExamples reads the examples of the specs that are new in the catalog. Those of
// tools and saved graphs have no other nodes.
func (f *following) readExamples(snap *catalog.Snapshot) {
	known := f.examples
	f.examples = map[*specs.Spec]steps{}
	for _, t := range snap.Types() {
		if t.Name == specs.MCP || t.Name == specs.Graph {
			t.Subtypes = nil // but the type itself
		}
		for _, subtype := range append([]string{""}, t.Subtypes...) {
			spec := snap.Spec((&specs.Spec{NodeType: t.Name, Subtype: subtype}).ID())
			if spec == nil || len(spec.Examples) == 0 {
				continue
			}
			if f.examples[spec] = known[spec]; f.examples[spec] != nil {
				continue
			}
			all := steps{}
			for _, ex := range spec.Examples {
				if doc, _ := graph.Parse("example", ex.Graph); doc != nil {
					maps.Copy(all, documentSteps(doc))
				}
			}
			f.examples[spec] = all
		}
	}
}

// documentSteps returns the edges of a document but those that a failure takes.
func documentSteps(doc *graph.Document) steps {
	all := steps{}
	for _, tool := range doc.Tools() {
		ids := map[string]string{}
		for i := range tool.Nodes {
			ids[tool.Nodes[i].ID.Text()] = catalogID(&tool.Nodes[i])
		}
		for i := range tool.Nodes {
			n := &tool.Nodes[i]
			for e := range n.Edges() {
				from, to := ids[n.ID.Text()], ids[e.Target.Text()]
				if e.Label != "onError" && from != "" && to != "" {
					all[[2]string{from, to}] = true
				}
			}
		}
	}
	return all
}

// catalogID is the id that the node of a graph has in the catalog.
func catalogID(n *graph.Node) string {
	s := specs.Spec{NodeType: n.Type.Text(), Subtype: n.Get("subtype").Text()}
	switch s.NodeType {
	case specs.MCP:
		s.Subtype = n.Get("server").Text() + "/" + n.Get("tool").Text()
	case specs.Graph:
		s.Subtype = n.Get("graph").Text()
	}
	return s.ID()
}
