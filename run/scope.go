package run

import (
	"cmp"
	"slices"
	"strings"

	"github.com/patchbay-mcp/patchbay/expr"
	"github.com/patchbay-mcp/patchbay/graph"
)

// Scope returns what an expression after the first n steps of the run sees; n < 0
// means what the whole run has come to. After a step of a branch it sees what was
// before the fork and the branch itself; after the join, all branches in their
// order. After a step of a nested graph it sees that graph alone.
func (r *Record) Scope(n int, l expr.Limits) *expr.Scope {
	v := r.view()
	var seen []int
	switch {
	case n < 0 || n > len(r.Steps):
		seen = v.whole("", nil)
	case n > 0:
		seen = v.before(n-1, nil)
		if _, item := v.place(n - 1); !item && r.Steps[n-1].Done() {
			seen = v.add(n-1, seen)
		}
	}
	h := &History{ByID: map[string][]int{}}
	s := expr.NewScope(h, l)
	for _, i := range seen {
		step := &r.Steps[i]
		s.Set(step.Node, step.Output)
		h.Add(step.Node, step.Output)
	}
	s.SetNow(r.Ended)
	return s
}

// A view finds what belongs together among the steps of a run by their keys: the
// steps with the same beginning of a key are one sequence, a branch or a graph.
type view struct {
	steps     []StepRecord
	byKey     map[string]int
	sequences map[string][]int    // by the beginning of their keys, in order of their ends
	branches  map[int][]string    // the sequences that a parallel step consists of
	order     map[string][]string // the branches of the document's parallel nodes, by id
}

func (r *Record) view() *view {
	v := &view{steps: r.Steps, byKey: map[string]int{}, sequences: map[string][]int{}, branches: map[int][]string{}}
	for i := range r.Steps {
		v.byKey[r.Steps[i].Key] = i
		if r.Steps[i].Type == "parallel" && v.order == nil {
			v.order = r.Source.branches()
		}
	}
	for i := range r.Steps {
		dir, item := v.place(i)
		if item {
			continue
		}
		if _, known := v.sequences[dir]; !known {
			if fork := v.fork(dir); fork >= 0 {
				v.branches[fork] = append(v.branches[fork], dir)
			}
		}
		v.sequences[dir] = append(v.sequences[dir], i)
	}
	for _, list := range v.sequences {
		slices.SortStableFunc(list, func(a, b int) int { return cmp.Compare(v.end(a), v.end(b)) })
	}
	for fork, dirs := range v.branches {
		rank := func(dir string) int {
			name := dir[len(v.steps[fork].Key)+1 : len(dir)-1]
			return slices.Index(v.order[v.steps[fork].Node], name)
		}
		slices.SortStableFunc(dirs, func(a, b string) int { return cmp.Compare(rank(a), rank(b)) })
	}
	return v
}

// end is where a step stands among those of its sequence; what goes on is last.
func (v *view) end(i int) int {
	if v.steps[i].Ended == 0 {
		return len(v.steps) + 1
	}
	return v.steps[i].Ended
}

// place returns what the keys of a step's sequence begin with, and whether it is
// an item of a foreach.
func (v *view) place(i int) (dir string, item bool) {
	key, item := ofItem(v.steps[i].Key)
	at := strings.LastIndex(key, v.steps[i].Node+"#")
	return key[:max(at, 0)], item
}

// ofItem returns the key of the foreach that an item is part of, or the key
// itself if it is no item's.
func ofItem(key string) (of string, item bool) {
	if at := strings.LastIndexByte(key, '['); at >= 0 && strings.HasSuffix(key, "]") {
		return key[:at], true
	}
	return key, false
}

// fork returns the parallel step of which a sequence is a branch, -1 if it is
// none: the steps of a run, or of a nested graph.
func (v *view) fork(dir string) int {
	for end := len(dir) - 1; end > 0; end = strings.LastIndexByte(dir[:end], '/') {
		if owner, known := v.byKey[dir[:end]]; known {
			if v.steps[owner].Type == "parallel" {
				return owner
			}
			return -1
		}
	}
	return -1
}

// before appends what a step's expressions saw.
func (v *view) before(i int, seen []int) []int {
	dir, item := v.place(i)
	if item {
		key, _ := ofItem(v.steps[i].Key)
		if owner, known := v.byKey[key]; known && owner != i {
			return v.before(owner, seen)
		}
		return seen
	}
	if fork := v.fork(dir); fork >= 0 {
		seen = v.before(fork, seen)
	}
	for _, j := range v.sequences[dir] {
		if v.end(j) < v.end(i) && v.steps[j].Done() {
			seen = v.add(j, seen)
		}
	}
	return seen
}

// add appends a step that is done, after what it consists of: a parallel step
// that failed leaves nothing of its branches.
func (v *view) add(i int, seen []int) []int {
	if v.steps[i].Fault == nil && v.steps[i].Simulated == "" {
		for _, dir := range v.branches[i] {
			seen = v.whole(dir, seen)
		}
	}
	return append(seen, i)
}

// whole appends a sequence as far as it has come, with what has been done of its
// branches where it stands at a fork.
func (v *view) whole(dir string, seen []int) []int {
	for _, i := range v.sequences[dir] {
		if v.steps[i].Done() {
			seen = v.add(i, seen)
			continue
		}
		for _, branch := range v.branches[i] {
			seen = v.whole(branch, seen)
		}
	}
	return seen
}

// branches returns the branches of a source's parallel nodes, by id.
func (s Source) branches() map[string][]string {
	order := map[string][]string{}
	doc, _ := graph.Parse(s.Name, s.Text)
	if doc == nil {
		return order
	}
	for _, tool := range doc.Tools() {
		if name := tool.Get("name").Text(); name != s.Tool {
			continue
		}
		for _, n := range tool.Get("nodes").Items() {
			for _, b := range n.Get("branches").Items() {
				id := n.Get("id").Text()
				order[id] = append(order[id], b.Text())
			}
		}
	}
	return order
}
