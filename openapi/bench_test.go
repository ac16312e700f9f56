package openapi_test

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"runtime"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/patchbay-mcp/patchbay/openapi"
)

// large is a document of so many operations, and a tenth as many schemas that refer to
// each other in a circle.
func large(operations int) string {
	var b strings.Builder
	b.WriteString(`{"openapi":"3.0.3","info":{"title":"Large","version":"1"},"paths":{`)
	schemas := max(operations/10, 1)
	for i := range operations {
		if i > 0 {
			b.WriteString(",\n")
		}
		fmt.Fprintf(&b, `"/things%d/{id}":{"get":{"operationId":"getThing%d","summary":"Get thing %d","description":"Returns one thing with all its properties.","tags":["things"],
"parameters":[{"name":"id","in":"path","required":true,"schema":{"type":"integer","format":"int64"}},{"name":"limit","in":"query","schema":{"type":"integer","minimum":1,"maximum":100}},{"name":"sort","in":"query","schema":{"type":"string","enum":["name","age"]}}],
"responses":{"200":{"description":"ok","content":{"application/json":{"schema":{"$ref":"#/components/schemas/Thing%d"}}}},"404":{"description":"there is none"}}}}`, i, i, i, i%schemas)
	}
	b.WriteString(`},"components":{"schemas":{`)
	for i := range schemas {
		if i > 0 {
			b.WriteString(",\n")
		}
		fmt.Fprintf(&b, `"Thing%d":{"type":"object","required":["id"],"properties":{"id":{"type":"integer","format":"int64"},"name":{"type":"string","description":"The name."},"tags":{"type":"array","items":{"type":"string"}},"next":{"$ref":"#/components/schemas/Thing%d"}}}`, i, (i+1)%schemas)
	}
	b.WriteString(`}}}`)
	return b.String()
}

// BenchmarkLoad makes the tools of 1,000 and 5,000 operations, also as a server's, and
// of YAML. heap-MB is what the program then has in use more than before, garbage
// included.
func BenchmarkLoad(b *testing.B) {
	for _, n := range []int{1000, 5000} {
		json := large(n)
		yaml := "# as YAML\n" + json
		for _, c := range []struct {
			name, doc string
			register  bool
		}{{"json", json, false}, {"yaml", yaml, false}, {"registered", json, true}} {
			b.Run(fmt.Sprintf("operations=%d/%s", n, c.name), func(b *testing.B) {
				b.ReportAllocs()
				var before, after runtime.MemStats
				runtime.GC()
				runtime.ReadMemStats(&before)
				for b.Loop() {
					if c.register {
						server := mcp.NewServer(&mcp.Implementation{Name: "large"}, nil)
						if err := openapi.Register(b.Context(), server, openapi.Options{Source: c.doc}); err != nil {
							b.Fatal(err)
						}
						continue
					}
					tools, err := openapi.Tools(b.Context(), openapi.Options{Source: c.doc})
					if err != nil || len(tools) != n {
						b.Fatal(err)
					}
				}
				runtime.ReadMemStats(&after)
				b.ReportMetric(float64(after.HeapAlloc-min(before.HeapAlloc, after.HeapAlloc))/(1<<20), "heap-MB")
			})
		}
	}
}

// BenchmarkCall makes the same request by a tool and by net/http.
func BenchmarkCall(b *testing.B) {
	s := serve(b, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		_, _ = io.WriteString(w, `{"id":7,"name":"a thing","tags":["x","y"],"price":1.10}`)
	})
	op := tool(b, "getThing1", openapi.Options{Source: large(10), URL: s.URL})
	args := json.RawMessage(`{"id":7,"limit":10,"sort":"name"}`)
	b.Run("tool", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			if r := op.Call(b.Context(), args); r.IsError {
				b.Fatal(text(r))
			}
		}
	})
	b.Run("net-http", func(b *testing.B) {
		b.ReportAllocs()
		client := &http.Client{Transport: &http.Transport{}}
		for b.Loop() {
			req, err := http.NewRequestWithContext(b.Context(), http.MethodGet, s.URL+"/things1/7?limit=10&sort=name", nil)
			if err != nil {
				b.Fatal(err)
			}
			resp, err := client.Do(req)
			if err != nil {
				b.Fatal(err)
			}
			body, _ := io.ReadAll(resp.Body)
			_ = resp.Body.Close()
			if !json.Valid(body) {
				b.Fatal("not JSON")
			}
		}
	})
}
