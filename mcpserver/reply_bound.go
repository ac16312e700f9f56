package mcpserver

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/internal/execution"
)

// MaxReply is how many bytes the JSON of a reply has at most, apart from what a caller
// asks for in full.
const MaxReply = 512 << 10

// maxRendered is how many bytes the form of a reply for people has at most.
const maxRendered = 256 << 10

// inFull are the members of replies that have limits of their own: the result of a run,
// and the text of a graph.
var inFull = map[string]bool{"result": true, "graph": true, "fixed_graph": true}

// A cut is what is left of the values of a reply that is too large.
type cut struct {
	text int // bytes of each text and of each name
	list int // items of each list, and members of each map
}

var cuts = []cut{{32 << 10, 2000}, {4 << 10, 1000}, {1 << 10, 300}, {256, 100}, {128, 20}, {64, 3}}

// bounded returns the JSON of a reply for its reader. Where it is too large, its texts, lists
// and maps are cut, and the member "shortened" says so.
func bounded(ctx context.Context, b []byte) []byte {
	b = readerFrom(ctx).reply(b)
	own := len(b)
	if own > MaxReply {
		own -= asked(b)
	}
	if own <= MaxReply {
		return b
	}
	for _, c := range cuts {
		s := shortener{cut: c, from: tolerant(b)}
		s.to = jsontext.NewEncoder(&s.out, jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))
		s.note = fmt.Sprintf("the reply had %s: texts are cut after %d bytes, and lists and maps after %d items; ask for less, such as one node of a run", diag.Bytes(int64(own)), c.text, c.list)
		if s.value(0) == nil && s.out.Len()-s.kept <= MaxReply {
			return bytes.TrimSpace(s.out.Bytes())
		}
	}
	note, _ := json.Marshal(map[string]string{"shortened": "the reply is too large: ask for less"})
	return note
}

// maxValue is how many bytes of what a run or a node has returned a reply to an author has.
// The tool of a saved graph returns all.
const maxValue = 4 << 10

// glimpse returns a reply in which a value over [maxValue] is cut to its first items, with
// its shape and how to read more. Content blocks are cut where they are carried.
func glimpse(out any) any {
	switch r := out.(type) {
	case *conversation:
		return glimpse(r.RunResult)
	case *execution.RunResult:
		if r != nil && len(r.Result) > maxValue && r.Content() == nil {
			brief := *r
			brief.Result, brief.ResultSize, brief.Paths, brief.Hint = firstItems(r.Result), len(r.Result), execution.Paths(r.Result), cmp.Or(r.Hint, r.Rest)
			return &brief
		}
	case *execution.RunNodeResult:
		if len(r.Output) > maxValue && r.Content() == nil {
			brief := *r
			brief.Output, brief.OutputSize, brief.Hint = firstItems(r.Output), len(r.Output), cmp.Or(r.Hint, r.Rest)
			return &brief
		}
	}
	return out
}

// firstItems is a value with as much of its texts and lists as [maxValue] allows.
func firstItems(value json.RawMessage) json.RawMessage {
	for _, c := range cuts {
		s := shortener{cut: c, from: tolerant(value)}
		s.to = jsontext.NewEncoder(&s.out, jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))
		if s.value(1) == nil && s.out.Len() <= maxValue {
			return bytes.TrimSpace(s.out.Bytes())
		}
	}
	return diag.CutJSON(value, maxValue/2)
}

func tolerant(b []byte) *jsontext.Decoder {
	return jsontext.NewDecoder(bytes.NewReader(b), jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))
}

// asked returns how many bytes of a reply a caller has asked for in full.
func asked(b []byte) (n int) {
	from := tolerant(b)
	if t, err := from.ReadToken(); err != nil || t.Kind() != '{' {
		return 0
	}
	for from.PeekKind() == '"' {
		name, err := from.ReadToken()
		if err != nil {
			return n
		}
		full := inFull[name.String()]
		v, err := from.ReadValue()
		if err != nil {
			return n
		}
		if full {
			n += len(v)
		}
	}
	return n
}

// A shortener copies one value of JSON and cuts it.
type shortener struct {
	cut
	note string // says so
	from *jsontext.Decoder
	to   *jsontext.Encoder
	out  bytes.Buffer
	kept int // bytes of what was asked for in full
}

func (s *shortener) value(depth int) error {
	switch s.from.PeekKind() {
	case '{':
		return s.object(depth)
	case '[':
		return s.array(depth)
	case '"':
		t, err := s.from.ReadToken()
		if err != nil {
			return err
		}
		return s.to.WriteToken(jsontext.String(cutText(t.String(), s.text)))
	}
	v, err := s.from.ReadValue()
	if err != nil {
		return err
	}
	return s.to.WriteValue(v)
}

func (s *shortener) object(depth int) error {
	if err := s.copyToken(); err != nil {
		return err
	}
	for n := 0; s.from.PeekKind() != '}'; n++ {
		t, err := s.from.ReadToken()
		if err != nil {
			return err
		}
		name := t.String()
		if depth > 0 && n >= s.list {
			if err := s.from.SkipValue(); err != nil {
				return err
			}
			continue
		}
		if len(name) > s.text { // two may begin alike
			name = fmt.Sprintf("%s %d", cutText(name, s.text), n)
		}
		if err := s.to.WriteToken(jsontext.String(name)); err != nil {
			return err
		}
		if depth == 0 && inFull[name] {
			err = s.whole()
		} else {
			err = s.value(depth + 1)
		}
		if err != nil {
			return err
		}
	}
	if depth == 0 {
		for _, text := range []string{"shortened", s.note} {
			if err := s.to.WriteToken(jsontext.String(text)); err != nil {
				return err
			}
		}
	}
	return s.copyToken()
}

func (s *shortener) array(depth int) error {
	if err := s.copyToken(); err != nil {
		return err
	}
	for n := 0; s.from.PeekKind() != ']'; n++ {
		var err error
		if n >= s.list {
			err = s.from.SkipValue()
		} else {
			err = s.value(depth + 1)
		}
		if err != nil {
			return err
		}
	}
	return s.copyToken()
}

// whole copies a value as it is.
func (s *shortener) whole() error {
	v, err := s.from.ReadValue()
	if err != nil {
		return err
	}
	s.kept += len(v)
	return s.to.WriteValue(v)
}

func (s *shortener) copyToken() error {
	t, err := s.from.ReadToken()
	if err != nil {
		return err
	}
	return s.to.WriteToken(t)
}

// cutText returns the first n bytes of a text, cut between characters, and says so.
func cutText(s string, n int) string {
	if len(s) <= n {
		return s
	}
	return fmt.Sprintf("%s… (the first %d of %d bytes)", strings.ToValidUTF8(s[:n], ""), n, len(s))
}
