package stdio

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"time"
)

// maxID bounds the id of a request that is too large to be kept.
const maxID = 200

// An idFinder finds the id of a request in the parts of a message that is too
// large to be decoded. It scans: names and values count at the top level only.
type idFinder struct {
	depth           int
	quoted, escaped bool
	name, token     []byte
	id              json.RawMessage
	method          bool // it is a request or a notification
}

func (f *idFinder) scan(part []byte) {
	for _, b := range part {
		switch {
		case f.escaped:
			f.escaped = false
			f.keep(b)
		case b == '"':
			f.quoted = !f.quoted
			f.keep(b)
		case f.quoted:
			f.escaped = b == '\\'
			f.keep(b)
		case b == '{' || b == '[':
			f.depth++
		case b == '}' || b == ']':
			f.member()
			f.depth--
		case b == ',':
			f.member()
		case b == ':' && f.depth == 1:
			f.name, f.token = f.token, nil
		case b != ' ' && b != '\t' && b != '\r' && b != '\n':
			f.keep(b)
		}
	}
}

func (f *idFinder) keep(b byte) {
	if f.depth == 1 && len(f.token) <= maxID {
		f.token = append(f.token, b)
	}
}

// member ends a name and its value.
func (f *idFinder) member() {
	if f.depth != 1 {
		return
	}
	switch string(f.name) {
	case `"id"`:
		f.id = f.token
	case `"method"`:
		f.method = true
	}
	f.name, f.token = nil, nil
}

// found returns the id of a request, or nil.
func (f *idFinder) found() json.RawMessage {
	if !f.method || len(f.id) > maxID || !json.Valid(f.id) {
		return nil
	}
	return f.id
}

// lastWrite is how long a message may take to be written once the input has ended.
const lastWrite = time.Second

// A write is a line that is to be written.
type write struct {
	text []byte
	done chan error
}

// writeAll writes one message after the other.
func (c *Transport) writeAll() {
	for {
		select {
		case w := <-c.writes:
			_, err := c.out.Write(w.text)
			c.greetingIsOver()
			w.done <- err
		case <-c.closed:
			return
		}
	}
}

// errNotRead is why a message is not waited for any longer.
var errNotRead = errors.New("the client does not read what it is sent")

// write returns when a line is written. It is written whole or not at all, whatever
// ends the waiting.
func (c *Transport) write(ctx context.Context, line []byte) error {
	w := &write{line, make(chan error, 1)}
	writes, ended := c.writes, c.ended
	var late <-chan time.Time
	for {
		select {
		case writes <- w:
			writes = nil
		case err := <-w.done:
			return err
		case <-ended:
			ended = nil
			late = time.After(lastWrite)
		case <-late:
			return errNotRead
		case <-c.closed:
			return io.ErrClosedPipe
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}
