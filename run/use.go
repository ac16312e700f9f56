package run

import (
	"cmp"
	"iter"
	"slices"

	"github.com/patchbay-mcp/patchbay/expr"
)

// A Use adds up the completed runs of a graph, without dry runs: what passed through
// them instead of through a model.
type Use struct {
	Graph   string
	Runs    int
	Counted int   // of Runs, those whose calls were counted: earlier versions did not
	Calls   int   // of tools and HTTP requests, in the counted runs
	Called  int64 // bytes of JSON that the results of these calls had, about
	Replied int64 // bytes of JSON that the results of the counted runs have, about
}

// ResultSize returns how many bytes of JSON the result has, about.
func (r *Record) ResultSize() int64 {
	if r.Result == nil {
		return 0
	}
	return int64(expr.Size(r.Result, maxMeasured))
}

// maxMeasured is up to how many bytes a result is measured.
const maxMeasured = 1 << 40

// UsesOf adds up the records that a filter chooses, for stores that have records at
// hand: the most used graph first, then by name.
func UsesOf(f Filter, records iter.Seq[*Record]) []Use {
	uses := map[string]*Use{}
	for r := range records {
		if r.Status != Succeeded || r.Mode != "" || !f.Actor.Sees(r.Principal) || f.Graph != "" && f.Graph != r.Graph || f.Project != "" && f.Project != r.Project || r.Started.Before(f.Since) {
			continue
		}
		u := uses[r.Graph]
		if u == nil {
			u = &Use{Graph: r.Graph}
			uses[r.Graph] = u
		}
		calls, called := r.Calls()
		u.Runs++
		u.Counted++
		u.Calls += calls
		u.Called += called
		u.Replied += r.ResultSize()
	}
	list := make([]Use, 0, len(uses))
	for _, u := range uses {
		list = append(list, *u)
	}
	slices.SortFunc(list, func(a, b Use) int { return cmp.Or(b.Runs-a.Runs, cmp.Compare(a.Graph, b.Graph)) })
	return list
}
