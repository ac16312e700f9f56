package search

import index "github.com/blevesearch/bleve_index_api"

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
