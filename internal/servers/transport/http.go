package transport

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime"
	"net"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"go.opentelemetry.io/otel/propagation"

	"github.com/patchbay-mcp/patchbay/diag"
)

// streamWait is how long a server may take to begin the stream of its own
// messages; one that sends no headers before its first message is used without.
const streamWait = 3 * time.Second

// HTTP carries the requests of one session: it adds the entry's headers,
// fills captures from JSON and SSE replies, ends all traffic with the session,
// and remembers what the server said when it refused.
type HTTP struct {
	Base    *http.Transport
	origin  *url.URL // the only scheme and host that see the headers
	headers map[string]string
	done    context.Context // the session's
	calls   *Calls          // whose notifications are counted
	lost    func()          // a stream of the server's own messages has ended

	mu      sync.Mutex
	refusal string
}

// NewHTTP returns what carries requests to an address until ctx ends. It calls lost when
// a stream of the server's own messages has ended.
func NewHTTP(ctx context.Context, address string, headers map[string]string, calls *Calls, lost func()) (*HTTP, error) {
	u, err := url.Parse(address)
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		return nil, errors.New("its url must begin with http:// or https:// and a host")
	}
	base := http.DefaultTransport.(*http.Transport).Clone()
	base.MaxIdleConnsPerHost = 16
	base.DialContext = (&net.Dialer{Timeout: 10 * time.Second}).DialContext
	return &HTTP{Base: base, origin: u, headers: headers, done: ctx, calls: calls, lost: lost}, nil
}

// request is what a round trip needs to know of the JSON-RPC message it carries.
type request struct {
	ID     json.RawMessage `json:"id"`
	Method string          `json:"method"`
}

// RoundTrip implements [http.RoundTripper]. Neither a redirect nor the endpoint that an SSE
// server names leads to another origin, not even from http to https: headers and messages
// are for the URL that the operator has configured.
func (w *HTTP) RoundTrip(req *http.Request) (*http.Response, error) {
	if req.URL.Scheme != w.origin.Scheme || req.URL.Host != w.origin.Host {
		if req.Body != nil {
			_ = req.Body.Close()
		}
		err := fmt.Errorf("it leads to another origin, %s://%s: if that is meant, write the URL there into its entry", req.URL.Scheme, req.URL.Host)
		w.refuse(err.Error())
		return nil, err
	}
	ctx, cancel := context.WithCancel(req.Context())
	stop := context.AfterFunc(w.done, cancel)
	release := func() { stop(); cancel() }
	out := req.Clone(ctx)
	for name, value := range w.headers {
		out.Header.Set(name, value)
	}
	propagation.TraceContext{}.Inject(ctx, propagation.HeaderCarrier(out.Header)) // also for what does not read _meta
	var sent request
	if req.Method == http.MethodPost && req.GetBody != nil {
		if body, err := req.GetBody(); err == nil {
			_ = json.NewDecoder(body).Decode(&sent)
		}
	}
	taken := captureFrom(req.Context())
	switch {
	case taken == nil:
	case sent.ID != nil:
		taken.id = sent.ID
	case req.Header.Get("Last-Event-ID") != "": // the stream of the reply is resumed
		sent.ID = taken.id
	}
	resp, err := w.send(out, cancel)
	if err != nil {
		release()
		op, ok := errors.AsType[*net.OpError](err)
		if dial := ok && op.Op == "dial"; dial {
			w.refuse("cannot connect: " + op.Err.Error()) // the SDK does not report it
		} else if taken != nil {
			taken.markSent()
		}
		return nil, err
	}
	if taken != nil {
		taken.markSent()
	}
	if resp.StatusCode >= http.StatusBadRequest {
		w.refused(resp, taken)
	} else if sent.ID != nil {
		w.misplaced(resp)
	}
	body := &replyBody{ReadCloser: resp.Body, release: release}
	stream := strings.HasPrefix(resp.Header.Get("Content-Type"), "text/event-stream")
	switch {
	case resp.StatusCode >= http.StatusMultipleChoices:
	case stream && sent.Method == "subscriptions/listen":
		body.ended = w.lost
	case taken != nil && stream:
		body.tap = &eventTap{id: sent.ID, capture: taken, calls: w.calls}
	case taken != nil:
		body.tap = &jsonTap{id: sent.ID, capture: taken}
	}
	body.bounded = !stream
	resp.Body = body
	return resp, nil
}

// send does the round trip, and gives up on a stream that does not begin.
func (w *HTTP) send(req *http.Request, cancel func()) (*http.Response, error) {
	if req.Method != http.MethodGet || req.Header.Get("Mcp-Protocol-Version") == "" || req.Header.Get("Last-Event-ID") != "" {
		return w.Base.RoundTrip(req)
	}
	late := time.AfterFunc(streamWait, cancel)
	resp, err := w.Base.RoundTrip(req)
	if !late.Stop() && w.done.Err() == nil {
		if err == nil {
			_ = resp.Body.Close()
		}
		return &http.Response{
			Status: "405 Method Not Allowed", StatusCode: http.StatusMethodNotAllowed,
			Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1, Header: http.Header{}, Body: http.NoBody, Request: req,
		}, nil
	}
	return resp, err
}

