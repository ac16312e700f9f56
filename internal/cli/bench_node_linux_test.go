package cli

import (
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
)

// BenchmarkNode compares a saved graph of one read-only mcp node with the thinnest
// gateway that the SDK allows, as users have both: the client, what is measured and the
// server are three processes that speak over stdio. It reports the processor time of the
// process in the middle and the median time to a reply, as multiples of those of the thin
// gateway: with the runs in memory, and with the default journal. The three take turns, a
// round of 500 calls each, and the least of each counts.
//
//	go test ./internal/cli -run '^$' -bench BenchmarkNode -benchtime 20x
func BenchmarkNode(b *testing.B) {
	binary := built(b)
	sides := []*side{
		{name: "thin", served: serveBy(b, exec.CommandContext(b.Context(), "thin")).ready(b), tool: "echo"},
		{name: "memory", served: graphOver(b, binary, "runs: {store: memory}\n"), tool: "say"},
		{name: "journal", served: graphOver(b, binary, ""), tool: "say"},
	}
	for _, s := range sides {
		s.calls(b, 1000)
	}
	for b.Loop() {
		for _, s := range sides {
			s.round(b)
		}
	}
	thin := sides[0]
	for _, s := range sides {
		b.ReportMetric(float64(s.cpu.Nanoseconds())/1e3, s.name+"-cpu-µs")
		b.ReportMetric(float64(s.p50.Nanoseconds())/1e3, s.name+"-p50-µs")
		if s != thin {
			b.ReportMetric(float64(s.cpu)/float64(thin.cpu), s.name+"-cpu-ratio")
			b.ReportMetric(float64(s.p50)/float64(thin.p50), s.name+"-p50-ratio")
		}
	}
	b.ReportMetric(0, "ns/op")
}

// A side of the comparison is a process, and the least that a call of its tool has taken.
type side struct {
	*served
	name, tool string
	sent       int
	cpu, p50   time.Duration
}

func (s *side) round(b testing.TB) {
	b.Helper()
	const calls = 500
	before := s.running(b)
	times := s.calls(b, calls)
	cpu := (s.running(b) - before) / calls
	slices.Sort(times)
	if p50 := times[calls/2]; s.p50 == 0 || p50 < s.p50 {
		s.p50 = p50
	}
	if s.cpu == 0 || cpu < s.cpu {
		s.cpu = cpu
	}
}

// calls calls the tool, and checks that each reply is its own.
func (s *side) calls(b testing.TB, n int) []time.Duration {
	b.Helper()
	times := make([]time.Duration, n)
	for i := range n {
		s.sent++
		text := fmt.Sprintf("call %d says what it was asked to say", s.sent)
		request := fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":%q,"arguments":{"text":%q}}}`, s.sent+10, s.tool, text)
		start := time.Now()
		reply := s.answer(b, request)
		times[i] = time.Since(start)
		if !strings.Contains(reply, fmt.Sprintf(`"structuredContent":{"text":%q}`, text)) {
			b.Fatal(s.name, reply)
		}
	}
	return times
}

// running is the processor time of the process so far, to the nanosecond.
func (s *served) running(b testing.TB) time.Duration {
	b.Helper()
	files, err := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/schedstat", s.Process.Pid))
	if err != nil || len(files) == 0 {
		b.Skip("there is no schedstat in /proc here")
	}
	total := time.Duration(0)
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			b.Fatal(err)
		}
		running, _, _ := strings.Cut(string(text), " ")
		n, err := strconv.ParseInt(running, 10, 64)
		if err != nil {
			b.Fatal(err)
		}
		total += time.Duration(n)
	}
	return total
}

// answer sends a request and returns the reply, past notifications.
func (s *served) answer(b testing.TB, request string) string {
	b.Helper()
	reply := s.ask(b, request)
	for strings.Contains(reply, `"method"`) {
		var err error
		if reply, err = s.out.ReadString('\n'); err != nil {
			b.Fatal(err)
		}
	}
	return reply
}

// ready initializes the session.
func (s *served) ready(b testing.TB) *served {
	b.Helper()
	s.ask(b, initialize)
	if _, err := io.WriteString(s.in, `{"jsonrpc":"2.0","method":"notifications/initialized"}`+"\n"); err != nil {
		b.Fatal(err)
	}
	return s
}

// graphOver is Patchbay over the server, with a saved graph that calls its tool.
func graphOver(b testing.TB, binary, settings string) *served {
	b.Helper()
	dir := b.TempDir()
	for _, variable := range []string{"XDG_STATE_HOME", "XDG_CACHE_HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME"} {
		b.Setenv(variable, filepath.Join(dir, variable))
	}
	const graph = `name: say
description: Says a text
inputSchema: {type: object, properties: {text: {type: string}}, required: [text]}
outputSchema: {type: object, properties: {text: {type: string}}, required: [text]}
nodes:
  - {id: entry, type: entry, next: call}
  - {id: call, type: mcp, server: echo, tool: echo, args: {text: {expr: $.entry.text}}, next: exit}
  - {id: exit, type: exit, result: {expr: $.call}}
`
	for name, text := range map[string]string{"patchbay.yaml": settings + "trust: [echo]\nservers:\n  echo: {command: echoing}\ngraphs: graphs\n", "graphs/say.yaml": graph} {
		file := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
			b.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			b.Fatal(err)
		}
	}
	s := serveIn(b, binary, dir).ready(b)
	reply := s.answer(b, `{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"run_node","arguments":{"id":"mcp:echo/echo","arguments":{"text":"ready"}}}}`)
	if strings.Contains(reply, `"isError":true`) {
		b.Fatal(reply)
	}
	return s
}
