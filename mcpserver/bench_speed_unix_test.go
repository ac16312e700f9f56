//go:build unix

package mcpserver

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/patchbay-mcp/patchbay/internal/app"
)

// threeTools is a server of the same SDK with three tools that echo.
func threeTools() *mcp.Server {
	s := mcp.NewServer(&mcp.Implementation{Name: "three", Version: "1"}, nil)
	for _, name := range []string{"echo", "second", "third"} {
		s.AddTool(&mcp.Tool{Name: name, InputSchema: json.RawMessage(`{"type":"object"}`)}, func(_ context.Context, r *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: string(r.Params.Arguments)}}}, nil
		})
	}
	return s
}

const (
	echoCall     = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"echo","arguments":{"expression":"1+1"}}}`
	evaluateCall = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"evaluate","arguments":{"expression":"1+1"}}}`
	openSession  = `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}`
)

// BenchmarkEvaluate compares the processor time of evaluate of 1+1 with that of an echo of a
// server with three tools, the client included. They take turns, 200 calls each, and the least
// of each counts.
//
//	go test ./mcpserver -run '^$' -bench 'Evaluate|HTTPClients|IdleSession' -benchtime 20x
func BenchmarkEvaluate(b *testing.B) {
	for name, open := range map[string]func(*testing.B, *mcp.Server, string) func(){"stdio": lineCaller, "http": httpCaller} {
		b.Run(name, func(b *testing.B) {
			pb := app.New(app.Options{})
			b.Cleanup(pb.Close)
			calls := map[string]func(){"echo": open(b, threeTools(), echoCall), "evaluate": open(b, New(pb, Options{}), evaluateCall)}
			least := map[string]time.Duration{}
			for range b.N {
				for name, call := range calls {
					began := cpu(b)
					for range 200 {
						call()
					}
					if took := cpu(b) - began; least[name] == 0 || took < least[name] {
						least[name] = took
					}
				}
			}
			b.ReportMetric(float64(least["echo"].Microseconds())/200, "echo-µs/call")
			b.ReportMetric(float64(least["evaluate"].Microseconds())/200, "evaluate-µs/call")
			b.ReportMetric(float64(least["evaluate"])/float64(least["echo"]), "ratio")
		})
	}
}

// lineCaller opens a session over stdio and returns what makes a call.
func lineCaller(b *testing.B, s *mcp.Server, message string) func() {
	b.Helper()
	if strings.Contains(message, `"evaluate"`) {
		return linesWith(b, s, "evaluate", `{"expression":"1+1"}`)
	}
	return linesWith(b, s, "echo", `{"expression":"1+1"}`)
}

// httpCaller opens a session over HTTP and returns what makes a call.
func httpCaller(b *testing.B, s *mcp.Server, message string) func() {
	b.Helper()
	server := httptest.NewServer(Handler(s, HTTPOptions{}))
	b.Cleanup(server.Close)
	b.Cleanup(func() { closeSessions(s) })
	client := &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 128}}
	b.Cleanup(client.CloseIdleConnections)
	session := post(b, client, server.URL, "", openSession)
	return func() { post(b, client, server.URL, session, message) }
}

// post makes a request of a session and returns the session's id. Any failure ends the
// benchmark.
func post(b *testing.B, client *http.Client, url, session, message string) string {
	req, err := http.NewRequestWithContext(context.Background(), http.MethodPost, url+"/mcp", strings.NewReader(message))
	if err != nil {
		b.Error(err)
		return ""
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Accept", "application/json, text/event-stream")
	if session != "" {
		req.Header.Set("Mcp-Session-Id", session)
		req.Header.Set("Mcp-Protocol-Version", "2025-11-25")
	}
	res, err := client.Do(req)
	if err != nil {
		b.Error(err)
		return ""
	}
	defer func() { _ = res.Body.Close() }()
	body, err := io.ReadAll(res.Body)
	if err != nil || res.StatusCode != http.StatusOK || !bytes.Contains(body, []byte(`"result"`)) || bytes.Contains(body, []byte(`"isError":true`)) {
		b.Errorf("%s %s %v", res.Status, body, err)
	}
	return res.Header.Get("Mcp-Session-Id")
}

// BenchmarkHTTPClients compares the throughput of evaluate with 16 and with 64 clients at the
// same time, each with a session of its own. They take turns, and the best of each counts.
func BenchmarkHTTPClients(b *testing.B) {
	pb := app.New(app.Options{})
	b.Cleanup(pb.Close)
	s := New(pb, Options{})
	server := httptest.NewServer(Handler(s, HTTPOptions{}))
	b.Cleanup(server.Close)
	b.Cleanup(func() { closeSessions(s) })
	client := &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 128}}
	b.Cleanup(client.CloseIdleConnections)
	sessions := make([]string, 64)
	for i := range sessions {
		sessions[i] = post(b, client, server.URL, "", openSession)
	}
	const calls = 1280
	best := map[int]float64{}
	for range b.N {
		for _, clients := range []int{16, 64} {
			began := time.Now()
			var all sync.WaitGroup
			for i := range clients {
				all.Go(func() {
					for range calls / clients {
						post(b, client, server.URL, sessions[i], evaluateCall)
					}
				})
			}
			all.Wait()
			best[clients] = max(best[clients], calls/time.Since(began).Seconds())
		}
	}
	for clients, rate := range best {
		b.ReportMetric(rate, strconv.Itoa(clients)+"-clients-calls/s")
	}
	b.ReportMetric(best[64]/best[16], "ratio")
}

// BenchmarkIdleSession measures the memory of a session over HTTP with a connection of its own,
// both of which are idle, with the client's half of the connection.
func BenchmarkIdleSession(b *testing.B) {
	pb := app.New(app.Options{})
	b.Cleanup(pb.Close)
	s := New(pb, Options{})
	server := httptest.NewServer(Handler(s, HTTPOptions{MaxSessions: 1 << 20}))
	b.Cleanup(server.Close)
	b.Cleanup(func() { closeSessions(s) })
	const sessions = 200
	open := func() {
		client := &http.Client{Transport: &http.Transport{}}
		b.Cleanup(client.CloseIdleConnections)
		post(b, client, server.URL, "", openSession)
	}
	open()
	for range b.N {
		before := held()
		for range sessions {
			open()
		}
		b.ReportMetric(float64(held()-before)/sessions/1000, "kB/session")
	}
}

// held is the memory in use, of the heap and of stacks.
func held() int64 {
	runtime.GC()
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc + m.StackInuse)
}

func closeSessions(s *mcp.Server) {
	for session := range s.Sessions() {
		_ = session.Close()
	}
}
