package mcpserver

import (
	"context"
	"errors"
	"io"
	"time"
)

// lastWrite is how long a message may take to be written once the input has ended.
const lastWrite = time.Second

// A write is a line that is to be written.
type write struct {
	text []byte
	done chan error
}

// writeAll writes one message after the other.
func (c *StdioTransport) writeAll() {
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
func (c *StdioTransport) write(ctx context.Context, line []byte) error {
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
