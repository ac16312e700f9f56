// Package evalset reads sets of tools and judged queries, and measures how well a search ranks
// the tools of a set. It knows no search of ours: a test or a command gives it one.
package evalset

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"time"
	"unicode"

	"github.com/patchbay-mcp/patchbay/specs"
)

// dumped is how many ids of a query's ranking the dump and the metrics see.
const dumped = 50

// A Report is what [Set.Measure] measured. Qualities are means over the queries in
// percent, times are milliseconds.
type Report struct {
	Tools     int     `json:"tools"`
	Queries   int     `json:"queries"`
	NDCG5     float64 `json:"ndcg@5"`
	NDCG10    float64 `json:"ndcg@10"`
	Recall5   float64 `json:"recall@5"`
	Recall10  float64 `json:"recall@10"`
	MRR       float64 `json:"mrr@10"`
	BuildMs   float64 `json:"build_ms"`
	LatencyMs Latency `json:"latency_ms"`

	Each []float64 `json:"-"` // nDCG@5 of each query
}

// Latency is how long searches took.
type Latency struct {
	Mean float64 `json:"mean"`
	P50  float64 `json:"p50"`
	P95  float64 `json:"p95"`
	Max  float64 `json:"max"`
}

// A Set is a folder of a tool corpus and judged queries.
type Set struct {
	Specs   []*specs.Spec
	IDs     map[*specs.Spec]string
	Queries []Query
}

// A Query is one request with the ids of the tools that answer it.
type Query struct {
	ID       string   `json:"id"`
	Text     string   `json:"text"`
	Relevant []string `json:"relevant"`
}

// A Rank returns at most n specs that a query finds, the best first.
type Rank func(ctx context.Context, text string, n int) ([]*specs.Spec, error)

type tool struct {
	ID                string   `json:"id"`
	Server            string   `json:"server"`
	Name              string   `json:"name"`
	Description       string   `json:"description"`
	Parameters        []member `json:"parameters"`
	Outputs           []member `json:"outputs"`
	ServerDescription string   `json:"server_description"`
	Category          string   `json:"category"`
}

type member struct {
	Name        string `json:"name"`
	Type        string `json:"type"`
	Description string `json:"description"`
	Enum        []any  `json:"enum"`
}

// Read reads dir/corpus.jsonl ({id, server, name, description, parameters, outputs}) and
// dir/queries.jsonl ({id, text, relevant: [ids]}).
func Read(dir string) (*Set, error) {
	e := &Set{IDs: map[*specs.Spec]string{}}
	known := map[string]bool{}
	err := eachLine(filepath.Join(dir, "corpus.jsonl"), func(t tool) error {
		if t.ID == "" {
			return errors.New(`"id" is missing or empty`)
		}
		if known[t.ID] {
			return fmt.Errorf("id %q is used twice", t.ID)
		}
		known[t.ID] = true
		sp := t.spec()
		e.IDs[sp] = t.ID
		e.Specs = append(e.Specs, sp)
		return nil
	})
	if err != nil {
		return nil, err
	}
	err = eachLine(filepath.Join(dir, "queries.jsonl"), func(q Query) error {
		if len(q.Relevant) == 0 {
			return fmt.Errorf("query %q has no relevant ids", q.ID)
		}
		for _, id := range q.Relevant {
			if !known[id] {
				return fmt.Errorf("query %q: relevant id %q is not in corpus.jsonl", q.ID, id)
			}
		}
		e.Queries = append(e.Queries, q)
		return nil
	})
	return e, err
}

func (t tool) spec() *specs.Spec {
	sp := &specs.Spec{NodeType: specs.MCP, Subtype: t.Server + "/" + t.Name, Description: t.Description}
	for _, p := range t.Parameters {
		sp.Parameters = append(sp.Parameters, specs.Parameter{Name: p.Name, Type: p.Type, Description: p.Description, EnumValues: p.Enum})
	}
	for _, o := range t.Outputs {
		sp.OutputPorts = append(sp.OutputPorts, specs.Port{Name: o.Name, Description: o.Description})
	}
	if t.Category != "" {
		sp.Tags = append(sp.Tags, t.Category)
	}
	return sp
}

// eachLine decodes a file of one JSON value a line.
func eachLine[T any](path string, use func(T) error) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer func() { _ = f.Close() }() // only read
	sc := bufio.NewScanner(f)
	sc.Buffer(nil, 16<<20)
	n := 0
	for sc.Scan() {
		n++
		if len(bytes.TrimSpace(sc.Bytes())) == 0 {
			continue
		}
		var v T
		if err := json.Unmarshal(sc.Bytes(), &v); err != nil {
			return fmt.Errorf("%s:%d: %w", path, n, err)
		}
		if err := use(v); err != nil {
			return fmt.Errorf("%s:%d: %w", path, n, err)
		}
	}
	if err := sc.Err(); err != nil {
		return fmt.Errorf("%s:%d: %w", path, n+1, err)
	}
	return nil
}

