package stdio

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"io"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

const hello = `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}
{"jsonrpc":"2.0","method":"notifications/initialized"}
`

// pour writes everything at once, ends the input, and returns the replies.
func pour(t *testing.T, input string) []string {
	t.Helper()
	server := mcp.NewServer(&mcp.Implementation{Name: "s", Version: "1"}, nil)
	var out bytes.Buffer
	session, err := server.Connect(t.Context(), New(strings.NewReader(hello+input), &out), nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := session.Wait(); err != nil {
		t.Errorf("the session ended with %v", err)
	}
	return strings.Split(strings.TrimSpace(out.String()), "\n")
}

const ping = `{"jsonrpc":"2.0","id":9,"method":"ping"}` + "\n"

// Whatever a line holds, it gets one reply, and what follows it is answered.
func TestOutlivesBadInput(t *testing.T) {
	for name, c := range map[string]struct{ line, says string }{
		"not JSON":           {`hello`, `"id":null`},
		"cut off":            {`{"jsonrpc":"2.0","id":2,"method":`, `"code":-32700`},
		"too deep":           {`{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"validate_graph","arguments":{"graph":` + strings.Repeat("[", 5000) + strings.Repeat("]", 5000) + `}}}`, `"id":2`},
		"far too deep":       {`{"jsonrpc":"2.0","id":2,"method":"ping","params":` + strings.Repeat("[", 1_000_000), `"error"`},
		"too large":          {`{"jsonrpc":"2.0","id":2,"method":"ping","params":{"x":"` + strings.Repeat("x", MaxMessage) + `"}}`, `the message is larger than 16 MiB`},
		"too large, id":      {`{"jsonrpc":"2.0","id":2,"method":"ping","params":{"id":7,"x":"` + strings.Repeat("x", MaxMessage) + `"}}`, `"id":2`},
		"too large, id last": {`{"method":"ping","params":{"x":["` + strings.Repeat(`\",\"id\":7,`, MaxMessage/10) + `"]},"jsonrpc":"2.0", "id" : "b\"c" }`, `"id":"b\"c"`},
		"too large, odd id":  {`{"method":"ping","id":"` + strings.Repeat("x", MaxMessage) + `"}`, `"id":null`},
		"too large, no id":   {`{"result":{},"id":2,"x":"` + strings.Repeat("x", MaxMessage) + `"}`, `"id":null`},
		"too large, a batch": {`[{"method":"ping","id":2,"x":"` + strings.Repeat("x", MaxMessage) + `"}]`, `"id":null`},
		"not a message":      {`"hello"`, `"error"`},
		"odd id":             {`{"jsonrpc":"2.0","id":{},"method":"ping"}`, `"id":null`},
	} {
		t.Run(name, func(t *testing.T) {
			if testing.Short() && strings.HasPrefix(name, "too large, ") {
				t.Skip("one message of 16 MB is enough with -short")
			}
			replies := pour(t, c.line+"\n"+ping)
			if len(replies) != 3 {
				t.Fatalf("%d replies: %.500s", len(replies), replies)
			}
			if !strings.Contains(replies[1], c.says) {
				t.Errorf("the reply is %.300s, want %s", replies[1], c.says)
			}
			if !strings.Contains(replies[2], `"id":9`) {
				t.Errorf("the server did not continue: %.300s", replies[2])
			}
		})
	}
}

// A batch of messages, empty lines, and a last line without an end.
func TestIsLenient(t *testing.T) {
	replies := strings.Join(pour(t, "\r\n\n["+strings.TrimSpace(ping)+`,{"jsonrpc":"2.0","id":"b","method":"ping"}]`), "\n")
	for _, id := range []string{`"id":9`, `"id":"b"`} {
		if !strings.Contains(replies, id) {
			t.Errorf("no reply to %s: %s", id, replies)
		}
	}
}

// stuck is an output that nobody reads.
type stuck struct{ begun, release chan struct{} }

func (s stuck) Write([]byte) (int, error) {
	close(s.begun)
	<-s.release
	return 0, io.ErrClosedPipe
}

// A client that does not read what it is sent holds up the end for a second only.
func TestEndsThoughNobodyReads(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		in, ask := io.Pipe()
		out := stuck{make(chan struct{}), make(chan struct{})}
		transport := New(in, out)
		session, err := mcp.NewServer(&mcp.Implementation{Name: "s", Version: "1"}, nil).Connect(t.Context(), transport, nil)
		if err != nil {
			t.Fatal(err)
		}
		go func() { _, _ = io.WriteString(ask, hello) }()
		<-out.begun
		time.Sleep(time.Hour) // before the end it may take its time
		began := time.Now()
		transport.End()
		if err := session.Wait(); !errors.Is(err, errNotRead) || time.Since(began) != lastWrite {
			t.Errorf("after %s the session ended with %v", time.Since(began), err)
		}
		_ = ask.Close()
		close(out.release)
	})
}

