package run

import (
	"cmp"
	"encoding/json"
	"errors"
	"iter"
	"slices"
	"time"

	"github.com/patchbay-mcp/patchbay/expr"
)

// ErrNoRun is the error for a run that does not exist, or not for the actor.
var ErrNoRun = errors.New("unknown run")

// A Filter chooses runs that an actor sees. Its other fields restrict unless they are
// zero.
type Filter struct {
	Actor   Actor
	Graph   string
	Status  Status
	Project string    // that the runs ran with
	Since   time.Time // started then or later

	Ordinary bool // not those of workflows around requests
	Brief    bool // a store may leave the arguments out
	Limit    int
}

// A Summary is a line about a run.
type Summary struct {
	ID        string          `json:"run_id"`
	Graph     string          `json:"graph,omitempty"`
	Principal string          `json:"-"`
	Status    Status          `json:"status"`
	Project   string          `json:"project,omitempty"`
	Started   time.Time       `json:"started"`
	Ended     time.Time       `json:"ended,omitzero"`
	Steps     int             `json:"node_executions"`
	Arguments json.RawMessage `json:"arguments,omitempty"`
	Code      string          `json:"code,omitempty"`    // of what stopped it
	Message   string          `json:"message,omitempty"` // of what stopped it

	// Unverified says that the journal does not know who wrote the run: it is not resumed.
	Unverified bool `json:"unverified,omitempty"`

	Links []string `json:"answer_links,omitempty"` // to its open questions, in lists for the operator
}

// Summarize returns the line about a run.
func Summarize(r *Record) Summary {
	s := Summary{ID: r.ID, Graph: r.Graph, Principal: r.Principal, Project: r.Project, Status: r.Status, Started: r.Started, Ended: r.Ended, Steps: len(r.Steps), Arguments: r.Arguments}
	if r.Fault != nil {
		s.Code, s.Message = r.Fault.Code, r.Fault.Error()
	}
	if r.Status == Running {
		if asked := r.held(); len(asked) > 0 {
			s.Waits(asked[0].Detail)
		}
	}
	return s
}

// Waits notes that a call of the run waits for the answer to a question; the
// intent has the detail.
func (s *Summary) Waits(detail json.RawMessage) {
	var q struct {
		Message string `json:"message"`
	}
	_ = json.Unmarshal(detail, &q) // of our own
	s.Code, s.Message = NeedsAnswer, "a person must answer: "+q.Message
}

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
