package search

import (
	"context"
	"encoding/binary"
	"fmt"
	"runtime"
	"slices"

	"github.com/blevesearch/bleve/v2/document"
	"github.com/blevesearch/bleve/v2/index/scorch"
	index "github.com/blevesearch/bleve_index_api"
	segmentapi "github.com/blevesearch/scorch_segment_api/v2"
)

const (
	combined   = "text" // the one indexed field: every term of the node, its name's twice
	pool       = 500    // candidates that are rescored together
	segmentMax = 5000   // nodes a batch: its memory comes back before the next
	tiesMax    = 2000   // candidates of equal score that are ordered by id
)

// A store is bleve's scorch index of the base, in memory: it finds candidates
// without looking at every node. Only a writer touches a store; searches read a
// [view] of it.
type store struct {
	index *scorch.Scorch
	queue *index.AnalysisQueue
	last  uint32 // number of the newest segment
	dead  int    // nodes that still take up room
}

func openStore() (*store, error) {
	q := index.NewAnalysisQueue(1)
	i, err := scorch.NewScorch(scorch.Name, map[string]any{"path": ""}, q)
	if err == nil {
		err = i.Open()
	}
	if err != nil {
		q.Close()
		return nil, fmt.Errorf("open the search index: %w", err)
	}
	return &store{index: i.(*scorch.Scorch), queue: q}, nil
}

// close ends the store's goroutines. Views of it stay readable.
func (st *store) close() {
	st.queue.Close()
	_ = st.index.Close() // in memory there is nothing to lose
}

// number is a name for a segment that no other has.
func (st *store) number() uint32 {
	st.last++
	return st.last
}

// add indexes segments, in as few of scorch's own segments as memory allows.
func (st *store) add(list []*segment, numbers map[*segment]uint32, terms []*term) error {
	b, size := index.NewBatch(), 0
	for _, s := range list {
		for n := range s.specs {
			d := document.NewDocument(docID(numbers[s], uint32(n)))
			d.AddField(s.indexed(n, terms))
			b.Update(d)
			if size++; size == segmentMax {
				if err := st.apply(b); err != nil {
					return err
				}
				b, size = index.NewBatch(), 0
			}
		}
	}
	return st.apply(b)
}

func (st *store) remove(s *segment, number uint32) error {
	b := index.NewBatch()
	for n := range s.specs {
		b.Delete(docID(number, uint32(n)))
	}
	st.dead += len(s.specs)
	return st.apply(b)
}

func (st *store) apply(b *index.Batch) error {
	if len(b.IndexOps) == 0 {
		return nil
	}
	if err := st.index.Batch(b); err != nil {
		return fmt.Errorf("write the search index: %w", err)
	}
	return nil
}

// A view is the store at one moment. It is released when nothing refers to it.
type view struct {
	reader   index.IndexReader
	segments map[uint32]*segment // by number
}

func (st *store) view(numbers map[*segment]uint32) (*view, error) {
	r, err := st.index.Reader()
	if err != nil {
		return nil, fmt.Errorf("read the search index: %w", err)
	}
	v := &view{reader: r, segments: make(map[uint32]*segment, len(numbers))}
	for s, n := range numbers {
		v.segments[n] = s
	}
	runtime.AddCleanup(v, func(r index.IndexReader) { _ = r.Close() }, r)
	return v, nil
}

func docID(slice, node uint32) string {
	var b [8]byte
	binary.BigEndian.PutUint32(b[:], slice)
	binary.BigEndian.PutUint32(b[4:], node)
	return string(b[:])
}

// combinedField is a node's terms as counted for its segment; bleve need not read
// the text again.
type combinedField struct {
	terms index.TokenFrequencies
	size  int
}

func (s *segment) indexed(node int, terms []*term) *combinedField {
	of := s.of(node)
	f := &combinedField{terms: make(index.TokenFrequencies, len(of)), size: s.length(node)}
	for _, p := range of {
		n := 2 * int(p.tf[fieldName])
		for _, tf := range p.tf[fieldName+1:] {
			n += int(tf)
		}
		f.terms[terms[p.term].text] = frequency(n)
	}
	return f
}

