package transport

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/internal/servers/messages"
	"github.com/patchbay-mcp/patchbay/schema"
)

// ProbeWait is how long a stdio server may take over server/discover, which
// servers of earlier protocols need not answer. A server that is only slow to
// start loses nothing: it finds initialize next on its input.
const ProbeWait = 1500 * time.Millisecond

// Stdio speaks newline-delimited JSON with a child process. Unlike the SDK's
// own it survives lines that are not messages, bounds every write, and answers
// server/discover itself when the server does not.
type Stdio struct {
	in        *os.File // the child's standard input
	out       *os.File // the child's standard output
	probeWait time.Duration
	redact    func(string) string

	messages chan jsonrpc.Message
	closed   chan struct{}
	closing  sync.Once
	failed   error         // why reading ended; set before ended is closed
	ended    chan struct{} // nothing more is read
	writing  chan struct{} // a lock that a context can give up on

	mu         sync.Mutex
	probe      jsonrpc.ID
	probing    *time.Timer
	modern     bool // server/discover was answered, but too late
	lines      int  // read so far
	strayLines int
	firstStray string
	strayAt    int // the line that firstStray is
}

// NewStdio returns a transport over the pipes of a child. It waits that long for the first
// answer of a server that may not know the later protocol; redact masks what it repeats.
func NewStdio(in, out *os.File, wait time.Duration, redact func(string) string) *Stdio {
	return &Stdio{
		in: in, out: out, probeWait: wait, redact: redact,
		messages: make(chan jsonrpc.Message),
		closed:   make(chan struct{}),
		ended:    make(chan struct{}),
		writing:  make(chan struct{}, 1),
	}
}

// Connect implements [mcp.Transport].
func (c *Stdio) Connect(context.Context) (mcp.Connection, error) {
	go c.read()
	return c, nil
}

// SessionID implements [mcp.Connection].
func (c *Stdio) SessionID() string { return "" }

func (c *Stdio) read() {
	defer close(c.ended)
	in := bufio.NewReaderSize(c.out, 64<<10)
	for {
		line, err := readLine(in)
		for _, msg := range c.parse(line) {
			if !c.deliver(msg) {
				return
			}
		}
		if err != nil {
			c.failed = err
			return
		}
	}
}

// deliver reports whether the connection is still open.
func (c *Stdio) deliver(msg jsonrpc.Message) bool {
	select {
	case c.messages <- msg:
		return true
	case <-c.closed:
		return false
	}
}

// ErrTooLarge is the error of a message that is larger than [MaxMessage].
var ErrTooLarge = fmt.Errorf("it sent a message of more than %d MiB, the maximum", MaxMessage>>20)

func readLine(in *bufio.Reader) ([]byte, error) {
	var full [][]byte // pieces of a long line, each twice as long as the one before: none is copied to grow
	var piece []byte
	size := 0
	for {
		part, err := in.ReadSlice('\n')
		if size += len(part); size > MaxMessage {
			return nil, ErrTooLarge
		}
		if cap(piece)-len(piece) < len(part) && piece != nil {
			full, piece = append(full, piece), make([]byte, 0, min(size, 4<<20))
		}
		piece = append(piece, part...)
		switch {
		case errors.Is(err, bufio.ErrBufferFull):
		case full == nil:
			return piece, err
		default:
			return slices.Concat(append(full, piece)...), err
		}
	}
}

// parse returns the messages of one line. What is not a message is counted and
// passed over, up to the message it may have run into.
func (c *Stdio) parse(line []byte) []jsonrpc.Message {
	c.lines++ // only the reader uses it
	line = bytes.TrimSpace(line)
	if len(line) == 0 {
		return nil
	}
	if msg, err := messages.Decode(line); err == nil {
		return c.received(msg)
	}
	var batch []json.RawMessage
	if line[0] == '[' && json.Unmarshal(line, &batch) == nil {
		var out []jsonrpc.Message
		for _, raw := range batch {
			if msg, err := messages.Decode(raw); err == nil {
				out = append(out, c.received(msg)...)
			}
		}
		if len(out) > 0 {
			return out
		}
	}
	if reply := unreadableReply(line); reply != nil {
		return c.received(reply)
	}
	at := bytes.Index(line, []byte(`{"jsonrpc"`))
	c.mu.Lock()
	c.strayLines++
	if c.firstStray == "" {
		c.strayAt = c.lines
		c.firstStray = diag.Cut(c.redact(string(line)), 200)
	}
	c.mu.Unlock()
	if at > 0 {
		if msg, err := messages.Decode(line[at:]); err == nil {
			return c.received(msg)
		}
	}
	return nil
}