// Measure ranks every query with the search that index returns for the specs of the set, and
// reports nDCG, recall and MRR with binary relevance. With dump, it writes one line
// {"id", "ranked": [up to 50 ids]} per query to it.
func (e *Set) Measure(ctx context.Context, index func([]*specs.Spec) Rank, dump io.Writer) (*Report, error) {
	began := time.Now()
	rank := index(e.Specs)
	r := &Report{Tools: len(e.Specs), Queries: len(e.Queries), BuildMs: ms(time.Since(began))}
	var took []time.Duration
	for _, q := range e.Queries {
		began := time.Now()
		hits, err := rank(ctx, q.Text, dumped)
		if err != nil {
			return nil, err
		}
		took = append(took, time.Since(began))
		ranked := make([]string, 0, len(hits))
		for _, sp := range hits {
			ranked = append(ranked, e.IDs[sp])
		}
		r.add(ranked, q.Relevant)
		if dump != nil {
			line, err := json.Marshal(struct {
				ID     string   `json:"id"`
				Ranked []string `json:"ranked"`
			}{q.ID, ranked})
			if err != nil {
				return nil, err
			}
			if _, err := dump.Write(append(line, '\n')); err != nil {
				return nil, err
			}
		}
	}
	r.finish(took)
	return r, nil
}

func (r *Report) add(ranked, relevant []string) {
	isRelevant := map[string]bool{}
	for _, id := range relevant {
		isRelevant[id] = true
	}
	n := len(isRelevant)
	gain := func(k int) (dcg, found, first float64) {
		for i, id := range ranked[:min(k, len(ranked))] {
			if isRelevant[id] {
				dcg += 1 / math.Log2(float64(i)+2)
				found++
				if first == 0 {
					first = 1 / float64(i+1)
				}
			}
		}
		ideal := 0.0
		for i := range min(k, n) {
			ideal += 1 / math.Log2(float64(i)+2)
		}
		return dcg / ideal, found / float64(n), first
	}
	n5, r5, _ := gain(5)
	n10, r10, first := gain(10)
	r.NDCG5 += n5
	r.Each = append(r.Each, 100*n5)
	r.NDCG10 += n10
	r.Recall5 += r5
	r.Recall10 += r10
	r.MRR += first
}

func (r *Report) finish(took []time.Duration) {
	for _, v := range []*float64{&r.NDCG5, &r.NDCG10, &r.Recall5, &r.Recall10, &r.MRR} {
		*v = math.Round(*v/float64(max(1, r.Queries))*10000) / 100
	}
	if len(took) == 0 {
		return
	}
	var sum time.Duration
	for _, d := range took {
		sum += d
	}
	slices.Sort(took)
	r.LatencyMs = Latency{
		Mean: ms(sum / time.Duration(len(took))),
		P50:  ms(took[len(took)/2]),
		P95:  ms(took[len(took)*95/100]),
		Max:  ms(took[len(took)-1]),
	}
}

func ms(d time.Duration) float64 { return math.Round(d.Seconds()*1e6) / 1e3 }

// ReadAll reads the folders of root that hold a corpus, or root itself if it
// does; names are sorted.
func ReadAll(root string) (map[string]*Set, []string, error) {
	if e, err := Read(root); err == nil {
		name := filepath.Base(root)
		return map[string]*Set{name: e}, []string{name}, nil
	} else if !errors.Is(err, fs.ErrNotExist) {
		return nil, nil, err
	}
	paths, err := fs.Glob(os.DirFS(root), "*/corpus.jsonl")
	if err != nil {
		return nil, nil, err
	}
	if len(paths) == 0 {
		return nil, nil, fmt.Errorf("%s has no corpus.jsonl, nor has a folder in it", root)
	}
	sets := map[string]*Set{}
	var names []string
	for _, p := range paths {
		name := filepath.Dir(p)
		if sets[name], err = Read(filepath.Join(root, name)); err != nil {
			return nil, nil, err
		}
		names = append(names, name)
	}
	return sets, names, nil
}

// Noisy is the set with one letter in ten of its queries replaced by
// another, the same ones every time.
func (e *Set) Noisy() *Set {
	c := *e
	c.Queries = make([]Query, len(e.Queries))
	for i, q := range e.Queries {
		r := rand.New(rand.NewPCG(uint64(i), 7))
		text := []rune(q.Text)
		for j, letter := range text {
			if !unicode.IsLetter(letter) || r.IntN(10) != 0 {
				continue
			}
			for text[j] == letter {
				text[j] = 'a' + rune(r.IntN(26))
			}
		}
		q.Text = string(text)
		c.Queries[i] = q
	}
	return &c
}
