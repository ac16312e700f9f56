package openapi

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/patchbay-mcp/patchbay/diag"
)

// Bounds on one document.
const (
	maxDepth = 200       // of nesting
	maxNodes = 1_000_000 // values, those of YAML aliases counted each time
)

var (
	errDeep = fmt.Errorf("it is nested deeper than %d levels", maxDepth)
	errMany = fmt.Errorf("it has more than %d values", maxNodes)
)

// read reads a document, JSON or YAML. The error says where in the text it is wrong.
func (f *file) read(text []byte) (*node, error) {
	text = bytes.TrimPrefix(text, []byte("\ufeff"))
	begins := bytes.TrimLeft(text, " \t\r\n")
	switch {
	case len(begins) == 0:
		return nil, errors.New("it is empty")
	case begins[0] == '<':
		return nil, fmt.Errorf("it is HTML or XML, not JSON or YAML: %s", diag.Quote(diag.OneLine(string(begins[:min(len(begins), 200)]))))
	case begins[0] == '{':
		n, err := f.readJSON(text)
		if _, wrong := errors.AsType[*jsontext.SyntacticError](err); !wrong {
			return n, err
		}
		if n, again := f.readYAML(text); again == nil && !errors.Is(err, jsontext.ErrDuplicateName) { // YAML in braces
			return n, nil
		}
		return nil, jsonFault(text, err)
	}
	return f.readYAML(text)
}

// A jsonReader builds nodes of JSON.
type jsonReader struct {
	file    *file
	d       *jsontext.Decoder
	text    []byte
	read    int64 // up to where lines are counted
	line    int32
	nodes   int
	names   map[string]string // each name once
	repeats bool              // a name may come again with the same value
	scratch []member          // of the objects that are being read
}

func (f *file) readJSON(text []byte) (*node, error) {
	n, err := f.decode(text, false)
	if errors.Is(err, jsontext.ErrDuplicateName) {
		if n, err := f.decode(text, true); err == nil {
			return n, nil
		}
	}
	return n, err
}

func (f *file) decode(text []byte, repeats bool) (*node, error) {
	r := &jsonReader{file: f, d: jsontext.NewDecoder(bytes.NewBuffer(text), jsontext.AllowDuplicateNames(repeats)), text: text, line: 1, names: map[string]string{}, repeats: repeats}
	n, err := r.value(1)
	if err != nil {
		return nil, err
	}
	if rest := bytes.TrimSpace(text[r.d.InputOffset():]); len(rest) > 0 {
		return nil, &jsontext.SyntacticError{ByteOffset: r.d.InputOffset(), Err: errors.New("there is more text after the document")}
	}
	return n, nil
}

func (r *jsonReader) value(depth int) (*node, error) {
	if depth > maxDepth {
		return nil, errDeep
	}
	if r.nodes++; r.nodes > maxNodes {
		return nil, errMany
	}
	token, err := r.d.ReadToken()
	if err != nil {
		return nil, err
	}
	n := &node{kind: byte(token.Kind()), line: r.place(r.d.InputOffset())}
	switch n.kind {
	case '0':
		n.text = token.String()
		return n, checkNumber(n)
	case '"':
		n.text = token.String()
	case '{', '[':
		n.file = r.file
		return n, r.members(n, depth)
	}
	return n, nil
}

// members reads what an object or an array has.
func (r *jsonReader) members(n *node, depth int) error {
	from := len(r.scratch)
	for {
		if kind := r.d.PeekKind(); kind == '}' || kind == ']' {
			break
		}
		var m member
		if n.kind == '{' {
			name, err := r.d.ReadToken()
			if err != nil {
				return err
			}
			m.name = r.name(name.String())
		}
		var err error
		if m.value, err = r.value(depth + 1); err != nil {
			return err
		}
		r.scratch = append(r.scratch, m)
	}
	n.members = append(make([]member, 0, len(r.scratch)-from), r.scratch[from:]...)
	r.scratch = r.scratch[:from]
	if r.repeats && n.kind == '{' {
		seen := map[string]*node{}
		n.members = slices.DeleteFunc(n.members, func(m member) bool {
			same := equal(seen[m.name], m.value)
			r.repeats = r.repeats && (same || seen[m.name] == nil)
			seen[m.name] = m.value
			return same
		})
		if !r.repeats {
			return jsontext.ErrDuplicateName
		}
	}
	_, err := r.d.ReadToken()
	return err
}

// equal reports whether two values are written alike.
func equal(a, b *node) bool {
	return a != nil && b != nil && string(a.appendJSON(nil)) == string(b.appendJSON(nil))
}

func (r *jsonReader) name(s string) string {
	if kept, ok := r.names[s]; ok {
		return kept
	}
	r.names[s] = s
	return s
}

// place is the line of an offset, which never decreases.
func (r *jsonReader) place(offset int64) int32 {
	r.line += int32(bytes.Count(r.text[r.read:offset], []byte{'\n'}))
	r.read = offset
	return r.line
}

// jsonFault says where JSON is wrong.
func jsonFault(text []byte, err error) error {
	e, ok := errors.AsType[*jsontext.SyntacticError](err)
	if !ok {
		return err
	}
	before := text[:min(max(e.ByteOffset, 0), int64(len(text)))]
	line := bytes.Count(before, []byte{'\n'}) + 1
	column := len([]rune(string(before[bytes.LastIndexByte(before, '\n')+1:]))) + 1
	reason := e.Error()
	if e.Err != nil {
		reason = e.Err.Error()
	}
	reason = strings.TrimPrefix(reason, "jsontext: ")
	return fmt.Errorf("line %d, column %d: it is not valid JSON: %s", line, column, reason)
}

// maxDigits is how many digits a number may have when it is written out.
const maxDigits = 400

// checkNumber refuses a number that takes much to compare, such as 1e999999.
func checkNumber(n *node) error {
	exponent := 0
	if e := strings.IndexAny(n.text, "eE"); e >= 0 {
		x, err := strconv.Atoi(n.text[e+1:])
		if exponent = max(x, -x); err != nil {
			exponent = maxDigits
		}
	}
	if len(n.text)+exponent > maxDigits {
		return fmt.Errorf("line %d: the number %s has more than %d digits when it is written out", n.line, diag.Excerpt(n.text), maxDigits)
	}
	return nil
}
