package stdio

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/patchbay-mcp/patchbay/internal/servers/messages"
)

// MaxMessage is how many bytes a message may have.
const MaxMessage = 16 << 20

// lastReplies is how long requests in flight are waited for when the input ends,
// before the session does.
const lastReplies = 3 * time.Second

// New returns a transport of one message a line that outlives bad input: a line
// that is not a message is answered with an error, and the session continues.
func New(in io.Reader, out io.Writer) *Transport {
	return &Transport{
		in: bufio.NewReaderSize(in, 64<<10), out: out, lines: make(chan line), writes: make(chan *write),
		greeted: make(chan struct{}), ended: make(chan struct{}), closed: make(chan struct{}), open: map[jsonrpc.ID]bool{}, replied: make(chan struct{}, 1),
	}
}

// A Transport carries one session over an input and an output. It is lenient
// with clients that write without waiting, as scripts do: nothing is read between
// initialize and its reply, and the end of the input does not cut off the replies to
// what was asked before it. A client that does not read holds up no other work than
// the replies to it, and at the end only for a second.
type Transport struct {
	in    *bufio.Reader
	lines chan line
	queue []jsonrpc.Message // of a batch, not yet read

	out    io.Writer
	writes chan *write

	greeted chan struct{} // the client has its first reply, or has sent more than a greeting
	greet   sync.Once
	ended   chan struct{} // nothing more is read
	ending  sync.Once
	closed  chan struct{}
	closing sync.Once

	mu      sync.Mutex
	open    map[jsonrpc.ID]bool // requests without a reply
	first   jsonrpc.ID          // initialize, until it is answered
	replied chan struct{}
}

type line struct {
	text []byte
	err  error
}

// Ended is closed when the input has ended.
func (c *Transport) Ended() <-chan struct{} { return c.ended }

// Greeted is closed when the first reply has been written, or the client has sent something
// that needs more than a greeting.
func (c *Transport) Greeted() <-chan struct{} { return c.greeted }

func (c *Transport) greetingIsOver() { c.greet.Do(func() { close(c.greeted) }) }

// End ends the input: no request is taken any more.
func (c *Transport) End() { c.ending.Do(func() { close(c.ended) }) }

// Connect implements [mcp.Transport].
func (c *Transport) Connect(context.Context) (mcp.Connection, error) {
	go c.writeAll()
	go func() {
		for {
			text, err := readLine(c.in)
			select {
			case c.lines <- line{text, err}:
			case <-c.closed:
				return
			}
			if err != nil && !errors.Is(err, errLongLine) {
				return
			}
		}
	}()
	return c, nil
}

var errLongLine = fmt.Errorf("the message is larger than %d MiB", MaxMessage>>20)

// readLine returns the next line. One that is too long is read to its end, and
// only the id of its request is returned.
func readLine(in *bufio.Reader) ([]byte, error) {
	var text []byte
	var id *idFinder // of a line that is too long
	for {
		part, err := in.ReadSlice('\n')
		if id == nil && len(text)+len(part) > MaxMessage {
			id = &idFinder{}
			id.scan(text)
		}
		long := id != nil
		if long {
			id.scan(part)
		} else {
			text = append(text, part...)
		}
		switch {
		case errors.Is(err, bufio.ErrBufferFull):
		case err == nil && long:
			return id.found(), errLongLine
		case err != nil && len(bytes.TrimSpace(text)) > 0 && !long:
			return text, nil // the last line has no end; the next read ends
		default:
			return text, err
		}
	}
}

// SessionID implements [mcp.Connection].
func (c *Transport) SessionID() string { return "" }

