package graphql

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// manyFields is SDL with so many queries over types that refer to each other.
func manyFields(queries int) string {
	var b strings.Builder
	b.WriteString("type Query {\n")
	for i := range queries {
		fmt.Fprintf(&b, "  \"Returns item number %d\"\n  item%d(id: ID!, filter: Filter%d, first: Int = 10): Item%d\n", i, i, i%50, i%100)
	}
	b.WriteString("}\nenum State { OPEN CLOSED }\n")
	for i := range 100 {
		fmt.Fprintf(&b, "type Item%d { id: ID! name: String state: State! count: Int tags: [String!]! next: Item%d others(first: Int): [Item%d!] }\n", i, (i+1)%100, (i+7)%100)
	}
	for i := range 50 {
		fmt.Fprintf(&b, "input Filter%d { name: String state: [State!] and: [Filter%d!] not: Filter%d range: Range }\n", i, i, (i+1)%50)
	}
	b.WriteString("input Range { from: Int to: Int = 100 }\n")
	return b.String()
}

// BenchmarkTools reads a schema of 1,000 queries and makes their tools. The CPU time, which
// includes that of the collector, is the figure to read: at most 150 ms.
func BenchmarkTools(b *testing.B) {
	source := manyFields(1000)
	b.ReportAllocs()
	began, n := cpuTime(), 0
	for b.Loop() {
		tools, err := Tools(b.Context(), Options{Source: source})
		if err != nil || len(tools) != 1000 {
			b.Fatal(len(tools), err)
		}
		n++
	}
	b.ReportMetric(float64((cpuTime()-began).Milliseconds())/float64(n), "cpu-ms/op")
}

// BenchmarkCall compares a call with the same request by net/http.
func BenchmarkCall(b *testing.B) {
	const body = `{"data":{"item0":{"id":"1","name":"one","state":"OPEN","count":1,"tags":[],"next":null,"others":[]}}}`
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		w.Header().Set("Content-Type", "application/json")
		_, _ = io.WriteString(w, body)
	}))
	defer server.Close()
	tools, err := Tools(b.Context(), Options{Source: manyFields(1), Endpoint: server.URL})
	if err != nil {
		b.Fatal(err)
	}
	arguments := json.RawMessage(`{"id":"1"}`)
	b.Run("tool", func(b *testing.B) {
		b.ReportAllocs()
		r := &mcp.CallToolRequest{Params: &mcp.CallToolParamsRaw{Arguments: arguments}}
		for b.Loop() {
			if res, err := tools[0].Handler(context.Background(), r); err != nil || res.IsError {
				b.Fatal(res, err)
			}
		}
	})
	b.Run("http", func(b *testing.B) {
		b.ReportAllocs()
		request, _ := json.Marshal(map[string]any{"query": tools[0].Document, "variables": arguments})
		for b.Loop() {
			req, err := http.NewRequestWithContext(b.Context(), http.MethodPost, server.URL, bytes.NewReader(request))
			if err != nil {
				b.Fatal(err)
			}
			req.Header.Set("Content-Type", "application/json")
			resp, err := http.DefaultClient.Do(req)
			if err != nil {
				b.Fatal(err)
			}
			if _, err := io.ReadAll(resp.Body); err != nil {
				b.Fatal(err)
			}
			_ = resp.Body.Close()
		}
	})
}

// A schema of 5,000 queries takes little memory.
func TestLargeSchema(t *testing.T) {
	if testing.Short() {
		t.Skip("5,000 tools")
	}
	source := manyFields(5000)
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	tools, err := Tools(t.Context(), Options{Source: source})
	if err != nil || len(tools) != 5000 {
		t.Fatal(len(tools), err)
	}
	runtime.GC()
	runtime.ReadMemStats(&after)
	if kept := (after.HeapAlloc - before.HeapAlloc) >> 20; kept > 200 {
		t.Errorf("the tools keep %d MiB", kept)
	}
	runtime.KeepAlive(tools)
}
