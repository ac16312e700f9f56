package search

import (
	"context"
	"fmt"
	"io"
	"math"
	"strings"
	"time"

	"github.com/patchbay-mcp/patchbay/specs"
	"github.com/patchbay-mcp/patchbay/tools/searcheval/evalset"
)

// An ablation is the ranking with one part changed.
type ablation struct {
	name   string
	change func(*options)
}

var ablations = []ablation{
	{"as shipped", func(*options) {}},
	{"without word classes", func(o *options) { o.classes = 0 }},
	{"without spelling correction", func(o *options) { o.correct = 0 }},
	{"with correction of everyday words too", func(o *options) { o.plain = false }},
	{"without matching of words written as one", func(o *options) { o.joins = false }},
	{"with words written as one at full weight", func(o *options) { o.joined = 1 }},
	{"without name coverage", func(o *options) { o.names = 0 }},
	{"without word order", func(o *options) { o.order = 0 }},
	{"without coordination", func(o *options) { o.coordinate = false }},
	{"without less weight for words that only ask", func(o *options) { o.asking = 1 }},
	{"with b 0.65", func(o *options) { o.b = .65 }},
	{"without the share of a clause", func(o *options) { o.rest = 0 }},
	{"without clauses", func(o *options) { o.clauses, o.rest = 0, 0 }},
	{"with similar nodes left in the first places", func(o *options) { o.fair = false }},
	{"without stemming", func(o *options) { o.exact = true }},
	{"with stop words", func(o *options) { o.every = true }},
	{"with one length for a node, not one for each field", func(o *options) { o.oneLen = true }},
	{"without parameters", func(o *options) { o.weight[fieldParameters], o.weight[fieldParameterText] = 0, 0 }},
	{"without output", func(o *options) { o.weight[fieldOutput] = 0 }},
	{"without server and tags", func(o *options) { o.weight[fieldServer] = 0 }},
	{"with weight 1 for the name", func(o *options) { o.weight[fieldName] = 1 }},
	{"plain BM25F", func(o *options) {
		o.classes, o.correct, o.joins, o.fair, o.oneLen = 0, 0, false, false, true
		o.names, o.order, o.coordinate, o.clauses, o.rest = 0, 0, false, 0, 0
	}},
}

// formerly is the ranking before its weights were chosen on one half of the queries.
func formerly(o *options) { o.asking, o.rest = 1, 0 }

// halves writes how the ranking does on the half of the queries with which its weights were
// chosen, and on the other, as it was before and is now.
func halves(ctx context.Context, root string) (gains [2][2]float64, table string, err error) {
	sets, names, err := evalset.ReadAll(root)
	if err != nil {
		return gains, "", err
	}
	var b strings.Builder
	p := &printer{w: &b}
	p.line("| half | nDCG@5 before | now | recall@10 before | now |")
	p.line("|---|---|---|---|---|")
	for odd, half := range []string{"for choosing", "kept out"} {
		var of [2][2]float64
		for now, change := range []func(*options){formerly, func(*options) {}} {
			opt := defaults
			change(&opt)
			for _, name := range names {
				r, err := halfOf(sets[name], odd).Measure(ctx, ranking(opt), nil)
				if err != nil {
					return gains, "", err
				}
				of[now][0] += r.NDCG5 / float64(len(names))
				of[now][1] += r.Recall10 / float64(len(names))
			}
		}
		gains[odd] = [2]float64{of[1][0] - of[0][0], of[1][1] - of[0][1]}
		p.line("| %s | %.2f | %.2f | %.2f | %.2f |", half, of[0][0], of[1][0], of[0][1], of[1][1])
	}
	return gains, b.String(), nil
}

// halfOf is a set with every second query: the first, third and so on, or the others.
func halfOf(e *evalset.Set, odd int) *evalset.Set {
	h := &evalset.Set{Specs: e.Specs, IDs: e.IDs}
	for i, q := range e.Queries {
		if i%2 == odd {
			h.Queries = append(h.Queries, q)
		}
	}
	return h
}