// refused keeps the status and the beginning of the body of an error reply.
func (w *HTTP) refused(resp *http.Response, taken *capture) {
	head, _ := io.ReadAll(io.LimitReader(resp.Body, 4<<10))
	resp.Body = struct {
		io.Reader
		io.Closer
	}{io.MultiReader(bytes.NewReader(head), resp.Body), resp.Body}
	if taken != nil {
		taken.mu.Lock()
		taken.status = resp.StatusCode
		taken.mu.Unlock()
	}
	if resp.Request != nil && resp.Request.Method != http.MethodPost && resp.StatusCode == http.StatusMethodNotAllowed {
		return // a server without a stream of its own, which is its right
	}
	text := diag.OneLine(strings.ToValidUTF8(string(head), ""))
	refusal := fmt.Sprintf("HTTP %d %s", resp.StatusCode, http.StatusText(resp.StatusCode))
	if text != "" && !strings.HasPrefix(text, "<") {
		refusal += ": " + text
	}
	w.refuse(refusal)
}

// misplaced keeps the content type of a reply that cannot be MCP. The SDK ends the
// session for it, and may report only that the session has ended.
func (w *HTTP) misplaced(resp *http.Response) {
	kind, _, _ := mime.ParseMediaType(resp.Header.Get("Content-Type"))
	if resp.StatusCode >= http.StatusMultipleChoices || kind == "application/json" || kind == "text/event-stream" {
		return
	}
	w.refuse(fmt.Sprintf("its reply has the unsupported content type %q", kind))
}

func (w *HTTP) refuse(text string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.refusal = text
}

// LastRefusal returns what the server's last error reply said, or "".
func (w *HTTP) LastRefusal() string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.refusal
}

// A replyBody shows what is read to a tap before the reader has it.
type replyBody struct {
	io.ReadCloser
	tap interface {
		write(p []byte)
		end()
	}
	bounded bool // an SSE stream has no end, and its reader has its own bound
	read    int
	ended   func()
	once    sync.Once
	release func()
}

func (b *replyBody) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	b.read += n
	if b.bounded && b.read > MaxMessage {
		return n, ErrTooLarge
	}
	if b.tap != nil && n > 0 {
		b.tap.write(p[:n])
	}
	if err != nil && b.tap != nil {
		b.tap.end()
	}
	if err != nil && b.ended != nil {
		b.once.Do(b.ended)
	}
	return n, err
}

func (b *replyBody) Close() error {
	err := b.ReadCloser.Close()
	b.release()
	return err
}

// jsonTap captures the result of a reply that is one JSON message.
type jsonTap struct {
	id json.RawMessage
	*capture
	body bytes.Buffer
}

func (t *jsonTap) write(p []byte) { t.body.Write(p) }

func (t *jsonTap) end() { captureReply(t.body.Bytes(), t.id, t.capture) }

// eventTap captures the result among the messages of an event stream.
type eventTap struct {
	id json.RawMessage
	*capture
	calls      *Calls
	line, data []byte
	skip       bool // the event is larger than will be read
}

func (t *eventTap) write(p []byte) {
	for len(p) > 0 {
		i := bytes.IndexByte(p, '\n')
		if i < 0 {
			t.grow(&t.line, p)
			return
		}
		t.grow(&t.line, p[:i])
		p = p[i+1:]
		t.endLine()
	}
}

func (t *eventTap) grow(into *[]byte, p []byte) {
	if len(*into)+len(p) > MaxMessage {
		t.skip = true
		return
	}
	*into = append(*into, p...)
}

func (t *eventTap) endLine() {
	line := bytes.TrimSuffix(t.line, []byte{'\r'})
	t.line = t.line[:0]
	if len(line) == 0 {
		t.end()
	} else if data, ok := bytes.CutPrefix(line, []byte("data:")); ok {
		if len(t.data) > 0 {
			t.grow(&t.data, []byte{'\n'})
		}
		t.grow(&t.data, bytes.TrimPrefix(data, []byte{' '}))
	}
}

func (t *eventTap) end() {
	if len(t.line) > 0 {
		t.endLine()
	}
	if len(t.data) > 0 && !t.skip {
		if method, params := captureReply(t.data, t.id, t.capture); method != "" {
			t.calls.arrive(method, params)
		}
	}
	t.data, t.skip = nil, false
}

// captureReply keeps the result of a message that answers the request id. Of a message
// that asks or notifies, it returns the method and the params.
func captureReply(message []byte, id json.RawMessage, into *capture) (method string, params json.RawMessage) {
	var m struct {
		ID     json.RawMessage `json:"id"`
		Result json.RawMessage `json:"result"`
		Method string          `json:"method"`
		Params json.RawMessage `json:"params"`
	}
	switch {
	case json.Unmarshal(message, &m) != nil:
	case m.Method != "":
		return m.Method, m.Params
	case m.Result != nil && bytes.Equal(m.ID, id):
		into.keep(m.Result)
	}
	return "", nil
}

// IsGone reports whether an answer means that the server no longer knows the
// session, as after its restart. The call was then not carried out.
func IsGone(err error, status int) bool {
	switch status {
	case http.StatusNotFound:
		return true
	case http.StatusBadRequest:
		// Servers of the TypeScript SDK answer so to a session they do not know.
		e, ok := errors.AsType[*jsonrpc.Error](err)
		return !ok || e.Code == -32000 || strings.Contains(strings.ToLower(e.Message), "session")
	}
	return false
}
