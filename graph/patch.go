package graph

import (
	"errors"
	"fmt"
	"math/big"
	"slices"
	"strings"

	"github.com/patchbay-mcp/patchbay/diag"
)

// ApplyPatch applies an RFC 6902 JSON Patch to a JSON text and returns the
// result as compact JSON. Keys keep their order, a new key comes last, and a
// key moved within its map keeps its place. An operation that cannot be applied
// is an error that names it; nothing is applied then.
func ApplyPatch(doc []byte, ops []diag.PatchOp) ([]byte, error) {
	root, err := readDatum(doc)
	if err != nil {
		return nil, fmt.Errorf("the document to patch is not JSON: %w", err)
	}
	for i, op := range ops {
		if root, err = root.apply(op); err != nil {
			return nil, fmt.Errorf("operation %d, %s %q: %w", i, op.Op, op.Path, err)
		}
	}
	return root.appendJSON(nil, "", ""), nil
}

// apply returns d with op applied; d is changed on the way.
func (d *datum) apply(op diag.PatchOp) (*datum, error) {
	switch op.Op {
	case "add", "replace", "test":
		value, err := datumOf(op.Value)
		if err != nil {
			return nil, fmt.Errorf("its value is not JSON: %w", err)
		}
		switch op.Op {
		case "add":
			return d.add(op.Path, value)
		case "replace":
			return d.replace(op.Path, value)
		}
		at, err := d.find(op.Path)
		if err == nil && !at.equal(value) {
			err = fmt.Errorf("the value there is %s", at.raw())
		}
		return d, err
	case "remove":
		rest, _, err := d.remove(op.Path)
		return rest, err
	case "move":
		if op.Path == op.From || d.renamed(op.From, op.Path) {
			return d, nil
		}
		if strings.HasPrefix(op.Path, op.From+"/") {
			return nil, fmt.Errorf("a value cannot move into itself, %q", op.From)
		}
		rest, value, err := d.remove(op.From)
		if err != nil {
			return nil, fmt.Errorf("from %q: %w", op.From, err)
		}
		return rest.add(op.Path, value)
	case "copy":
		value, err := d.find(op.From)
		if err != nil {
			return nil, fmt.Errorf("from %q: %w", op.From, err)
		}
		return d.add(op.Path, value.clone())
	default:
		return nil, errors.New("no such operation; there are add, remove, replace, move, copy and test")
	}
}

func (d *datum) clone() *datum {
	c := *d
	c.kids = make([]*datum, len(d.kids))
	for i, k := range d.kids {
		c.kids[i] = k.clone()
	}
	c.keys = slices.Clone(d.keys)
	return &c
}

// equal compares as RFC 6902 does: numbers by value, maps without order.
func (d *datum) equal(o *datum) bool {
	if d.kind != o.kind || len(d.kids) != len(o.kids) {
		return false
	}
	if d.kind == Number {
		return sameNumber(d.text, o.text)
	}
	if d.text != o.text && d.kind == String {
		return false
	}
	if d.kind == Bool && d.text != o.text {
		return false
	}
	for i, k := range d.kids {
		j := i
		if d.kind == Map {
			if j = slices.Index(o.keys, d.keys[i]); j < 0 {
				return false
			}
		}
		if !k.equal(o.kids[j]) {
			return false
		}
	}
	return true
}

func sameNumber(a, b string) bool {
	if a == b {
		return true
	}
	if len(a) > 400 || len(b) > 400 {
		return false
	}
	x, _, err := big.ParseFloat(a, 10, 512, big.ToNearestEven)
	y, _, err2 := big.ParseFloat(b, 10, 512, big.ToNearestEven)
	return err == nil && err2 == nil && x.Cmp(y) == 0
}

// child returns the position of part among d's kids.
func (d *datum) child(part string) (int, error) {
	switch d.kind {
	case Map:
		if i := slices.Index(d.keys, diag.UnescapePointer(part)); i >= 0 {
			return i, nil
		}
		return 0, fmt.Errorf("there is no key %q", diag.UnescapePointer(part))
	case List:
		i, ok := listIndex(part)
		if !ok {
			return 0, fmt.Errorf("%q is not an index of a list", part)
		}
		if i >= len(d.kids) {
			return 0, fmt.Errorf("index %d is beyond the list's %d items", i, len(d.kids))
		}
		return i, nil
	default:
		return 0, fmt.Errorf("%q leads into %s", part, d.kind)
	}
}

func (d *datum) find(pointer string) (*datum, error) {
	if pointer != "" && pointer[0] != '/' {
		return nil, fmt.Errorf("the pointer %q does not start with \"/\"", pointer)
	}
	for pointer != "" {
		var part string
		part, pointer = cutPart(pointer[1:])
		i, err := d.child(part)
		if err != nil {
			return nil, err
		}
		d = d.kids[i]
	}
	return d, nil
}

// holder returns the value that holds the one at pointer, and the last part.
func (d *datum) holder(pointer string) (*datum, string, error) {
	i := strings.LastIndexByte(pointer, '/')
	if i < 0 {
		return nil, "", fmt.Errorf("the pointer %q does not start with \"/\"", pointer)
	}
	h, err := d.find(pointer[:i])
	return h, pointer[i+1:], err
}

func (d *datum) add(pointer string, value *datum) (*datum, error) {
	if pointer == "" {
		return value, nil
	}
	h, part, err := d.holder(pointer)
	if err != nil {
		return nil, err
	}
	switch h.kind {
	case Map:
		key := diag.UnescapePointer(part)
		if i := slices.Index(h.keys, key); i >= 0 {
			h.kids[i] = value
		} else {
			h.keys, h.kids = append(h.keys, key), append(h.kids, value)
		}
	case List:
		i, ok := listIndex(part)
		if part == "-" {
			i, ok = len(h.kids), true
		}
		if !ok || i > len(h.kids) {
			return nil, fmt.Errorf("%q is not an index from 0 to %d", part, len(h.kids))
		}
		h.kids = slices.Insert(h.kids, i, value)
	default:
		return nil, fmt.Errorf("%q leads into %s", part, h.kind)
	}
	return d, nil
}

func (d *datum) replace(pointer string, value *datum) (*datum, error) {
	if pointer == "" {
		return value, nil
	}
	h, part, err := d.holder(pointer)
	if err != nil {
		return nil, err
	}
	i, err := h.child(part)
	if err != nil {
		return nil, err
	}
	h.kids[i] = value
	return d, nil
}

func (d *datum) remove(pointer string) (root, removed *datum, err error) {
	if pointer == "" {
		return &datum{kind: Null}, d, nil
	}
	h, part, err := d.holder(pointer)
	if err != nil {
		return nil, nil, err
	}
	i, err := h.child(part)
	if err != nil {
		return nil, nil, err
	}
	removed = h.kids[i]
	h.kids = slices.Delete(h.kids, i, i+1)
	if h.kind == Map {
		h.keys = slices.Delete(h.keys, i, i+1)
	}
	return d, removed, nil
}

// renamed renames a key in its place, if that is what a move from one pointer
// to the other is.
func (d *datum) renamed(from, to string) bool {
	h, old, err := d.holder(from)
	h2, name, err2 := d.holder(to)
	if err != nil || err2 != nil || h != h2 || h.kind != Map {
		return false
	}
	i := slices.Index(h.keys, diag.UnescapePointer(old))
	if i < 0 || slices.Contains(h.keys, diag.UnescapePointer(name)) {
		return false
	}
	h.keys[i] = diag.UnescapePointer(name)
	return true
}
