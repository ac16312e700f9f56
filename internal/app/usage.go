package app

import (
	"cmp"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/patchbay-mcp/patchbay/diag"
)

// Usage counts how discovery is used, in memory only.
type Usage struct {
	Searches  atomic.Uint64
	Empty     atomic.Uint64 // searches that found nothing
	Corrected atomic.Uint64 // searches in which a word was corrected

	keep bool // remember the queries that found nothing
	mu   sync.Mutex
	lost map[string]*LostSearch
}

// A LostSearch is a query that found nothing.
type LostSearch struct {
	Query string    `json:"query"`
	Times int       `json:"times"`
	Last  time.Time `json:"last"`
}

// maxMissedQueries is how many queries without a result are remembered.
const maxMissedQueries = 200

// Usage returns the counters of this process.
func (pb *App) Usage() *Usage { return &pb.usage }

// note counts one search.
func (u *Usage) note(query string, found int, corrected bool) {
	u.Searches.Add(1)
	if corrected {
		u.Corrected.Add(1)
	}
	if found > 0 {
		return
	}
	u.Empty.Add(1)
	if !u.keep {
		return
	}
	query = diag.Cut(query, 200)
	u.mu.Lock()
	defer u.mu.Unlock()
	if u.lost == nil {
		u.lost = map[string]*LostSearch{}
	}
	l := u.lost[query]
	if l == nil {
		if len(u.lost) >= maxMissedQueries {
			u.forgetOldest()
		}
		l = &LostSearch{Query: query}
		u.lost[query] = l
	}
	l.Times++
	l.Last = time.Now()
}

func (u *Usage) forgetOldest() {
	var oldest *LostSearch
	for _, l := range u.lost {
		if oldest == nil || l.Last.Before(oldest.Last) {
			oldest = l
		}
	}
	delete(u.lost, oldest.Query)
}

// Lost returns the queries that found nothing, the most frequent first.
func (u *Usage) Lost() []LostSearch {
	u.mu.Lock()
	defer u.mu.Unlock()
	list := make([]LostSearch, 0, len(u.lost))
	for _, l := range u.lost {
		list = append(list, *l)
	}
	slices.SortFunc(list, func(a, b LostSearch) int {
		return cmp.Or(cmp.Compare(b.Times, a.Times), b.Last.Compare(a.Last), cmp.Compare(a.Query, b.Query))
	})
	return list
}
