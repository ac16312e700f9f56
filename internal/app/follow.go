package app

import (
	"bytes"
	"encoding/json"
	"errors"
	"sync"

	"github.com/go-json-experiment/json/jsontext"
)

// A follower calls a function after changes, in the background and once for
// changes that come together.
type follower struct {
	f func()

	running sync.Mutex // held while f runs

	mu      sync.Mutex // guards what follows
	dirty   bool       // something has changed since f began
	holding int        // callers of hold that have not released yet
	closed  bool
	work    sync.WaitGroup
}

// changed has f called soon, or by the caller of [follower.hold] if there is one.
func (w *follower) changed() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.dirty = true
	if w.holding == 0 && !w.closed {
		w.work.Go(w.flush)
	}
}

// hold keeps f from being called in the background, until release.
func (w *follower) hold() (release func()) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.holding++
	return func() {
		w.mu.Lock()
		w.holding--
		w.mu.Unlock()
		w.flush()
	}
}

// flush returns when f has followed every change before this call.
func (w *follower) flush() {
	w.running.Lock()
	defer w.running.Unlock()
	w.mu.Lock()
	due := w.dirty && !w.closed
	w.dirty = false
	w.mu.Unlock()
	if due {
		w.f()
	}
}

// close waits until f does not run; it is not called again.
func (w *follower) close() {
	w.mu.Lock()
	w.closed = true
	w.mu.Unlock()
	w.work.Wait()
}

// A Member is a member of a JSON object, with the bytes of its value.
type Member struct {
	Name  string
	Value json.RawMessage
}

// Members reads the members of an object in their order.
func Members(raw json.RawMessage) ([]Member, error) {
	d := jsontext.NewDecoder(bytes.NewReader(raw), jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))
	if t, err := d.ReadToken(); err != nil || t.Kind() != '{' {
		return nil, errors.New("it is not a JSON object")
	}
	var list []Member
	for d.PeekKind() == '"' {
		name, err := d.ReadToken()
		if err != nil {
			return nil, err
		}
		text := name.String()
		v, err := d.ReadValue()
		if err != nil {
			return nil, err
		}
		list = append(list, Member{text, json.RawMessage(bytes.Clone(v))})
	}
	if _, err := d.ReadToken(); err != nil {
		return nil, err
	}
	return list, nil
}

// Joined is the object of some members.
func Joined(members []Member) json.RawMessage {
	var out bytes.Buffer
	out.WriteByte('{')
	for i, m := range members {
		if i > 0 {
			out.WriteByte(',')
		}
		name, _ := encode(m.Name) // a string cannot fail
		out.Write(name)
		out.WriteByte(':')
		out.Write(m.Value)
	}
	out.WriteByte('}')
	return out.Bytes()
}

// encode is JSON without escaping for HTML.
func encode(v any) (json.RawMessage, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	err := e.Encode(v)
	return bytes.TrimSpace(b.Bytes()), err
}
