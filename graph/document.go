package graph

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/patchbay-mcp/patchbay/diag"
)

// The limits of a document.
const (
	MaxBytes = 10 << 20 // of source text
	MaxDepth = 200      // of lists and maps inside each other

	maxFaults = 1000 // reported while reading
)

var (
	ruleSyntax = diag.Define("syntax", diag.Error, "The document is neither YAML nor JSON. "+
		"Nothing else is checked until it can be read; the message says what was expected at that place.")
	ruleEmpty = diag.Define("empty-document", diag.Error, "The document is empty. "+
		"A graph is a map with tools, or one tool with its nodes.")
	ruleShape = diag.Define("wrong-shape", diag.Error, "The document is not a map, or one of its keys is not a string.")
	ruleLarge = diag.Define("document-too-large", diag.Error, "The document is larger than 10 MiB. Split it into several graphs that call each other.")
	ruleDeep  = diag.Define("document-too-deep", diag.Error, "Lists and maps are nested more than 200 deep. "+
		"No graph needs that; usually the program that generated the document has an error.")
	ruleDuplicate = diag.Define("duplicate-key", diag.Error, "A key occurs twice in one map. "+
		"The first value is used for the other checks; remove or rename one of them.")
)

// A Format is the notation of a document.
type Format string

// The formats.
const (
	YAML Format = "yaml"
	JSON Format = "json"
)

// A Document is a parsed text. It is safe for concurrent use, and nothing in it
// changes.
type Document struct {
	Name   string // what the text is called in messages, such as a file name
	Src    string
	Format Format
	Root   Value

	lines lines
	names map[*node]map[string]*node // the keys of maps too large to scan

	once sync.Once
	tree *Tree

	calling sync.Once
	called  []string
}

// Parse reads a document and reports every fault of its syntax and shape, in
// order of position. The document is nil if there is a syntax error or a limit
// is passed; otherwise it holds all that was understood, with the first value
// of a duplicate key and null for what JSON has no notion of.
//
// A text that starts with { or [ is read as JSON, and if that fails as YAML in
// flow style; if it is neither, JSON's fault is reported.
func Parse[T ~string | ~[]byte](name string, text T) (*Document, diag.List) {
	d, l, _ := ParseContext(context.Background(), name, text)
	return d, l
}

// ParseContext is [Parse] that stops soon after ctx has ended. The error is then
// ctx's cause, and nothing else is returned.
func ParseContext[T ~string | ~[]byte](ctx context.Context, name string, text T) (*Document, diag.List, error) {
	d, l := read(ctx, name, text)
	if err := context.Cause(ctx); err != nil {
		return nil, nil, err
	}
	return d, l, nil
}

func read[T ~string | ~[]byte](ctx context.Context, name string, text T) (*Document, diag.List) {
	if len(text) > MaxBytes {
		var l diag.List
		d := l.Report(ruleLarge, "", diag.Range{}, "the document has %d bytes, more than the limit of %d", len(text), MaxBytes)
		d.Hint, d.Got, d.Want = "split it into several graphs and call one from the other with graph nodes", len(text), MaxBytes
		return nil, l
	}
	d := &Document{Name: name, Src: string(text)}
	d.lines = newLines(d.Src)
	if l := d.encoding(); l != nil {
		return nil, l
	}
	body := strings.TrimLeft(strings.TrimPrefix(d.Src, bom), " \t\r\n")
	if body != "" && (body[0] == '{' || body[0] == '[') {
		d.Format = JSON
		l, fatal := d.readJSON(ctx)
		if ctx.Err() != nil {
			return nil, nil
		}
		if !fatal {
			return d, d.shape(l).Sort()
		}
		if l[0].Code == ruleDeep.Code {
			return nil, l
		}
		if fix := d.commented(); l[0].Range.Start.Offset < len(d.Src) && d.Src[l[0].Range.Start.Offset] == '/' && d.parsesWith(fix) {
			l[0].Message, l[0].Hint, l[0].Got, l[0].Want = "JSON has no comments", "remove them", nil, nil
			l[0].Fixes = []diag.Fix{fix}
			return nil, l
		}
		if other, list := parseYAML(ctx, name, d.Src, d.lines); ctx.Err() == nil && (other != nil && !other.torn() || other == nil && list[0].Code == ruleDeep.Code) {
			return other, list
		}
		return nil, l
	}
	other, l := parseYAML(ctx, name, d.Src, d.lines)
	if other == nil && ctx.Err() == nil {
		if found := d.fenced(); found != nil {
			return nil, found
		}
	}
	return other, l
}

