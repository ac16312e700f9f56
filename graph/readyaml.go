package graph

import (
	"context"
	"errors"
	"io"
	"strings"

	"go.yaml.in/yaml/v4"

	"github.com/patchbay-mcp/patchbay/diag"
)

var ruleSecond = diag.Define("second-document", diag.Error, "The text contains a second YAML document after ---. "+
	"Only the first is read; send each graph as a document of its own.")

// arena hands out nodes in chunks.
type arena struct {
	ctx   context.Context
	err   error // why no more nodes are wanted: ctx has ended
	chunk []node
}

func (a *arena) new() *node {
	if len(a.chunk) == 0 {
		a.err = a.ctx.Err()
		a.chunk = make([]node, 256)
	}
	n := &a.chunk[0]
	a.chunk = a.chunk[1:]
	return n
}

// depthLimit makes the library stop at our limit instead of its own.
type depthLimit struct{}

func (depthLimit) CheckDepth(depth int, _ *yaml.DepthContext) error {
	if depth > MaxDepth {
		return errDeep
	}
	return nil
}

func (depthLimit) CheckAlias(int, int) error { return nil }

// A yamlReader builds our tree of the library's nodes.
type yamlReader struct {
	doc     *Document
	list    diag.List
	arena   arena
	anchors map[string]*node
	marks   marks
	deep    *node
}

// readYAML reads d.Src; fatal means that d has no tree. With repair, a syntax
// error is examined for its cause, which parses again.
func (d *Document) readYAML(ctx context.Context, repair bool) (l diag.List, fatal bool) {
	if at := controlCharacter(d.Src); at >= 0 {
		got, n := found(d.Src, at)
		l.Report(ruleSyntax, "", d.lines.span(at, at+n), "YAML cannot contain %s", got).Hint = `remove it, or write it as an escape in a double-quoted string, such as "\u0001"`
		return l, true
	}
	text := strings.TrimPrefix(d.Src, bom)
	base := len(d.Src) - len(text)
	loader, err := yaml.NewLoader(&untilDone{ctx, strings.NewReader(text)}, yaml.WithPlugin(depthLimit{}))
	var first, second yaml.Node
	if err == nil {
		err = loader.Load(&first)
	}
	if ctx.Err() != nil {
		return nil, true
	}
	if err != nil && !errors.Is(err, io.EOF) {
		return d.yamlFault(err, base, repair), true
	}
	r := &yamlReader{doc: d, arena: arena{ctx: ctx}, anchors: map[string]*node{}, marks: marks{src: d.Src, at: base, line: 1, column: 1}}
	if first.Kind != yaml.DocumentNode || len(first.Content) == 0 {
		n := r.arena.new()
		*n = node{doc: d, kind: uint8(Null), style: empty, start: int32(len(d.Src)), end: int32(len(d.Src))}
		d.Root = Value{n}
		return nil, false
	}
	root := r.value(first.Content[0], nil, 0, 1)
	if r.arena.err != nil {
		return nil, true
	}
	if r.deep != nil {
		reportDeep(&l, "", d.lines.span(int(r.deep.start), int(r.deep.start)+1))
		return l, true
	}
	d.Root = Value{root}
	switch err := loader.Load(&second); {
	case errors.Is(err, io.EOF):
	case err != nil:
		return d.yamlFault(err, base, false), true
	default:
		at := r.marks.offset(second.Line, second.Column)
		end := at
		if strings.HasPrefix(d.Src[at:], "---") {
			end = at + 3
		}
		x := r.list.Report(ruleSecond, "", d.lines.span(at, end), "a second document starts here")
		x.Hint = "send each graph as a document of its own, or write one document with several tools"
	}
	return r.list, false
}

// untilDone is a text that ends with an error when ctx has ended.
type untilDone struct {
	ctx context.Context
	io.Reader
}

func (r *untilDone) Read(p []byte) (int, error) {
	if err := r.ctx.Err(); err != nil {
		return 0, err
	}
	return r.Reader.Read(p)
}

// controlCharacter returns the offset of the first character that YAML forbids,
// or -1.
func controlCharacter(src string) int {
	for i := range len(src) {
		c := src[i]
		if c < ' ' && c != '\n' && c != '\t' && c != '\r' {
			return i
		}
		if c == 0xEF && (strings.HasPrefix(src[i:], "\ufffe") || strings.HasPrefix(src[i:], "\uffff")) {
			return i
		}
	}
	return -1
}