// Read implements [mcp.Connection].
func (c *Transport) Read(ctx context.Context) (jsonrpc.Message, error) {
	c.wait(ctx, func() bool { return !c.first.IsValid() }, time.Minute)
	for len(c.queue) == 0 {
		select {
		case l := <-c.lines:
			if err := c.take(ctx, l); err != nil {
				return nil, err
			}
		case <-c.ended:
			return nil, c.rest(ctx, io.EOF)
		case <-c.closed:
			return nil, io.EOF
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
	msg := c.queue[0]
	c.queue = c.queue[1:]
	req, ok := msg.(*jsonrpc.Request)
	if !ok || req.Method != "initialize" && req.Method != "server/discover" {
		c.greetingIsOver()
	}
	if ok && req.IsCall() {
		c.mu.Lock()
		if req.Method != "subscriptions/listen" { // which is answered when the session ends
			c.open[req.ID] = true
		}
		if req.Method == "initialize" {
			c.first = req.ID
		}
		c.mu.Unlock()
	}
	return msg, nil
}

// take queues the messages of a line, or answers that it holds none.
func (c *Transport) take(ctx context.Context, l line) error {
	switch {
	case errors.Is(l.err, errLongLine):
		return c.complain(ctx, l.text, jsonrpc.CodeInvalidRequest, l.err.Error())
	case l.err != nil:
		c.End()
		return c.rest(ctx, l.err)
	}
	text := bytes.TrimSpace(l.text)
	if len(text) == 0 {
		return nil
	}
	batch := []json.RawMessage{text}
	if text[0] == '[' {
		batch = nil
		if err := json.Unmarshal(text, &batch); err != nil {
			return c.complain(ctx, nil, jsonrpc.CodeParseError, "the message is not JSON: "+err.Error())
		}
	}
	for _, item := range batch {
		msg, err := messages.Decode(item)
		if err == nil {
			c.queue = append(c.queue, msg)
			continue
		}
		var head struct {
			ID json.RawMessage `json:"id"`
		}
		code, message := int64(jsonrpc.CodeInvalidRequest), "not a message of MCP: "+err.Error()
		if bad := json.Unmarshal(item, &head); bad != nil {
			code, message = jsonrpc.CodeParseError, "the message is not JSON: "+bad.Error()
		}
		if err := c.complain(ctx, head.ID, code, message); err != nil {
			return err
		}
	}
	return nil
}

// rest waits for the replies to what was asked, and returns why the input has ended.
func (c *Transport) rest(ctx context.Context, err error) error {
	c.wait(ctx, func() bool { return len(c.open) == 0 }, lastReplies)
	return err
}

// complain answers what could not be read.
func (c *Transport) complain(ctx context.Context, id json.RawMessage, code int64, message string) error {
	if len(id) == 0 || id[0] != '"' && (id[0] < '0' || id[0] > '9') {
		id = json.RawMessage("null")
	}
	b, err := json.Marshal(map[string]any{"jsonrpc": "2.0", "id": id, "error": map[string]any{"code": code, "message": message}})
	if err != nil {
		return err
	}
	return c.write(ctx, append(b, '\n'))
}

// Write implements [mcp.Connection].
func (c *Transport) Write(ctx context.Context, msg jsonrpc.Message) error {
	b, err := messages.Encode(msg)
	if err == nil {
		err = c.write(ctx, b)
	}
	if resp, ok := msg.(*jsonrpc.Response); ok {
		c.mu.Lock()
		delete(c.open, resp.ID)
		if c.first == resp.ID {
			c.first = jsonrpc.ID{}
		}
		c.mu.Unlock()
		select {
		case c.replied <- struct{}{}:
		default:
		}
	}
	return err
}

// wait returns when a condition on the open requests holds, or it is late.
func (c *Transport) wait(ctx context.Context, holds func() bool, most time.Duration) {
	var late <-chan time.Time
	for {
		c.mu.Lock()
		ok := holds()
		c.mu.Unlock()
		if ok {
			return
		}
		if late == nil {
			late = time.After(most)
		}
		select {
		case <-c.replied:
		case <-c.closed:
			return
		case <-late:
			return
		case <-ctx.Done():
			return
		}
	}
}

// Close implements [mcp.Connection].
func (c *Transport) Close() error {
	c.closing.Do(func() { close(c.closed) })
	return nil
}