// After End nothing is read, and what was asked before is answered.
func TestEnd(t *testing.T) {
	server := mcp.NewServer(&mcp.Implementation{Name: "s", Version: "1"}, nil)
	in, ask := io.Pipe()
	answers, out := io.Pipe()
	transport := New(in, out)
	session, err := server.Connect(t.Context(), transport, nil)
	if err != nil {
		t.Fatal(err)
	}
	replies := bufio.NewReader(answers)
	if _, err := io.WriteString(ask, hello+ping); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if _, err := replies.ReadString('\n'); err != nil {
			t.Fatal(err)
		}
	}
	transport.End()
	if err := session.Wait(); err != nil {
		t.Errorf("the session ended with %v", err)
	}
	select {
	case <-transport.Ended():
	default:
		t.Error("the input has not ended")
	}
	_ = ask.Close()
	_ = out.Close()
}

// A client of the later protocol listens for changes with a request that is not
// answered before the end: the end does not wait for it.
func TestDoesNotWaitForListeners(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		in, ask := io.Pipe()
		answers, out := io.Pipe()
		server := mcp.NewServer(&mcp.Implementation{Name: "s", Version: "1"}, &mcp.ServerOptions{Capabilities: &mcp.ServerCapabilities{Tools: &mcp.ToolCapabilities{ListChanged: true}}})
		listens := false
		server.AddReceivingMiddleware(func(next mcp.MethodHandler) mcp.MethodHandler {
			return func(ctx context.Context, method string, req mcp.Request) (mcp.Result, error) {
				listens = listens || method == "subscriptions/listen"
				return next(ctx, method, req)
			}
		})
		session, err := server.Connect(t.Context(), New(in, out), nil)
		if err != nil {
			t.Fatal(err)
		}
		client := mcp.NewClient(&mcp.Implementation{Name: "c", Version: "1"}, &mcp.ClientOptions{ToolListChangedHandler: func(context.Context, *mcp.ToolListChangedRequest) {}})
		connected, err := client.Connect(t.Context(), &mcp.IOTransport{Reader: answers, Writer: ask}, nil)
		if err != nil {
			t.Fatal(err)
		}
		synctest.Wait()
		began := time.Now()
		_ = ask.Close()
		if err := session.Wait(); err != nil || !listens || time.Since(began) > 0 {
			t.Errorf("listens: %t; after %s the session ended with %v", listens, time.Since(began), err)
		}
		_ = out.Close()
		_ = connected.Close()
	})
}

// TestGreeted: a client is greeted when it has the reply to initialize; one that sends
// something else is not waited for.
func TestGreeted(t *testing.T) {
	for name, c := range map[string]struct {
		sent  string
		reads bool // the reply
		want  bool
	}{
		"initialize, reply not read": {hello, false, false},
		"initialize":                 {hello, true, true},
		"a request":                  {ping, false, true},
		"nothing":                    {"", true, false},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				server := mcp.NewServer(&mcp.Implementation{Name: "s", Version: "1"}, nil)
				in, toServer := io.Pipe()
				fromServer, out := io.Pipe()
				transport := New(in, out)
				session, err := server.Connect(t.Context(), transport, nil)
				if err != nil {
					t.Fatal(err)
				}
				if c.reads {
					go func() { _, _ = io.Copy(io.Discard, fromServer) }()
				}
				go func() { _, _ = io.WriteString(toServer, c.sent) }()
				synctest.Wait()
				greeted := false
				select {
				case <-transport.Greeted():
					greeted = true
				default:
				}
				if greeted != c.want {
					t.Errorf("greeted: %t, want %t", greeted, c.want)
				}
				_, _ = toServer.Close(), fromServer.Close()
				_ = session.Wait()
			})
		})
	}
}