func (r *yamlReader) value(y *yaml.Node, parent *node, index, depth int) *node {
	n := r.arena.new()
	*n = node{doc: r.doc, parent: parent, index: int32(index), text: y.Value, end: -1}
	n.start = int32(r.marks.offset(y.Line, y.Column))
	if depth > MaxDepth && r.deep == nil {
		r.deep = n
	}
	if parent != nil {
		parent.kids = append(parent.kids, n)
	}
	if r.deep != nil || r.arena.err != nil {
		return n
	}
	if y.Anchor != "" || y.Style&yaml.TaggedStyle != 0 {
		n.prop = true
	}
	n.key = parent != nil && Kind(parent.kind) == Object && index%2 == 0
	props := n.start
	switch y.Kind {
	case yaml.SequenceNode, yaml.MappingNode:
		n.text = ""
		if n.prop || y.Tag == "!" {
			n.start = int32(r.properties(n, int(n.start)))
		}
		n.style = block
		if y.Style&yaml.FlowStyle != 0 {
			n.style = flow
		}
		n.kids = make([]*node, 0, len(y.Content))
		if y.Kind == yaml.SequenceNode {
			n.kind = uint8(Array)
		} else {
			n.kind = uint8(Object)
			if c := r.byteAt(int(n.start)); n.style == flow && c != '{' {
				n.style = bare
			}
		}
		for i, c := range y.Content {
			kid := r.value(c, n, i, depth+1)
			if n.kind == uint8(Object) {
				if i%2 == 0 {
					r.keyed(n, kid)
				} else {
					r.valued(n, kid)
				}
			}
		}
		if Kind(n.kind) == Object {
			r.doc.index(&r.list, n)
		}
	case yaml.AliasNode:
		r.alias(n)
	default:
		r.scalar(n, y)
	}
	if n.prop && !n.key {
		r.property(n, y, int(props))
	}
	return n
}

func (r *yamlReader) byteAt(at int) byte {
	if at >= len(r.doc.Src) {
		return 0
	}
	return r.doc.Src[at]
}

func (r *yamlReader) scalar(n *node, y *yaml.Node) {
	switch {
	case y.Style&yaml.DoubleQuotedStyle != 0:
		n.style = double
	case y.Style&yaml.SingleQuotedStyle != 0:
		n.style = single
	case y.Style&yaml.LiteralStyle != 0:
		n.style = literal
	case y.Style&yaml.FoldedStyle != 0:
		n.style = folded
	case y.Value == "":
		n.style = empty
	}
	c := r.byteAt(int(n.start))
	if c == '!' || c == '&' {
		n.prop = true
		n.start = int32(r.properties(n, int(n.start)))
	}
	n.kind = uint8(String)
	if n.style == plain || n.style == empty {
		n.kind = uint8(plainKind(n.text))
	}
	if n.style == empty {
		n.end = n.start
	}
	if n.style == plain && !n.key && n.kind == uint8(String) {
		r.word(n)
	}
}

// keyed settles a key once it is read. The library places a key that is no
// scalar, or that has properties, where these begin.
func (r *yamlReader) keyed(m, k *node) {
	src := r.doc.Src
	if k.prop || k.style == alias || k.style == empty || explicit(src, int(k.start)) || k.style == literal || k.style == folded {
		m.odd = true
	}
	if kind := Kind(k.kind); kind == Array || kind == Object {
		k.again = true
		r.list.Report(ruleShape, Value{m}.Path(), r.doc.lines.span(int(k.start), k.stop()), "a key is %s, not a string", kind).Hint = `write the key as a string; put a string that starts with { or [ in quotes`
		return
	}
	if k.prop {
		r.list.Report(ruleAlias, Value{k}.Path(), r.doc.lines.span(int(k.start), k.stop()), "a key has a YAML tag or anchor").Hint = "write the key alone"
	}
	if k.text == "<<" && k.style == plain {
		m.odd = true
		r.list.Report(ruleAlias, Value{k}.Path(), r.doc.lines.span(int(k.start), k.stop()), `the YAML merge key "<<" is not part of the format`).Hint = "write the merged keys out"
	}
	k.kind = uint8(String)
}

// explicit reports whether a key at offset at is written "? key".
func explicit(src string, at int) bool {
	before := strings.TrimRight(src[:at], " \t\r\n")
	if !strings.HasSuffix(before, "?") {
		return false
	}
	return len(before) == 1 || strings.IndexByte(" \t\n\r,[{", before[len(before)-2]) >= 0
}

// valued places a value that is not written right after its colon, or after
// its key if there is no colon either: the library gives the next token's place.
func (r *yamlReader) valued(m, v *node) {
	if v.style != empty || v.prop {
		return
	}
	k := m.kids[v.index-1]
	at := m.colon(k)
	if at < 0 {
		at = k.stop()
	}
	v.start, v.end = int32(at), int32(at)
}

// skipSpace returns the offset of the next byte from i that is neither white
// space nor in a comment. fresh says that a # at i itself begins one.
func skipSpace(src string, i int, fresh bool) int {
	for i < len(src) {
		switch {
		case blankAt(src, i):
			i++
		case breakAt(src, i) > 0:
			i += breakAt(src, i)
		case src[i] == '#' && fresh:
			for i < len(src) && breakAt(src, i) == 0 {
				i++
			}
		default:
			return i
		}
		fresh = true
	}
	return i
}
