package discover

import (
	"cmp"
	"context"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/internal/servers/downstream"
	"github.com/patchbay-mcp/patchbay/internal/sys/cache"
	"github.com/patchbay-mcp/patchbay/search"
)

// Usage counts how discovery is used, in memory only.
type Usage struct {
	Searches  atomic.Uint64
	Empty     atomic.Uint64 // searches that found nothing
	Corrected atomic.Uint64 // searches in which a word was corrected

	keep   bool // remember the queries that found nothing
	mu     sync.Mutex
	missed *cache.Cache[string, *MissedQuery]
	last   *cache.Cache[string, string] // by principal: the query that found nothing, until another finds something
	words  map[string]*WordUse
}

// A MissedQuery is a query that found nothing. In it and in Then, … stands for what looks
// like a value.
type MissedQuery struct {
	Query string    `json:"query"`
	Times int       `json:"times"`
	Last  time.Time `json:"last"`
	// Then is what the same caller asked next that found something, and Suggestion is a
	// line for search.synonyms that makes the one find what the other does.
	Then       string `json:"then,omitempty"`
	Suggestion string `json:"suggestion,omitempty"`
}

// maxMissedQueries is how many queries without a result are remembered.
const maxMissedQueries = 200

func newUsage(keep bool) *Usage {
	return &Usage{keep: keep, missed: cache.New[string, *MissedQuery](maxMissedQueries), last: cache.New[string, string](maxMissedQueries)}
}

// Usage returns the counters of this process.
func (disc *Discovery) Usage() *Usage { return disc.usage }

// note counts one search of a principal.
func (u *Usage) note(principal, query string, found int, corrected bool) {
	u.Searches.Add(1)
	if corrected {
		u.Corrected.Add(1)
	}
	query = anonymous(query)
	u.count(query, found)
	if found > 0 {
		u.found(principal, query)
		return
	}
	u.Empty.Add(1)
	if !u.keep {
		return
	}
	query = diag.Cut(query, 200)
	u.mu.Lock()
	defer u.mu.Unlock()
	l, ok := u.missed.Get(query)
	if !ok {
		l = &MissedQuery{Query: query}
		u.missed.Add(query, l)
	}
	l.Times++
	l.Last = time.Now()
	u.last.Set(principal, query)
}

// found notes what a principal asked that found something, after a query that did not.
func (u *Usage) found(principal, query string) {
	u.mu.Lock()
	defer u.mu.Unlock()
	missed, ok := u.last.Get(principal)
	if !ok {
		return
	}
	u.last.Remove(principal)
	if l, ok := u.missed.Get(missed); ok {
		l.Then = diag.Cut(query, 200)
		l.Suggestion = search.Suggest(missed, query)
	}
}

// Missed returns the queries that found nothing, the most frequent first.
func (u *Usage) Missed() []MissedQuery {
	u.mu.Lock()
	defer u.mu.Unlock()
	list := []MissedQuery{}
	for _, l := range u.missed.Values() {
		list = append(list, *l)
	}
	slices.SortFunc(list, func(a, b MissedQuery) int {
		return cmp.Or(cmp.Compare(b.Times, a.Times), b.Last.Compare(a.Last), cmp.Compare(a.Query, b.Query))
	})
	return list
}

// ServersInput asks for all downstream servers.
type ServersInput struct{}

// ServersResult lists the downstream servers.
type ServersResult struct {
	Servers []downstream.Status `json:"servers"`
	Missed  []MissedQuery       `json:"missed_searches,omitempty"` // that found no node, the most frequent first
}

// maxMissedShown is how many searches without a result are listed with the servers.
const maxMissedShown = 50

// Servers returns the state of the downstream servers, by name, and what was searched for
// in this process without finding a node.
func (disc *Discovery) Servers(context.Context, ServersInput) (*ServersResult, *diag.Fault) {
	missed, list := disc.usage.Missed(), disc.servers.Status()
	for i := range list {
		list[i].Changed = len(disc.servers.Hub.Waiting(list[i].Name))
	}
	return &ServersResult{Servers: list, Missed: missed[:min(len(missed), maxMissedShown)]}, nil
}