func parseYAML(ctx context.Context, name, src string, at lines) (*Document, diag.List) {
	d := &Document{Name: name, Src: src, Format: YAML, lines: at}
	l, fatal := d.readYAML(ctx, true)
	if fatal {
		return nil, l
	}
	return d, d.shape(l).Sort()
}

// torn reports whether JSON that lacks a comma was read as YAML, where what
// follows becomes part of an unquoted text: {"a":1 "b":2}.
func (d *Document) torn() bool {
	if !strings.HasPrefix(strings.TrimLeft(d.Src, bom+" \t\r\n{["), `"`) {
		return false
	}
	var look func(n *node) bool
	look = func(n *node) bool {
		return n.style == plain && strings.Contains(n.text, `":`) || slices.ContainsFunc(n.kids, look)
	}
	return look(d.Root.n)
}

// encoding reports the first byte that is not UTF-8.
func (d *Document) encoding() diag.List {
	if utf8.ValidString(d.Src) {
		return nil
	}
	at := 0
	for r, n := rune(0), 0; at < len(d.Src); at += n {
		if r, n = utf8.DecodeRuneInString(d.Src[at:]); r == utf8.RuneError && n == 1 {
			break
		}
	}
	var l diag.List
	x := l.Report(ruleSyntax, "", d.lines.span(at, at+1), "byte 0x%02x is not valid UTF-8", d.Src[at])
	x.Hint = "save the text as UTF-8"
	return l
}

// shape reports a root that cannot be a graph.
func (d *Document) shape(l diag.List) diag.List {
	switch d.Root.Kind() {
	case Object:
	case Null:
		if d.Root.n.style == empty {
			l.Report(ruleEmpty, "", d.Root.Range(), "the document is empty").Hint = "write a map with tools, or one tool with its nodes"
			break
		}
		fallthrough
	default:
		x := l.Report(ruleShape, "", d.Root.Range(), "the document is %s, not a map", d.Root.Kind())
		x.Hint = "write a map with tools, or one tool with its nodes"
		x.Got, x.Want = d.Root.Kind().String(), Object.String()
	}
	return l
}

// Revision returns a short hash of a document's text, which changes when any
// byte of it does.
func Revision(src string) string {
	sum := sha256.Sum256([]byte(src))
	return hex.EncodeToString(sum[:8])
}

// index records the keys of a map, flags those that come twice and reports them.
func (d *Document) index(l *diag.List, m *node) {
	const few = 16
	var names map[string]*node
	if len(m.kids)/2 > few {
		names = make(map[string]*node, len(m.kids)/2)
	}
	for i := 0; i < len(m.kids); i += 2 {
		k := m.kids[i]
		if k.again {
			m.odd = true
			continue
		}
		var first *node
		if names != nil {
			first = names[k.text]
		} else {
			for j := 0; j < i && first == nil; j += 2 {
				if m.kids[j].text == k.text && !m.kids[j].again {
					first = m.kids[j]
				}
			}
		}
		if first == nil {
			if names != nil {
				names[k.text] = k
			}
			continue
		}
		k.again, m.odd = true, true
		if len(*l) >= maxFaults {
			continue
		}
		x := l.Report(ruleDuplicate, Value{k}.Path(), Value{k}.Range(), "key %q is already in this map", k.text)
		x.Hint = "remove or rename one of the two"
		x.Related = []diag.Related{{Path: x.Path, Range: Value{first}.Range(), Message: "first used here"}}
	}
	if names != nil {
		if d.names == nil {
			d.names = map[*node]map[string]*node{}
		}
		d.names[m] = names
	}
}
