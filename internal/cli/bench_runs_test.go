package cli

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
)

// storeGraphs are graphs of which BenchmarkStore measures what keeping their runs
// costs: by name, their nodes and how often each is called in a round.
var storeGraphs = []struct {
	name, nodes string
	calls       int
}{
	{"pure", `
  - {id: entry, type: entry, next: sum}
  - {id: sum, type: transform, transform: {expr: '{"n": $.entry.n + 1}'}, next: exit}
  - {id: exit, type: exit, result: {expr: '$.sum.n'}}`, 2000},
	{"document", "\n  # " + strings.Repeat(`x = \d+; `, 12_000) + `
  - {id: entry, type: entry, next: sum}
  - {id: sum, type: transform, transform: {expr: '{"n": $.entry.n + 1}'}, next: exit}
  - {id: exit, type: exit, result: {expr: '$.sum.n'}}`, 1000},
	{"loop", `
  - {id: entry, type: entry, next: count}
  - {id: count, type: transform, transform: {expr: '{"n": $executionCount("count") + 1}'}, next: more}
  - {id: more, type: switch, conditions: [{rule: {"<": [{var: $.count.n}, 900]}, next: count}], next: exit}
  - {id: exit, type: exit, result: {expr: '$.count.n'}}`, 100},
	{"reads", `
  - {id: entry, type: entry, next: call}
  - {id: call, type: mcp, server: fake, tool: exact, args: {}, next: exit}
  - {id: exit, type: exit, result: {expr: '1'}}`, 2000},
	{"writes", `
  - {id: entry, type: entry, next: call}
  - {id: call, type: mcp, server: fake, tool: shout, args: {text: a}, next: exit}
  - {id: exit, type: exit, result: {expr: '1'}}`, 2000},
}

// BenchmarkStore compares a server that keeps runs on disk with one that keeps them
// in memory, both over stdio: the ratio of the processor time that the process takes
// for the same calls of a published graph, and the ratio of the median times to a
// reply. Each is the median of five pairs of rounds, in turns.
func BenchmarkStore(b *testing.B) {
	binary := built(b)
	for _, g := range storeGraphs {
		b.Run(g.name, func(b *testing.B) {
			disk, memory := published(b, binary, g.name, g.nodes, ""), published(b, binary, g.name, g.nodes, "runs: {store: memory}\n")
			for b.Loop() {
				var cpu, latency []float64
				var took [2]time.Duration
				for range 5 {
					onDisk, p50 := disk.round(b, g.name, g.calls)
					inMemory, memoryP50 := memory.round(b, g.name, g.calls)
					cpu, latency = append(cpu, float64(onDisk)/float64(inMemory)), append(latency, float64(p50)/float64(memoryP50))
					took[0], took[1] = took[0]+onDisk, took[1]+inMemory
				}
				slices.Sort(cpu)
				slices.Sort(latency)
				b.ReportMetric(cpu[2], "cpu-ratio")
				b.ReportMetric(latency[2], "p50-ratio")
				b.ReportMetric(float64(took[0].Microseconds())/float64(5*g.calls), "disk-cpu-µs/call")
				b.ReportMetric(float64(took[1].Microseconds())/float64(5*g.calls), "memory-cpu-µs/call")
			}
			b.ReportMetric(0, "ns/op")
		})
	}
}

// published is a server that has a graph as a tool.
func published(b *testing.B, binary, name, nodes, settings string) *served {
	b.Helper()
	dir := b.TempDir()
	for _, variable := range []string{"XDG_STATE_HOME", "XDG_CACHE_HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME"} {
		b.Setenv(variable, filepath.Join(dir, variable))
	}
	config := settings + "trust: [fake]\nservers:\n  fake: {command: fake, args: []}\n"
	if err := os.WriteFile(filepath.Join(dir, "patchbay.yaml"), []byte(config), 0o600); err != nil {
		b.Fatal(err)
	}
	s := serveIn(b, binary, dir)
	s.ask(b, initialize)
	graph := "name: " + name + "\ndescription: " + name + "\ninputSchema: {type: object, properties: {n: {type: integer}}}\noutputSchema: {}\nexecutionLimits: {maxNodeExecutions: 5000}\nnodes:" + nodes
	text, _ := json.Marshal(graph)
	reply := s.ask(b, `{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"save_graph","arguments":{"graph":`+string(text)+`}}}`)
	if strings.Contains(reply, `"isError":true`) {
		b.Fatal(reply)
	}
	s.calls(b, name, 200)
	return s
}

// round makes calls, and returns the processor time that the server took and the
// median time to a reply.
func (s *served) round(b *testing.B, name string, n int) (cpu, p50 time.Duration) {
	before := s.processorTime(b)
	times := s.calls(b, name, n)
	slices.Sort(times)
	return s.processorTime(b) - before, times[n/2]
}

func (s *served) calls(b *testing.B, name string, n int) []time.Duration {
	b.Helper()
	times := make([]time.Duration, n)
	for i := range n {
		start := time.Now()
		reply := s.ask(b, fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":%q,"arguments":{"n":%d}}}`, i+10, name, i))
		for !strings.Contains(reply, `"id":`) || strings.Contains(reply, `"method"`) {
			var err error
			if reply, err = s.out.ReadString('\n'); err != nil {
				b.Fatal(err)
			}
		}
		if strings.Contains(reply, `"isError":true`) || strings.Contains(reply, `"error"`) {
			b.Fatal(reply)
		}
		times[i] = time.Since(start)
	}
	return times
}

// processorTime is that of the process so far.
func (s *served) processorTime(b *testing.B) time.Duration {
	b.Helper()
	stat, err := os.ReadFile("/proc/" + strconv.Itoa(s.Process.Pid) + "/stat")
	if err != nil {
		b.Skip("there is no /proc here")
	}
	_, after, _ := strings.Cut(string(stat), ") ")
	fields := strings.Fields(after)
	user, _ := strconv.Atoi(fields[11])
	system, _ := strconv.Atoi(fields[12])
	return time.Duration(user+system) * 10 * time.Millisecond
}