// An UnreadableError is a reply that cannot be decoded.
type UnreadableError struct{ Reason error }

func (e *UnreadableError) Error() string {
	return "its answer cannot be read: " + e.Reason.Error()
}

// unreadableReply returns a reply in the place of a line that is one but cannot be
// decoded, as when it is nested too deep, so that its call fails at once. It
// returns nil if the line is something else.
func unreadableReply(line []byte) *jsonrpc.Response {
	parts := schema.Read(line) // which scans what is nested too deep to be decoded
	if parts.Get("jsonrpc") == nil || parts.Get("method") != nil || parts.Get("result") == nil && parts.Get("error") == nil {
		return nil
	}
	_, err := messages.Decode(line)
	var value any
	if err == nil || json.Unmarshal(parts.Get("id").Raw(), &value) != nil {
		return nil
	}
	id, bad := jsonrpc.MakeID(value)
	if bad != nil || !id.IsValid() {
		return nil
	}
	return &jsonrpc.Response{ID: id, Error: &UnreadableError{err}}
}

// received drops the answer to a probe that was given up.
func (c *Stdio) received(msg jsonrpc.Message) []jsonrpc.Message {
	resp, ok := msg.(*jsonrpc.Response)
	if !ok {
		return []jsonrpc.Message{msg}
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.probe.IsValid() || resp.ID != c.probe {
		return []jsonrpc.Message{msg}
	}
	if c.probing.Stop() {
		return []jsonrpc.Message{msg}
	}
	c.modern = resp.Error == nil
	return nil
}

// Modern reports whether the server answered server/discover, but too late.
func (c *Stdio) Modern() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.modern
}

// Failure is why nothing more is read, or nil.
func (c *Stdio) Failure() error {
	select {
	case <-c.ended:
		return c.failed
	default:
		return nil
	}
}

// StrayOutput describes what the server wrote to stdout that is not MCP, or "".
func (c *Stdio) StrayOutput() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	switch c.strayLines {
	case 0:
		return ""
	case 1:
		return fmt.Sprintf("it wrote a line to stdout that is not an MCP message, line %d: %q", c.strayAt, c.firstStray)
	}
	return fmt.Sprintf("it wrote %d lines to stdout that are not MCP messages, the first is line %d: %q", c.strayLines, c.strayAt, c.firstStray)
}

// Read implements [mcp.Connection].
func (c *Stdio) Read(ctx context.Context) (jsonrpc.Message, error) {
	select {
	case msg := <-c.messages:
		return msg, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	case <-c.closed:
		return nil, io.EOF
	case <-c.ended:
		return nil, c.failed
	}
}

// Write implements [mcp.Connection]. It ends with its context, even when the
// server has stopped reading.
func (c *Stdio) Write(ctx context.Context, msg jsonrpc.Message) error {
	line, err := messages.Encode(msg)
	if err != nil {
		return err
	}
	select {
	case c.writing <- struct{}{}:
	case <-ctx.Done():
		return ctx.Err()
	case <-c.closed:
		return io.ErrClosedPipe
	}
	defer func() { <-c.writing }()
	if err := ctx.Err(); err != nil {
		return err
	}
	if req, ok := msg.(*jsonrpc.Request); ok && req.Method == "server/discover" && req.IsCall() {
		c.startProbe(req.ID)
	}
	interrupted := make(chan struct{})
	stop := context.AfterFunc(ctx, func() {
		_ = c.in.SetWriteDeadline(time.Now())
		close(interrupted)
	})
	n, err := c.in.Write(line)
	if !stop() {
		<-interrupted
		_ = c.in.SetWriteDeadline(time.Time{})
	}
	if err != nil && n > 0 {
		// Half a message is on its way; nothing after it would be understood.
		_ = c.Close()
	}
	return err
}

func (c *Stdio) startProbe(id jsonrpc.ID) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.probe = id
	c.probing = time.AfterFunc(c.probeWait, func() {
		c.deliver(&jsonrpc.Response{ID: id, Error: &jsonrpc.Error{Code: jsonrpc.CodeMethodNotFound, Message: "no answer to server/discover"}})
	})
}

// Close implements [mcp.Connection]. It ends the child's input, which tells it
// to exit.
func (c *Stdio) Close() error {
	c.closing.Do(func() {
		close(c.closed)
		c.mu.Lock()
		if c.probing != nil {
			c.probing.Stop()
		}
		c.mu.Unlock()
		_ = c.in.Close()
	})
	return nil
}
