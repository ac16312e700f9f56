package cli

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"
)

// BenchmarkLargeResult measures the processor time and the most resident memory of a process
// through which results of 1 MB and of 20 MB go: as the gateway, and through a saved graph of
// one node. Programs take turns; the least of five calls counts.
//
//	go test ./internal/cli -run '^$' -bench LargeResult -benchtime 1x -serve.programs OLD,NEW
func BenchmarkLargeResult(b *testing.B) {
	programs := strings.FieldsFunc(*servePrograms, func(r rune) bool { return r == ',' })
	if len(programs) == 0 {
		programs = []string{built(b)}
	}
	const graph = `name: get
description: Gets a text
inputSchema: {type: object, properties: {bytes: {type: integer}}, required: [bytes]}
outputSchema: {type: object, properties: {text: {type: string}}}
nodes:
  - {id: entry, type: entry, next: call}
  - {id: call, type: mcp, server: big, tool: text, args: {bytes: {expr: $.entry.bytes}}, next: exit}
  - {id: exit, type: exit, result: {text: {expr: $.call}}}
`
	folder := func() string {
		dir := b.TempDir()
		for name, text := range map[string]string{"patchbay.yaml": "trust: [big]\nexpose: {downstream: true}\nservers:\n  big: {command: large}\ngraphs: graphs\nlimits: {maxResultBytes: 60000000}\n", "graphs/get.yaml": graph} {
			if err := os.MkdirAll(filepath.Join(dir, "graphs"), 0o700); err != nil {
				b.Fatal(err)
			}
			if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
				b.Fatal(err)
			}
		}
		return dir
	}
	b.Setenv("PATCHBAY_TRUST", "all")
	for b.Loop() {
		for _, tool := range []string{"big__text", "get"} {
			for _, size := range []int{1_000_000, 20_000_000} {
				servers, least := map[string]*served{}, map[string]time.Duration{}
				for range 6 {
					for _, program := range programs {
						s := servers[program]
						if s == nil {
							s = serveIn(b, program, folder()).ready(b)
							servers[program] = s
						}
						before := s.running(b)
						s.receive(b, size, fmt.Sprintf(`{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":%q,"arguments":{"bytes":%d}}}`, tool, size))
						if took := s.running(b) - before; least[program] == 0 || took < least[program] {
							least[program] = took
						}
					}
				}
				for program, s := range servers {
					name := fmt.Sprintf("%s-%d-%s", tool, size, filepath.Base(program))
					b.ReportMetric(ms(least[program]), "cpu-ms-"+name)
					b.ReportMetric(s.mostResident(b), "peak-MB-"+name)
					_ = s.in.Close()
					_ = s.Process.Kill()
					_ = s.Wait()
				}
			}
		}
	}
	b.ReportMetric(0, "ns/op")
}

// receive sends a request, and passes over its reply, which has at least so many bytes.
func (s *served) receive(b testing.TB, size int, request string) {
	b.Helper()
	if _, err := io.WriteString(s.in, request+"\n"); err != nil {
		b.Fatal(err)
	}
	for got := 0; ; {
		part, err := s.out.ReadSlice('\n')
		got += len(part)
		switch {
		case err != nil: // there is more of the line
		case got >= size:
			return
		case !strings.Contains(string(part), `"method"`):
			b.Fatalf("%.500s", part)
		default:
			got = 0
		}
	}
}

var peak = regexp.MustCompile(`VmHWM:\s*([0-9]+) kB`)

// mostResident is the most memory that the process has had so far.
func (s *served) mostResident(b testing.TB) float64 {
	b.Helper()
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", s.Process.Pid))
	if err != nil {
		b.Fatal(err)
	}
	kB, err := strconv.ParseFloat(peak.FindStringSubmatch(string(text))[1], 64)
	if err != nil {
		b.Fatal(err)
	}
	return kB / 1000
}