// Quality writes, as Markdown, how the ranking does on the evaluation set in root
// or on every one in its folders, and what each of its parts is worth: nDCG@5 and
// recall@10 with one part changed at a time, and nDCG@5 when one letter in ten
// of every query is another one.
func Quality(ctx context.Context, root string, w io.Writer) error {
	sets, names, err := evalset.ReadAll(root)
	if err != nil {
		return err
	}
	p := &printer{w: w}
	p.line("| set | tools | queries | nDCG@5 | nDCG@10 | recall@5 | recall@10 | MRR@10 |")
	p.line("|---|---|---|---|---|---|---|---|")
	for _, name := range names {
		r, err := sets[name].Measure(ctx, ranking(defaults), nil)
		if err != nil {
			return err
		}
		p.line("| %s | %d | %d | %.1f | %.1f | %.1f | %.1f | %.1f |", name, r.Tools, r.Queries, r.NDCG5, r.NDCG10, r.Recall5, r.Recall10, r.MRR)
	}
	p.line("")
	p.line("| ranking | mean nDCG@5 | change ± standard error | mean recall@10 | nDCG@5, letters changed | nDCG@5 of %s |", strings.Join(names, ", "))
	p.line("|---|---|---|---|---|---|")
	var shipped measurement
	for i, a := range ablations {
		opt := defaults
		a.change(&opt)
		m, err := measure(ctx, sets, names, opt)
		if err != nil {
			return err
		}
		each := make([]string, len(m.ndcg5))
		for i, n := range m.ndcg5 {
			each[i] = fmt.Sprintf("%.1f", n)
		}
		change := ""
		if i == 0 {
			shipped = m
		} else {
			change = fmt.Sprintf("%+.2f ± %.2f", mean(m.ndcg5)-mean(shipped.ndcg5), standardError(m.each, shipped.each))
		}
		p.line("| %s | %.2f | %s | %.2f | %.2f | %s |", a.name, mean(m.ndcg5), change, mean(m.recall10), mean(m.noisy5), strings.Join(each, ", "))
	}
	return p.err
}

// ranking is the index and the ranking of the server under options.
func ranking(opt options) func([]*specs.Spec) evalset.Rank {
	return func(list []*specs.Spec) evalset.Rank {
		x := New()
		x.a = opt.analyzer()
		x.Replace("corpus", list)
		return x.Snapshot().with(opt).ranked
	}
}

// A measurement is a ranking's qualities by set.
type measurement struct {
	ndcg5, recall10, noisy5 []float64
	each                    [][]float64 // nDCG@5 of each query, by set
}

// standardError is that of the mean over sets of the difference of two rankings on the
// same queries.
func standardError(a, b [][]float64) float64 {
	sum := 0.0
	for i := range a {
		n := float64(len(a[i]))
		var total, squares float64
		for j := range a[i] {
			d := a[i][j] - b[i][j]
			total, squares = total+d, squares+d*d
		}
		variance := (squares - total*total/n) / max(1, n-1)
		sum += variance / n
	}
	return math.Sqrt(sum) / float64(max(1, len(a)))
}

func measure(ctx context.Context, sets map[string]*evalset.Set, names []string, opt options) (m measurement, err error) {
	for _, name := range names {
		r, err := sets[name].Measure(ctx, ranking(opt), nil)
		if err != nil {
			return m, err
		}
		n, err := sets[name].Noisy().Measure(ctx, ranking(opt), nil)
		if err != nil {
			return m, err
		}
		m.each = append(m.each, r.Each)
		m.ndcg5, m.recall10, m.noisy5 = append(m.ndcg5, r.NDCG5), append(m.recall10, r.Recall10), append(m.noisy5, n.NDCG5)
	}
	return m, nil
}

func mean(list []float64) float64 {
	sum := 0.0
	for _, v := range list {
		sum += v
	}
	return sum / float64(max(1, len(list)))
}

// A printer keeps the first error of a series of lines.
type printer struct {
	w   io.Writer
	err error
}

func (p *printer) line(format string, args ...any) {
	if p.err == nil {
		_, p.err = fmt.Fprintf(p.w, format+"\n", args...)
	}
}

func ms(d time.Duration) float64 { return math.Round(d.Seconds()*1e6) / 1e3 }

// with is the snapshot under other options.
func (s *Snapshot) with(opt options) *Snapshot {
	c := *s
	c.opt = opt
	return &c
}

// ranked is the specs in the order that pages show them, at most n.
func (s *Snapshot) ranked(ctx context.Context, text string, n int) ([]*specs.Spec, error) {
	found, _, err := s.find(ctx, s.plan(text), Query{}, n)
	if err != nil {
		return nil, err
	}
	order := s.lineUp(found).order
	list := make([]*specs.Spec, 0, n)
	for _, m := range order[:min(n, len(order))] {
		list = append(list, m.spec())
	}
	return list, nil
}
