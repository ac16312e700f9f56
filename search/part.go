package search

import (
	"encoding/binary"
	"fmt"
	"runtime"

	"github.com/blevesearch/bleve/v2/document"
	"github.com/blevesearch/bleve/v2/index/scorch"
	index "github.com/blevesearch/bleve_index_api"
)

const (
	combined = "text" // the one indexed field: every term of the node, its name's twice
	batchMax = 5000   // nodes a batch: its memory comes back before the next
)

// A part is some segments in bleve: documents and postings in an index in memory that
// never changes. It is closed when nothing refers to it.
type part struct {
	segments []*segment
	nodes    int
	terms    []uint64 // those that occur, as bits
	docs     []place  // by bleve's document number
	reader   *scorch.IndexSnapshot
}

// A place says which node a document is.
type place struct{ segment, node uint32 }

// newPart indexes segments, in as few of scorch's own segments as memory allows.
func newPart(list []*segment, words *vocabulary) (*part, error) {
	p := &part{segments: list, terms: make([]uint64, words.len()/64+1)}
	queue := index.NewAnalysisQueue(1)
	defer queue.Close()
	opened, err := scorch.NewScorch(scorch.Name, map[string]any{"path": ""}, queue)
	if err != nil {
		return nil, fmt.Errorf("open a search index: %w", err)
	}
	if err := opened.Open(); err != nil {
		return nil, fmt.Errorf("open a search index: %w", err)
	}
	defer func() { _ = opened.Close() }() // in memory there is nothing to lose; its reader stays
	if err := p.fill(opened, words.terms()); err != nil {
		return nil, fmt.Errorf("write a search index: %w", err)
	}
	reader, err := opened.Reader()
	if err != nil {
		return nil, fmt.Errorf("read a search index: %w", err)
	}
	p.reader = reader.(*scorch.IndexSnapshot)
	runtime.AddCleanup(p, func(r index.IndexReader) { _ = r.Close() }, reader)
	if err := p.locate(); err != nil {
		return nil, err
	}
	return p, nil
}

func (p *part) fill(into index.Index, terms []*term) error {
	b, size := index.NewBatch(), 0
	for number, s := range p.segments {
		p.nodes += len(s.specs)
		for _, t := range s.terms {
			p.terms[t/64] |= 1 << (t % 64)
		}
		for n := range s.specs {
			d := document.NewDocument(docID(uint32(number), uint32(n)))
			d.AddField(s.indexed(n, terms))
			b.Update(d)
			if size++; size == batchMax {
				if err := into.Batch(b); err != nil {
					return err
				}
				b, size = index.NewBatch(), 0
			}
		}
	}
	if size == 0 {
		return nil
	}
	return into.Batch(b)
}

// locate reads which node each document is: bleve numbers them as it likes.
func (p *part) locate() error {
	p.docs = make([]place, p.nodes)
	for doc := range p.docs {
		id, err := p.reader.ExternalID(index.NewIndexInternalID(nil, uint64(doc)))
		if err != nil {
			return fmt.Errorf("read a search index: %w", err)
		}
		p.docs[doc] = place{binary.BigEndian.Uint32([]byte(id)), binary.BigEndian.Uint32([]byte(id[4:]))}
	}
	return nil
}

// has reports whether a term occurs in the part.
func (p *part) has(t *term) bool {
	return int(t.id/64) < len(p.terms) && p.terms[t.id/64]&(1<<(t.id%64)) != 0
}

// part is the segment in bleve by itself. It is made once, and again after forget.
func (s *segment) part(words *vocabulary) (*part, error) {
	s.making.Lock()
	defer s.making.Unlock()
	if s.alone == nil {
		p, err := newPart([]*segment{s}, words)
		if err != nil {
			return nil, err
		}
		s.alone = p
	}
	return s.alone, nil
}

// forget gives back the memory of a part that is in a larger one too.
func (s *segment) forget() {
	s.making.Lock()
	defer s.making.Unlock()
	s.alone = nil
}

func docID(segment, node uint32) string {
	var b [8]byte
	binary.BigEndian.PutUint32(b[:], segment)
	binary.BigEndian.PutUint32(b[4:], node)
	return string(b[:])
}
