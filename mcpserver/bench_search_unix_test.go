//go:build unix

package mcpserver

import (
	"fmt"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/patchbay-mcp/patchbay/internal/app"
	"github.com/patchbay-mcp/patchbay/internal/servers/downstream"
	"github.com/patchbay-mcp/patchbay/internal/tests/searchdata"
	"github.com/patchbay-mcp/patchbay/search"
	"github.com/patchbay-mcp/patchbay/specs"
)

// BenchmarkSearchNodes compares the processor time of searches among 10,000 tools by the
// package alone with that of search_nodes, the client included. They take turns, a query each.
//
//	go test ./mcpserver -run '^$' -bench SearchNodes -benchtime 2000x
func BenchmarkSearchNodes(b *testing.B) {
	var tools []searchdata.Tool
	for _, list := range searchdata.Tools(b, "../testdata/search/servers.txt") {
		tools = append(tools, list...)
	}
	slices.SortFunc(tools, func(x, y searchdata.Tool) int { return strings.Compare(x.Server+x.Name, y.Server+y.Name) })
	var asked []string
	for _, line := range searchdata.Lines(b, "../testdata/search/phrases.txt") {
		words, _, _ := strings.Cut(line, " => ")
		asked = append(asked, words)
	}
	pb := app.New(app.Options{Servers: []downstream.Server{}})
	b.Cleanup(pb.Close)
	for server := range 200 {
		var list []*specs.Spec
		for i := range 50 {
			one, other := tools[(server*50+i)%len(tools)], tools[(server*7+i*13+server*i)%len(tools)]
			list = append(list, &specs.Spec{
				NodeType: specs.MCP, Subtype: fmt.Sprintf("%s%d/%s_%s", one.Server, server, one.Name, other.Name),
				Description: one.Description + ". " + other.Description, Parameters: slices.Concat(one.Parameters, other.Parameters),
			})
		}
		pb.Catalog().Replace("server:"+strconv.Itoa(server), list)
	}
	for !pb.Catalog().Settled() {
		runtime.Gosched()
	}
	query := ""
	alone := func() {
		if _, err := pb.Catalog().Snapshot().Search(b.Context(), search.Query{Text: query}); err != nil {
			b.Fatal(err)
		}
	}
	call := linesAsking(b, New(pb, Options{}), "search_nodes", func() string { return fmt.Sprintf(`{"query":%q}`, query) })
	took := map[string][]time.Duration{}
	for n := 0; b.Loop(); n++ {
		query = asked[n%len(asked)]
		for name, search := range map[string]func(){"package": alone, "served": call} {
			began := cpu(b)
			search()
			took[name] = append(took[name], cpu(b)-began)
		}
	}
	for name, all := range took {
		slices.Sort(all)
		b.ReportMetric(float64(all[len(all)/2].Microseconds()), name+"-p50-µs")
		b.ReportMetric(float64(all[len(all)*95/100].Microseconds()), name+"-p95-µs")
	}
	b.ReportMetric(0, "ns/op")
}
