package search

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/patchbay-mcp/patchbay/specs"
)

// dumped is how many ids of a query's ranking the dump and the metrics see.
const dumped = 50

// A Report is what [Evaluate] measured. Qualities are means over the queries in
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

	each []float64 // nDCG@5 of each query
}

// Latency is how long searches took.
type Latency struct {
	Mean float64 `json:"mean"`
	P50  float64 `json:"p50"`
	P95  float64 `json:"p95"`
	Max  float64 `json:"max"`
}

// An evaluation is a folder of a tool corpus and judged queries.
type evaluation struct {
	specs   []*specs.Spec
	ids     map[*specs.Spec]string
	queries []judged
}

type judged struct {
	ID       string   `json:"id"`
	Text     string   `json:"text"`
	Relevant []string `json:"relevant"`
}

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

// Evaluate ranks the queries of dir/queries.jsonl ({id, text, relevant: [ids]})
// over the tools of dir/corpus.jsonl ({id, server, name, description,
// parameters, outputs}) with the index and the ranking of the server, and
// reports nDCG, recall and MRR with binary relevance. With dump, it writes one
// line {"id", "ranked": [up to 50 ids]} per query to it.
func Evaluate(ctx context.Context, dir string, dump io.Writer) (*Report, error) {
	e, err := readEvaluation(dir)
	if err != nil {
		return nil, err
	}
	return e.run(ctx, defaults, dump)
}

func readEvaluation(dir string) (*evaluation, error) {
	e := &evaluation{ids: map[*specs.Spec]string{}}
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
		e.ids[sp] = t.ID
		e.specs = append(e.specs, sp)
		return nil
	})
	if err != nil {
		return nil, err
	}
	err = eachLine(filepath.Join(dir, "queries.jsonl"), func(q judged) error {
		if len(q.Relevant) == 0 {
			return fmt.Errorf("query %q has no relevant ids", q.ID)
		}
		for _, id := range q.Relevant {
			if !known[id] {
				return fmt.Errorf("query %q: relevant id %q is not in corpus.jsonl", q.ID, id)
			}
		}
		e.queries = append(e.queries, q)
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

// run ranks every query and sums up.
func (e *evaluation) run(ctx context.Context, opt options, dump io.Writer) (*Report, error) {
	began := time.Now()
	x := New()
	x.a = opt.analyzer()
	x.Replace("corpus", e.specs)
	snap := x.Snapshot()
	r := &Report{Tools: len(e.specs), Queries: len(e.queries), BuildMs: ms(time.Since(began))}
	snap = snap.with(opt)

	var took []time.Duration
	for _, q := range e.queries {
		began := time.Now()
		hits, err := snap.ranked(ctx, q.Text, dumped)
		if err != nil {
			return nil, err
		}
		took = append(took, time.Since(began))
		ranked := make([]string, 0, len(hits))
		for _, sp := range hits {
			ranked = append(ranked, e.ids[sp])
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
	r.each = append(r.each, 100*n5)
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
