package openapi

import (
	"errors"
	"fmt"
	"strings"

	"github.com/patchbay-mcp/patchbay/diag"
)

// maxReferences is how many references are followed from one to the next.
const maxReferences = 32

// An external error is about a reference to another document that was not read. It
// fails the whole API: the operator has to know.
type externalError struct{ error }

// resolve returns what an object of a document stands for: itself, or what its
// reference leads to, an object too; schemas may be booleans.
func (l *loader) resolve(n *node) (*node, error) {
	to, err := l.follow(n)
	if err == nil && to != n && !to.is('{') && !to.is('t') && !to.is('f') {
		err = n.file.fault(n, "the reference %s does not lead to an object", diag.Quote(n.get("$ref").str()))
	}
	return to, err
}

// list returns the list that a node stands for. The specification has no references in place
// of lists, and documents have.
func (l *loader) list(n *node) (*node, error) {
	to, err := l.follow(n)
	if err == nil && to != n && !to.is('[') {
		err = n.file.fault(n, "the reference %s does not lead to a list", diag.Quote(n.get("$ref").str()))
	}
	return to, err
}

func (l *loader) follow(n *node) (*node, error) {
	for range maxReferences {
		ref := n.get("$ref")
		if !ref.is('"') {
			return n, nil
		}
		to := l.lookup(n, ref)
		if to.err != nil {
			return nil, to.err
		}
		n = to.node
	}
	return nil, n.file.fault(n, "the reference %s leads to itself", diag.Quote(n.get("$ref").str()))
}

// lookup returns what one reference leads to.
func (l *loader) lookup(n, ref *node) found {
	key := target{n.file, ref.text}
	if f, ok := l.targets[key]; ok {
		return f
	}
	f := l.find(n.file, ref.text)
	if f.err != nil {
		err := n.file.fault(ref, "the reference %s cannot be followed: %v", diag.Quote(ref.text), f.err)
		if _, external := errors.AsType[*externalError](f.err); external {
			err = &externalError{err}
		}
		f.err = err
	}
	l.targets[key] = f
	return f
}

func (l *loader) find(in *file, ref string) found {
	document, fragment, _ := strings.Cut(ref, "#")
	if document != "" {
		other, err := l.other(in, document)
		if err != nil {
			return found{err: &externalError{err}}
		}
		in = other
	}
	switch {
	case fragment == "":
		return found{node: in.root, id: in.name + "#"}
	case fragment[0] != '/':
		return found{err: fmt.Errorf("the fragment %s is not a JSON Pointer", diag.Quote(fragment))}
	}
	to := in.root.at(fragment)
	if to == nil {
		return found{err: errors.New("the document has nothing at that place")}
	}
	return found{node: to, id: in.name + "#" + fragment}
}