// frequency tells bleve that a term occurs n times in a text: bleve reads the term
// itself from the map's key.
func frequency(n int) *index.TokenFreq {
	if n < len(frequencies) {
		return &frequencies[n]
	}
	f := new(index.TokenFreq)
	f.SetFrequency(n)
	return f
}

// frequencies are the ones that nearly all terms have.
var frequencies = func() (list [16]index.TokenFreq) {
	for n := range list {
		list[n].SetFrequency(n)
	}
	return list
}()

// length is the number of terms in the combined field.
func (s *segment) length(node int) int {
	n := int(s.lens[node][fieldName])
	for _, l := range s.lens[node] {
		n += int(l)
	}
	return max(1, n)
}

func (f *combinedField) Name() string { return combined }

func (f *combinedField) Value() []byte { return nil }

func (f *combinedField) ArrayPositions() []uint64 { return nil }

func (f *combinedField) EncodedFieldType() byte { return 't' }

func (f *combinedField) Analyze() {}

func (f *combinedField) AnalyzedLength() int { return f.size }

func (f *combinedField) NumPlainTextBytes() uint64 {
	return 0
}

func (f *combinedField) Size() int { return 0 }

func (f *combinedField) Options() index.FieldIndexingOptions { return index.IndexField }

func (f *combinedField) AnalyzedTokenFrequencies() index.TokenFrequencies { return f.terms }

// candidates are the n best nodes of the base by BM25 over the combined field,
// best first, and how many match at all.
func (s *Snapshot) candidates(ctx context.Context, p *plan, n int) (best []match, total int, err error) {
	t := scoreTables.Get().(*scores)
	defer t.free()
	if err := s.addUp(ctx, t, p); err != nil {
		return nil, 0, err
	}
	gone := make(map[*segment]bool, len(s.gone))
	for _, sl := range s.gone {
		gone[sl] = true
	}
	for _, doc := range t.best(n + countNodes(s.gone)) {
		id, err := s.base.view.reader.ExternalID(index.NewIndexInternalID(nil, uint64(doc)))
		if err != nil {
			return nil, 0, fmt.Errorf("read the search index: %w", err)
		}
		sl := s.base.view.segments[binary.BigEndian.Uint32([]byte(id))]
		if !gone[sl] {
			best = append(best, match{segment: sl, node: binary.BigEndian.Uint32([]byte(id[4:])), score: float64(t.sum[doc])})
		}
	}
	slices.SortFunc(best, before)
	return best[:min(n, len(best))], len(t.touched), nil
}

// addUp adds the BM25 gains of the query's terms to every node that has them. It
// reads bleve's segments one by one: the reader over all of them takes twice the
// time.
func (s *Snapshot) addUp(ctx context.Context, t *scores, p *plan) error {
	gains := map[string]float64{}
	var terms []string
	for _, v := range p.variants {
		if _, ok := gains[v.term.text]; !ok {
			terms = append(terms, v.term.text)
		}
		gains[v.term.text] += v.gain
	}
	mean := s.mean[fieldName]
	for _, m := range s.mean {
		mean += m
	}
	k, perTerm := s.opt.k1*(1-s.opt.b), s.opt.k1*s.opt.b/mean

	var list segmentapi.PostingsList
	var each segmentapi.PostingsIterator
	first := uint64(0) // the segment's first document
	for _, part := range s.base.view.reader.(*scorch.IndexSnapshot).Segments() {
		dict, err := part.Segment().Dictionary(combined)
		if err != nil {
			return fmt.Errorf("read the search index: %w", err)
		}
		for _, term := range terms {
			if err := ctx.Err(); err != nil {
				return err
			}
			if list, err = dict.PostingsList([]byte(term), part.Deleted(), list); err != nil {
				return fmt.Errorf("read the search index: %w", err)
			}
			each = list.Iterator(true, true, false, each)
			for {
				d, err := each.Next()
				if err != nil {
					return fmt.Errorf("read the search index: %w", err)
				}
				if d == nil {
					break
				}
				length := 1 / (d.Norm() * d.Norm()) // bleve keeps a length as its inverse root
				tf := float64(d.Frequency())
				t.add(first+d.Number(), float32(gains[term]*tf/(tf+k+perTerm*length)))
			}
		}
		first += uint64(part.FullSize())
	}
	return nil
}
