package hooks

import (
	"bytes"
	"encoding/json"

	"github.com/dop251/goja"
)

// answer is what a script has come to: what it returned, and the context as it is now.
func (j jsonFunctions) answer(given json.RawMessage, seen, returned goja.Value) (*Answer, error) {
	left, err := j.merge(given, seen, maxMerged)
	if err != nil {
		return nil, notJSON(err, "the context, as the script has left it,")
	}
	a := &Answer{Context: left}
	a.Returned, err = j.returned(left, seen, returned)
	if err != nil {
		return nil, notJSON(err, "what the script returns")
	}
	return a, nil
}

// maxMerged is how deep what a script has changed is told from what it has not.
const maxMerged = 6

// merge is a value as JSON, in which everything that is as it was given keeps its text:
// JavaScript has fewer numbers than JSON.
func (j jsonFunctions) merge(given json.RawMessage, v goja.Value, depth int) (json.RawMessage, error) {
	now, err := j.text(v)
	if err != nil || given == nil || now == nil {
		return now, err
	}
	was, err := j.parse(given)
	if err != nil {
		return nil, err
	}
	before, err := j.text(was)
	if err != nil {
		return nil, err
	}
	if bytes.Equal(before, now) {
		return given, nil
	}
	var members map[string]json.RawMessage
	if depth == 0 || now[0] != '{' || json.Unmarshal(given, &members) != nil || members == nil {
		return now, nil
	}
	return j.object(v, func(name string, member goja.Value) (json.RawMessage, error) {
		return j.merge(members[name], member, depth-1)
	}, now)
}

// returned is what a script returns as JSON. The context in it, and a member of the
// context, are those of left.
func (j jsonFunctions) returned(left json.RawMessage, seen, v goja.Value) (json.RawMessage, error) {
	if v == nil || goja.IsUndefined(v) {
		return nil, nil
	}
	if v.SameAs(seen) {
		return left, nil
	}
	now, err := j.text(v)
	if err != nil || len(now) == 0 || now[0] != '{' {
		return now, err
	}
	var members map[string]json.RawMessage
	if json.Unmarshal(left, &members) != nil {
		return now, nil
	}
	context := seen.ToObject(j.vm)
	return j.object(v, func(name string, member goja.Value) (json.RawMessage, error) {
		switch same := context.Get(name); {
		case member.SameAs(seen):
			return left, nil
		case same != nil && members[name] != nil && member.SameAs(same):
			return members[name], nil
		}
		return j.text(member)
	}, now)
}

// object is an object as JSON, its members as encode returns them. An object that decides
// itself what it is as JSON is as text.
func (j jsonFunctions) object(v goja.Value, encode func(name string, member goja.Value) (json.RawMessage, error), text json.RawMessage) (out json.RawMessage, err error) {
	o, ok := v.(*goja.Object)
	if !ok || o.ClassName() != "Object" || o.Get("toJSON") != nil {
		return text, nil
	}
	if thrown := j.vm.Try(func() {
		b := []byte{'{'}
		for _, name := range o.Keys() {
			member := o.Get(name)
			if member == nil {
				continue
			}
			part, failed := encode(name, member)
			if failed != nil {
				err = failed
				return
			}
			if part == nil {
				continue
			}
			if len(b) > 1 {
				b = append(b, ',')
			}
			key, _ := json.Marshal(name) // a string
			b = append(append(append(b, key...), ':'), part...)
		}
		b = append(b, '}')
		out = b
	}); thrown != nil {
		err = thrown
	}
	return out, err
}

// notJSON says that a value of a script cannot be had as JSON.
func notJSON(err error, what string) error {
	if thrown, ok := err.(*goja.Exception); ok { //nolint:errorlint // what it wraps is what was thrown
		return failure(ScriptError, "%s is not JSON: %s", what, thrown.Value())
	}
	return err
}
