package graph

import (
	"context"
	"errors"
	"io"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/patchbay-mcp/patchbay/diag"
)

// A jsonReader builds the tree of a JSON text.
type jsonReader struct {
	doc   *Document
	list  diag.List
	dec   *jsontext.Decoder
	base  int // bytes skipped before the text: a byte order mark
	arena arena
}

var errDeep = errors.New("nested too deep")

// readJSON reads d.Src; fatal means that d has no tree.
func (d *Document) readJSON(ctx context.Context) (l diag.List, fatal bool) {
	text := strings.TrimPrefix(d.Src, bom)
	r := &jsonReader{doc: d, base: len(d.Src) - len(text), arena: arena{ctx: ctx}}
	r.dec = jsontext.NewDecoder(strings.NewReader(text), jsontext.AllowDuplicateNames(true))
	root, err := r.value(nil, 0, 1)
	if err == nil {
		end := int(r.dec.InputOffset()) + r.base
		if _, more := r.dec.ReadToken(); !errors.Is(more, io.EOF) {
			rest := end + len(d.Src[end:]) - len(strings.TrimLeft(d.Src[end:], " \t\r\n"))
			x := r.list.Report(ruleSyntax, "", d.lines.span(rest, min(rest+1, len(d.Src))), "text follows the end of the JSON value")
			x.Hint = "a document is one JSON object: remove what comes after it, or a closing bracket too many"
			return r.list[len(r.list)-1:], true
		}
		d.Root = Value{root}
		return r.list, false
	}
	r.list = nil
	if r.arena.err != nil {
		return nil, true
	}
	if errors.Is(err, errDeep) {
		at := int(r.dec.InputOffset()) + r.base
		reportDeep(&r.list, string(r.dec.StackPointer()), d.lines.span(at-1, at))
		return r.list, true
	}
	r.fault(err)
	return r.list, true
}

func reportDeep(l *diag.List, path string, at diag.Range) {
	if len(path) > 200 {
		path = ""
	}
	l.Report(ruleDeep, path, at, "lists and maps are nested more than %d deep", MaxDepth).Hint = "move inner parts into graphs of their own"
}

func (r *jsonReader) value(parent *node, index, depth int) (*node, error) {
	n := r.arena.new()
	if r.arena.err != nil {
		return nil, r.arena.err
	}
	n.doc, n.parent, n.index = r.doc, parent, int32(index)
	switch k := r.dec.PeekKind(); k {
	case '{', '[':
		if depth > MaxDepth {
			_, _ = r.dec.ReadToken()
			return nil, errDeep
		}
		if _, err := r.dec.ReadToken(); err != nil {
			return nil, err
		}
		n.start, n.style = int32(int(r.dec.InputOffset())-1+r.base), flow
		n.kind = uint8(Array)
		stop := jsontext.Kind(']')
		if k == '{' {
			n.kind, stop = uint8(Object), '}'
		}
		for r.dec.PeekKind() != stop {
			kid, err := r.value(n, len(n.kids), depth+1)
			if err != nil {
				return nil, err
			}
			n.kids = append(n.kids, kid)
			kid.key = k == '{' && len(n.kids)%2 == 1
		}
		if _, err := r.dec.ReadToken(); err != nil {
			return nil, err
		}
		n.end = int32(int(r.dec.InputOffset()) + r.base)
		if k == '{' {
			r.doc.index(&r.list, n)
		}
	default:
		raw, err := r.dec.ReadValue()
		if err != nil {
			return nil, err
		}
		n.end = int32(int(r.dec.InputOffset()) + r.base)
		n.start = n.end - int32(len(raw))
		n.text = r.doc.Src[n.start:n.end]
		switch k {
		case '"':
			n.kind, n.style = uint8(String), quoted
			if n.text = n.text[1 : len(n.text)-1]; strings.IndexByte(n.text, '\\') >= 0 {
				s := scan{src: r.doc.Src}
				s.json(int(n.start))
				n.text = string(s.text)
			}
		case 'n':
			n.kind = uint8(Null)
		case 't', 'f':
			n.kind = uint8(Boolean)
		default:
			n.kind = uint8(Number)
		}
	}
	return n, nil
}
