package search

import (
	"encoding/base64"
	"encoding/binary"
	"errors"
	"hash/fnv"
	"strconv"
	"strings"
)

// shortQuery is how many words a query may have to be taken as one clause.
const shortQuery = 12

// sentenceEnds are the marks after which another clause begins.
const sentenceEnds = ".!?;。！？；"

// clauses splits a long query at the ends of sentences and at the words that join them.
// A short one is whole. Other punctuation, and operators of other search engines, split
// nothing: who writes them between words means no more by it.
func clauses(text string) []string {
	words := 0
	for word := range runs(strings.ToLower(text), isWord) {
		if !joinsClauses[word] && word != "not" { // operators of other search engines do not count
			words++
		}
	}
	if words <= shortQuery {
		return []string{text}
	}
	var list []string
	var clause strings.Builder
	end := func() {
		if clause.Len() > 0 {
			list = append(list, clause.String())
			clause.Reset()
		}
	}
	for word := range strings.FieldsSeq(text) {
		if joinsClauses[word] {
			end()
			continue
		}
		if !strings.ContainsFunc(word, isWord) && clause.Len() == 0 {
			continue
		}
		clause.WriteString(word)
		clause.WriteByte(' ')
		if last := []rune(word)[len([]rune(word))-1]; strings.ContainsRune(sentenceEnds, last) {
			end()
		}
	}
	end()
	return list
}

var joinsClauses = map[string]bool{"and": true, "then": true, "or": true, "but": true, "also": true}

// ErrStaleCursor says that a cursor is from another query, or from a catalog
// that has changed since: the search must start over without it.
var ErrStaleCursor = errors.New("the cursor belongs to another query or to an older state of the catalog; search again without a cursor")

// cursor names the place after offset results of q.
func (s *Snapshot) cursor(q Query, offset int) string {
	b := binary.BigEndian.AppendUint64(nil, s.sum^q.sum())
	return base64.RawURLEncoding.EncodeToString(binary.AppendUvarint(b, uint64(offset)))
}

// offset is the place q's cursor names.
func (s *Snapshot) offset(q Query) (int, error) {
	if q.Cursor == "" {
		return 0, nil
	}
	b, err := base64.RawURLEncoding.DecodeString(q.Cursor)
	if err != nil || len(b) < 9 || binary.BigEndian.Uint64(b) != s.sum^q.sum() {
		return 0, ErrStaleCursor
	}
	n, used := binary.Uvarint(b[8:])
	if used != len(b)-8 || n > uint64(s.nodes) {
		return 0, ErrStaleCursor
	}
	return int(n), nil
}

// sum is a fingerprint of what is asked; Max may change from page to page.
func (q *Query) sum() uint64 {
	h := fnv.New64a()
	for _, part := range []string{q.Text, q.TypeFilter, q.Server, strconv.FormatBool(q.RunnableOnly), strconv.FormatBool(q.All), strconv.FormatBool(q.Accept != nil)} {
		h.Write([]byte(part))
		h.Write([]byte{0})
	}
	for _, sp := range q.Near { // other candidates are another order
		h.Write([]byte(sp.ID()))
		h.Write([]byte{0})
	}
	return h.Sum64()
}
