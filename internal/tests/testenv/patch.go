package testenv

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/patchbay-mcp/patchbay/diag"
)

// Patch returns a JSON text with a patch of a fix applied, the keys of its objects sorted, as a
// client does that holds a graph as data: the operations add, remove, replace and move of RFC
// 6902. The error names the operation that cannot be applied.
func Patch(doc []byte, ops []diag.PatchOp) ([]byte, error) {
	root, err := read(doc)
	if err != nil {
		return nil, fmt.Errorf("the document to patch is not JSON: %w", err)
	}
	for i, op := range ops {
		if root, err = apply(root, op); err != nil {
			return nil, fmt.Errorf("operation %d, %s %q: %w", i, op.Op, op.Path, err)
		}
	}
	return json.Marshal(root)
}

// read returns a JSON text as data, its numbers as they are written.
func read(text []byte) (value any, err error) {
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	err = d.Decode(&value)
	return value, err
}

func apply(root any, op diag.PatchOp) (any, error) {
	switch op.Op {
	case "add", "replace":
		text, err := json.Marshal(op.Value)
		if err != nil {
			return nil, err
		}
		value, err := read(text)
		if err != nil {
			return nil, err
		}
		if op.Op == "add" {
			return add(root, op.Path, value)
		}
		root, _, err = edit(root, op.Path, func(any) any { return value })
		return root, err
	case "remove":
		root, _, err := remove(root, op.Path)
		return root, err
	case "move":
		if op.Path == op.From {
			return root, nil
		}
		if strings.HasPrefix(op.Path, op.From+"/") {
			return nil, fmt.Errorf("a value cannot move into itself, %q", op.From)
		}
		root, value, err := remove(root, op.From)
		if err != nil {
			return nil, fmt.Errorf("from %q: %w", op.From, err)
		}
		return add(root, op.Path, value)
	}
	return nil, errors.New("no such operation; there are add, remove, replace and move")
}

// add puts a value at a pointer: into an object in the place of another, into a list
// before the item that is there.
func add(root any, pointer string, value any) (any, error) {
	i := strings.LastIndexByte(pointer, '/')
	if i < 0 {
		root, _, err := edit(root, pointer, func(any) any { return value })
		return root, err
	}
	last := pointer[i+1:]
	var failed error
	root, _, err := edit(root, pointer[:i], func(holder any) any {
		switch holder := holder.(type) {
		case map[string]any:
			holder[diag.UnescapePointer(last)] = value
		case []any:
			at := len(holder)
			if last != "-" {
				at, failed = index(last, len(holder))
			}
			if failed == nil {
				return slices.Insert(holder, at, value)
			}
		default:
			failed = fmt.Errorf("%q leads into %T", last, holder)
		}
		return holder
	})
	return root, errors.Join(err, failed)
}

// remove takes the value at a pointer out; without the root, null is left.
func remove(root any, pointer string) (rest, removed any, err error) {
	rest, removed, err = edit(root, pointer, func(any) any { return gone })
	if rest == gone {
		rest = nil
	}
	return rest, removed, err
}

// gone is what a value is changed to that is removed.
var gone any = new(byte)

// edit changes the value at a pointer, which must be there, to what f returns. It
// returns the new root and the old value.
func edit(v any, pointer string, f func(any) any) (root, old any, err error) {
	if pointer == "" {
		return f(v), v, nil
	}
	if pointer[0] != '/' {
		return nil, nil, fmt.Errorf("the pointer %q does not start with \"/\"", pointer)
	}
	part, rest := pointer[1:], ""
	if i := strings.IndexByte(part, '/'); i >= 0 {
		part, rest = part[:i], part[i:]
	}
	switch v := v.(type) {
	case map[string]any:
		key := diag.UnescapePointer(part)
		kid, ok := v[key]
		if !ok {
			return nil, nil, fmt.Errorf("there is no key %q", key)
		}
		if v[key], old, err = edit(kid, rest, f); v[key] == gone {
			delete(v, key)
		}
		return v, old, err
	case []any:
		i, err := index(part, len(v)-1)
		if err != nil {
			return nil, nil, err
		}
		if v[i], old, err = edit(v[i], rest, f); v[i] == gone {
			v = slices.Delete(v, i, i+1)
		}
		return v, old, err
	}
	return nil, nil, fmt.Errorf("%q leads into %T", part, v)
}

// index reads the index of a list as RFC 6901 writes it: no sign, no leading zero.
func index(part string, highest int) (int, error) {
	i, err := strconv.Atoi(part)
	if err != nil || strconv.Itoa(i) != part || i < 0 || i > highest {
		return 0, fmt.Errorf("%q is not an index from 0 to %d", part, highest)
	}
	return i, nil
}
