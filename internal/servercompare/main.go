// Command servercompare compares two binaries of patchbay as servers over stdio: the
// processor time that each takes for the same requests, in turn, ten times. It prints
// a table in Markdown. It needs Linux.
//
//	go run ./internal/servercompare OLD NEW
package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

const (
	rounds    = 10
	manyTools = 1000
)

func main() {
	ctx := context.Background()
	var err error
	switch {
	case len(os.Args) == 2 && os.Args[1] == "fake":
		err = fake().Run(ctx, &mcp.StdioTransport{})
	case len(os.Args) == 3:
		err = compare(ctx, os.Args[1], os.Args[2])
	default:
		err = errors.New("usage: servercompare OLD NEW")
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// fake is the downstream server of both: a tool that returns its argument, and many
// to search among.
func fake() *mcp.Server {
	type argument struct {
		N int `json:"n"`
	}
	s := mcp.NewServer(&mcp.Implementation{Name: "fake", Version: "1"}, nil)
	for i := range manyTools {
		name, about := fmt.Sprintf("archive_%d", i), fmt.Sprintf("Archives the tickets of queue %d", i)
		if i == 0 {
			name, about = "echo", "Returns its argument"
		}
		mcp.AddTool(s, &mcp.Tool{Name: name, Description: about, Annotations: &mcp.ToolAnnotations{ReadOnlyHint: true}},
			func(_ context.Context, _ *mcp.CallToolRequest, in argument) (*mcp.CallToolResult, argument, error) {
				return nil, in, nil
			})
	}
	return s
}

// A workload is one tool call that is made often.
type workload struct {
	name, tool string
	arguments  map[string]any
	times      int // a round
}

func workloads() []workload {
	long := []string{"  - {id: entry, type: entry, next: t0}"}
	for i := range 200 {
		long = append(long, fmt.Sprintf("  - {id: t%d, type: transform, transform: {expr: '{\"n\": $.entry.n + %d}'}, next: t%d}", i, i, i+1))
	}
	long = append(long, "  - {id: t200, type: transform, transform: {expr: '$.t199.n'}, next: exit}", "  - {id: exit, type: exit}")
	const loop = `nodes:
  - {id: entry, type: entry, next: count}
  - {id: count, type: transform, transform: {expr: '{"n": $executionCount("count") + 1}'}, next: more}
  - {id: more, type: switch, conditions: [{rule: {"<": [{var: $.count.n}, 200]}, next: count}], next: exit}
  - {id: exit, type: exit, result: {expr: $.count.n}}
`
	const call = `nodes:
  - {id: entry, type: entry, next: call}
  - {id: call, type: mcp, server: fake, tool: echo, args: {n: 1}, next: exit}
  - {id: exit, type: exit, result: {expr: $.call.n}}
`
	head := "inputSchema: {type: object, properties: {n: {type: integer}}, required: [n]}\n"
	return []workload{
		{"one tool, `run_node`", "run_node", map[string]any{"id": "mcp:fake/echo", "arguments": map[string]any{"n": 1}}, 200},
		{"one tool, `run_graph`", "run_graph", map[string]any{"graph": call, "trace": "none"}, 200},
		{"search among 1,000 tools", "search_nodes", map[string]any{"query": "archive the tickets of a queue"}, 100},
		{"check 203 nodes", "validate_graph", map[string]any{"graph": head + "nodes:\n" + strings.Join(long, "\n")}, 40},
		{"run a loop of 200", "run_graph", map[string]any{"graph": loop, "trace": "none"}, 15},
	}
}

func compare(ctx context.Context, binaries ...string) error {
	self, err := os.Executable()
	if err != nil {
		return err
	}
	dir, err := os.MkdirTemp("", "servercompare")
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(dir) }()
	servers := make([]*server, len(binaries))
	defer func() {
		for _, s := range servers {
			s.close()
		}
	}()
	for i, binary := range binaries {
		if servers[i], err = start(ctx, binary, self, filepath.Join(dir, strconv.Itoa(i))); err != nil {
			return fmt.Errorf("%s: %w", binary, err)
		}
	}
	fmt.Println("| requests | before | after | change | p |\n|---|---|---|---|---|")
	for _, w := range workloads() {
		took := make([][]float64, len(servers))
		for round := range rounds + 1 {
			for i, s := range servers {
				µs, err := s.round(ctx, w)
				if err != nil {
					return fmt.Errorf("%s: %s: %w", binaries[i], w.name, err)
				}
				if round > 0 { // the first warms up
					took[i] = append(took[i], µs)
				}
			}
		}
		before, after := median(took[0]), median(took[1])
		fmt.Printf("| %s | %.0f µs | %.0f µs | %+.1f %% | %.3f |\n", w.name, before, after, 100*(after/before-1), mannWhitney(took[0], took[1]))
	}
	return nil
}

func median(values []float64) float64 {
	sorted := slices.Sorted(slices.Values(values))
	return (sorted[(len(sorted)-1)/2] + sorted[len(sorted)/2]) / 2
}
