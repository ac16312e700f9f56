package run

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"github.com/patchbay-mcp/patchbay/expr"
)

// Scope returns what an expression after the first n steps of the run sees; n < 0
// means at its end. After a step of a branch it sees what was
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
	return r.newScope(seen, l)
}

// newScope returns the context after some steps.
func (r *Record) newScope(seen []int, l expr.Limits) *expr.Scope {
	h := &History{ByID: map[string][]int{}}
	s := expr.NewScope(h, l)
	for _, i := range seen {
		step := r.Steps[i]
		s.Set(step.Node, step.Output)
		h.Add(step.Node, step.Output)
	}
	s.SetNow(r.Ended)
	return s
}

// A view finds what belongs together among the steps of a run by their keys: the
// steps with the same beginning of a key are one sequence, a branch or a graph.
type view struct {
	steps     []*StepRecord
	byKey     map[string]int
	sequences map[string][]int // by the beginning of their keys, in order of their ends
	branches  map[int][]string // the sequences of a step that runs branches, in the order in which they join
}

func (r *Record) view() *view {
	v := &view{steps: r.Steps, byKey: map[string]int{}, sequences: map[string][]int{}, branches: map[int][]string{}}
	for i := range r.Steps {
		v.byKey[r.Steps[i].Key] = i
	}
	for i := range r.Steps {
		dir, item := v.place(i)
		if item {
			continue
		}
		if _, known := v.sequences[dir]; !known {
			if fork, joins := v.fork(dir); joins {
				v.branches[fork] = append(v.branches[fork], dir)
			}
		}
		v.sequences[dir] = append(v.sequences[dir], i)
	}
	for _, list := range v.sequences {
		slices.SortStableFunc(list, func(a, b int) int { return cmp.Compare(v.end(a), v.end(b)) })
	}
	for fork, dirs := range v.branches {
		rank := func(dir string) int { return slices.Index(v.steps[fork].Branches, v.branch(fork, dir)) }
		slices.SortFunc(dirs, func(a, b string) int { return cmp.Or(cmp.Compare(rank(a), rank(b)), cmp.Compare(a, b)) })
	}
	return v
}

// branch returns the name of the branch of a step that a sequence would be, "" if
// the sequence is a graph that the step runs.
func (v *view) branch(fork int, dir string) string {
	name := strings.Trim(dir[len(v.steps[fork].Key):], "/")
	if strings.HasPrefix(name, "#") { // an attempt
		return ""
	}
	return name
}

// end is the position of a step among those of its sequence, by its end; a step that has not ended is last.
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
// itself if it is not an item's.
func ofItem(key string) (of string, item bool) {
	if at := strings.LastIndexByte(key, '['); at >= 0 && strings.HasSuffix(key, "]") {
		return key[:at], true
	}
	return key, false
}

// fork returns the step that a sequence is a branch of, -1 if it is none: the
// steps of a run, or of a nested graph. A branch joins, or is detached. Steps
// that were kept without their branches have those that their keys name.
func (v *view) fork(dir string) (of int, joins bool) {
	for end := len(dir) - 1; end > 0; end = strings.LastIndexByte(dir[:end], '/') {
		if owner, known := v.byKey[dir[:end]]; known {
			name, branches := v.branch(owner, dir), v.steps[owner].Branches
			if name == "" {
				return -1, false
			}
			return owner, branches == nil || slices.Contains(branches, name)
		}
		if owner, known := v.byKey[after(dir[:end])]; known {
			return owner, false
		}
	}
	return -1, false
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
	if fork, _ := v.fork(dir); fork >= 0 {
		if seen = v.before(fork, seen); after(dir) != "" {
			seen = v.add(fork, seen)
		}
	}
	for _, j := range v.sequences[dir] {
		if v.end(j) < v.end(i) && v.steps[j].Done() {
			seen = v.add(j, seen)
		}
	}
	return seen
}

// add appends a step that is done, after what it consists of: a step
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

// ScopeAt returns what the expressions of a step saw.
func (r *Record) ScopeAt(step int, l expr.Limits) *expr.Scope {
	return r.newScope(r.view().before(step, nil), l)
}

// Item returns the item of a foreach that a step was executed for, and its index; -1
// if it is not an item's, or the items are not known.
func (r *Record) Item(step int) (expr.Value, int) {
	of, item := ofItem(r.Steps[step].Key)
	if !item {
		return nil, -1
	}
	i, err := strconv.Atoi(strings.TrimSuffix(r.Steps[step].Key[len(of)+1:], "]"))
	if err != nil {
		return nil, -1
	}
	for j := range r.Steps {
		if r.Steps[j].Key != of {
			continue
		}
		switch items := r.Steps[j].Input.(type) {
		case nil:
		case []any:
			if i < len(items) {
				return items[i], i
			}
		default:
			if i == 0 {
				return items, 0
			}
		}
	}
	return nil, -1
}
