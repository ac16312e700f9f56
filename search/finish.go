package search

import (
	"cmp"
	"hash/fnv"
	"math"
	"math/bits"
	"slices"
	"strings"
	"unicode"

	"github.com/patchbay-mcp/patchbay/specs"
)

// What the parts of a score beside its words count. docs/measured/search.md has what each is
// worth.
const (
	joinedWeight  = .5  // of two words written as one
	nameWeight    = .2  // of the best score, for a name that the query has whole
	orderWeight   = .2  // of their mean idf, for two words side by side
	clauseWeight  = .2  // of the score of the best clause
	shareExponent = .25 // of the share of the query that matched
	restWeight    = .3  // of the whole query, where a clause is looked at
	askingWeight  = .1  // of a word that asks and does not say for what
	exactWeight   = 4.  // of the best score, for a node that is called what the query says
	exactTrigger  = 2.  // the same for a node that starts workflows
)

// Parts are what made up the score of a hit. Their sum times Share is the score, in
// the units of idf.
type Parts struct {
	Words  float64 `json:"words"`            // BM25F, times the favour of the kind of node
	Name   float64 `json:"name,omitempty"`   // the query has the words of the name
	Order  float64 `json:"order,omitempty"`  // words stand side by side as in the query
	Clause float64 `json:"clause,omitempty"` // one clause of a long query fits
	Exact  float64 `json:"exact,omitempty"`  // the query is the name, title or id
	Share  float64 `json:"share"`            // factor for how much of the query matched

	covered, named float64 // how much of the query's idf the node has, and of its name's the query
}

func (p *Parts) sum() float64 { return (p.Words+p.Name+p.Order+p.Clause)*p.Share + p.Exact }

// finish completes the scores of candidates, whose Parts.Words and Parts.Clause are
// known, and sorts them. best is the highest Parts.Words of all.
func (sc *scorer) finish(list []match, best float64) {
	for i := range list {
		m := &list[i]
		p := &m.parts
		p.Share = 1
		if opt := &sc.snap.opt; opt.coordinate {
			p.Share = sc.plan.share(m.matched, opt.rest)
		}
		p.named = sc.nameCoverage(m)
		p.Name = p.named * best * sc.snap.opt.names * m.segment.favour[m.node]
		p.Order = sc.inOrder(m) * sc.snap.opt.order
		p.Clause *= sc.snap.opt.clauses
		if m.exact {
			p.Exact = exactWeight * best
			if isTrigger(m.spec()) {
				p.Exact = exactTrigger * best
			}
		}
		m.score = p.sum()
	}
	slices.SortFunc(list, before)
}

// rank scores candidates in pools, so that a page asked for later does not change one
// shown before.
func (sc *scorer) rank(list []match) {
	best := 0.0
	for number := 0; number*pool < len(list); number++ {
		part := list[number*pool : min(len(list), (number+1)*pool)]
		for i := range part {
			m := &part[i]
			m.parts, m.matched = sc.score(m.segment, int(m.node))
			if number == 0 {
				best = max(best, m.parts.Words)
			}
		}
		sc.finish(part, best)
	}
}

// share is what the words of a node are multiplied by, given which concepts it matches: how
// much it has of the query, or of a clause with a part of all the others.
func (q *plan) share(matched uint64, rest float64) float64 {
	has, mass := q.weightOf(matched&q.need), q.weightOf(q.need)
	if has == 0 { // it has words only as parts or written as one
		has = min(q.weightOf(matched&^q.need), mass)
	}
	if mass <= 0 {
		return 1
	}
	share := has / mass
	for _, clause := range q.clauses {
		if rest > 0 {
			share = max(share, q.weightOf(clause&matched&q.need)/(q.weightOf(clause&q.need)+rest*mass))
		}
	}
	return math.Pow(share, shareExponent)
}

// weightOf is what some concepts count together.
func (q *plan) weightOf(set uint64) (sum float64) {
	for ; set != 0; set &= set - 1 {
		c := &q.concepts[bits.TrailingZeros64(set)]
		sum += c.idf * c.weight * c.rank
	}
	return sum
}

// covered is the share of the query's idf that a node has, where each word counts what
// it gains, at most its own idf.
func (q *plan) covered(gain func(concept int) float64) float64 {
	if q.mass <= 0 {
		return 1
	}
	var sum, restated float64
	for i, c := range q.concepts {
		g := min(gain(i), c.idf*c.weight)
		if c.extra {
			restated += g
		} else {
			sum += g
		}
	}
	if sum == 0 { // it has words only as parts or written as one
		sum = min(restated, q.mass)
	}
	return sum / q.mass
}

// nameCoverage is how much of a node's name the query has, by idf.
func (sc *scorer) nameCoverage(m *match) float64 {
	var has, all float64
	for _, w := range m.segment.order.name(int(m.node)) {
		weight := sc.idf(w)
		all += weight
		if slices.Contains(sc.plan.has, w) {
			has += weight
		}
	}
	if all == 0 {
		return 0
	}
	return has / all
}

// inOrder is the sum of the mean idf of the query's neighbours that a node has side by
// side, each once.
func (sc *scorer) inOrder(m *match) float64 {
	if len(sc.plan.neighbours) == 0 {
		return 0
	}
	var seen uint64
	sum := 0.0
	words := m.segment.order.of(int(m.node))
	for i := 1; i < len(words); i++ {
		if words[i] == between || words[i-1] == between || sc.table[words[i]] == 0 || sc.table[words[i-1]] == 0 {
			continue
		}
		for n, pair := range sc.plan.neighbours {
			if pair.left == words[i-1] && pair.right == words[i] && seen&(1<<n) == 0 {
				seen |= 1 << n
				sum += pair.idf
			}
		}
	}
	return sum
}

// callings are the fingerprints of what a node is called: its name, title, subtype, id
// and aliases. Case, spaces and punctuation do not count.
func callings(sp *specs.Spec) []uint64 {
	name := cmp.Or(sp.Tool(), sp.NodeType)
	list := make([]uint64, 0, 4)
	add := func(name string) {
		if c := calling(name); c != 0 && !slices.Contains(list, c) {
			list = append(list, c)
		}
	}
	for _, name := range []string{name, sp.Title, sp.Subtype, sp.ID()} {
		add(name)
	}
	for _, alias := range sp.Aliases {
		add(alias)
	}
	return list
}

// calling is the fingerprint of a name, 0 if it has no letter or digit.
func calling(name string) uint64 {
	h := fnv.New64a()
	empty := true
	for _, r := range strings.ToLower(fold(name)) {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			empty = false
			var b [4]byte
			b[0], b[1], b[2], b[3] = byte(r), byte(r>>8), byte(r>>16), byte(r>>24)
			h.Write(b[:])
		}
	}
	if empty {
		return 0
	}
	return h.Sum64()
}

// isTrigger reports whether a node of another system starts its workflows.
func isTrigger(sp *specs.Spec) bool {
	return sp.Starts || strings.Contains(strings.ToLower(sp.NodeType+" "+sp.Tool()), "trigger")
}
