package cli

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
)

var servePrograms = flag.String("serve.programs", "", "the `PATHS` of programs that BenchmarkServe compares instead of this one, separated by commas")

// compared are the programs that are compared, or this one.
func compared(b *testing.B) []string {
	b.Helper()
	programs := strings.FieldsFunc(*servePrograms, func(r rune) bool { return r == ',' })
	if len(programs) == 0 {
		programs = []string{built(b)}
	}
	return programs
}

// BenchmarkServe measures what a client waits for: from the start of the process to the
// reply to initialize, and to that of a first search, with a cached list of 1,000 tools.
// Programs take turns. cpu is the processor time of the process, user and system, until
// the reply to initialize.
//
//	go test ./internal/cli -run '^$' -bench 'BenchmarkServe$' -benchtime 100x -serve.programs OLD,NEW
func BenchmarkServe(b *testing.B) {
	programs := compared(b)
	dir, measured := cached(b, 1000), map[string][]float64{}
	for b.Loop() {
		for _, program := range programs {
			note := func(what string, v float64) {
				name := filepath.Base(program) + "-" + what
				measured[name] = append(measured[name], v)
			}
			began := time.Now()
			s := serveIn(b, program, dir)
			s.ask(b, initialize)
			note("ms-to-initialize", ms(time.Since(began)))
			note("cpu-ms", ms(s.running(b)))
			if reply := s.ask(b, searchTicket); !strings.Contains(reply, "archive_") {
				b.Fatal(reply)
			}
			note("ms-to-search", ms(time.Since(began)))
			_ = s.in.Close()
			_ = s.Wait()
		}
	}
	for name, all := range measured {
		slices.Sort(all)
		b.ReportMetric(all[0], "min-"+name)
		b.ReportMetric(all[len(all)/2], "median-"+name)
	}
	b.ReportMetric(0, "ns/op")
}

// BenchmarkList measures what a client waits for that only lists the tools: from the start of
// the process to the reply to tools/list, with and without 10,000 tools whose lists are cached,
// in turns, and the processor time until then.
func BenchmarkList(b *testing.B) {
	greetings(b, map[string]string{"0": b.TempDir(), "10000": cached(b, 10_000)}, "search_nodes", `{"jsonrpc":"2.0","id":2,"method":"tools/list"}`)
}

// BenchmarkFirstSearch measures so what a first search takes after a start, among 10,000 tools
// whose lists are cached.
//
//	go test ./internal/cli -run '^$' -bench FirstSearch -benchtime 5x -serve.programs OLD,NEW
func BenchmarkFirstSearch(b *testing.B) {
	greetings(b, map[string]string{"0": b.TempDir(), "10000": cached(b, 10_000)}, "node_type", searchTicket)
}

// BenchmarkManyGraphs measures so what a client waits for beside 0, 1,000 and 10,000 saved
// graphs: the reply to initialize.
func BenchmarkManyGraphs(b *testing.B) {
	greetings(b, manyGraphs(b), "serverInfo")
}

// BenchmarkServedSave measures the processor time that a server takes for a save beside 0, 1,000
// and 10,000 saved graphs, until half a second after its reply. Of nine saves it reports the least
// and the median. Programs take turns.
//
//	go test ./internal/cli -run '^$' -bench 'ServedSave$' -benchtime 1x -serve.programs OLD,NEW
func BenchmarkServedSave(b *testing.B) {
	programs := compared(b)
	for b.Loop() {
		dirs := map[string]map[string]string{}
		for _, program := range programs {
			dirs[program] = manyGraphs(b)
		}
		for graphs := range dirs[programs[0]] {
			servers, took := map[string]*served{}, map[string][]float64{}
			for i := range 11 {
				for _, program := range programs {
					s := servers[program]
					if s == nil {
						s = serveIn(b, program, dirs[program][graphs])
						servers[program] = s
						s.ask(b, initialize)
					}
					began := s.running(b)
					text := fmt.Sprintf(`{\"name\":\"saved\",\"description\":\"Adds %d\",\"inputSchema\":{\"type\":\"object\"},\"outputSchema\":{\"type\":\"object\"},\"nodes\":[{\"id\":\"entry\",\"type\":\"entry\",\"next\":\"exit\"},{\"id\":\"exit\",\"type\":\"exit\"}]}`, i)
					reply := s.ask(b, `{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"save_graph","arguments":{"overwrite":true,"graph":"`+text+`"}}}`)
					for strings.Contains(reply, `"method"`) { // the list of tools has changed
						reply, _ = s.out.ReadString('\n')
					}
					if !strings.Contains(reply, "revision") {
						b.Fatal(reply)
					}
					time.Sleep(500 * time.Millisecond)
					if i > 1 { // the first compiles all
						took[program] = append(took[program], ms(s.running(b)-began))
					}
				}
			}
			for program, all := range took {
				slices.Sort(all)
				b.ReportMetric(all[0], "min-"+graphs+"-"+filepath.Base(program))
				b.ReportMetric(all[len(all)/2], "median-"+graphs+"-"+filepath.Base(program))
				_ = servers[program].in.Close()
				_ = servers[program].Process.Kill()
				_ = servers[program].Wait()
			}
		}
	}
	b.ReportMetric(0, "ns/op")
}

// manyGraphs makes folders with 0, 1,000 and 10,000 saved graphs and their configuration.
func manyGraphs(b *testing.B) map[string]string {
	b.Helper()
	dirs := map[string]string{}
	for _, graphs := range []int{0, 1000, 10_000} {
		dir := b.TempDir()
		saved := filepath.Join(dir, "graphs")
		for i := range graphs {
			text := fmt.Sprintf("name: g%05d\ndescription: Adds %d\ninputSchema: {type: object, properties: {n: {type: integer}}, required: [n]}\noutputSchema: {type: object}\nnodes:\n"+
				"  - {id: entry, type: entry, next: add}\n  - {id: add, type: transform, transform: {expr: '{\"n\": $.entry.n + %d}'}, next: exit}\n  - {id: exit, type: exit}\n", i, i, i)
			if err := errors.Join(os.MkdirAll(saved, 0o700), os.WriteFile(filepath.Join(saved, fmt.Sprintf("g%05d.yaml", i)), []byte(text), 0o600)); err != nil {
				b.Fatal(err)
			}
		}
		if err := os.WriteFile(filepath.Join(dir, "patchbay.yaml"), []byte("graphs: {dir: "+saved+"}\n"), 0o600); err != nil {
			b.Fatal(err)
		}
		dirs[strconv.Itoa(graphs)] = dir
	}
	b.Setenv("PATCHBAY_TRUST", "all")
	return dirs
}

// greetings starts servers in folders, in turns, and measures the time and the processor time
// until the reply to the last request, which has a text in it.
func greetings(b *testing.B, dirs map[string]string, has string, requests ...string) {
	b.Helper()
	programs, measured := compared(b), map[string][]float64{}
	for b.Loop() {
		for name, dir := range dirs {
			for _, program := range programs {
				began, name := time.Now(), name+"-"+filepath.Base(program)
				s := serveIn(b, program, dir)
				reply := s.ask(b, initialize)
				for _, request := range requests {
					reply = s.ask(b, request)
				}
				if !strings.Contains(reply, has) {
					b.Fatal(reply)
				}
				measured["ms-"+name] = append(measured["ms-"+name], ms(time.Since(began)))
				measured["cpu-ms-"+name] = append(measured["cpu-ms-"+name], ms(s.running(b)))
				_ = s.in.Close()
				_ = s.Process.Kill()
				_ = s.Wait()
			}
		}
	}
	for name, all := range measured {
		slices.Sort(all)
		b.ReportMetric(all[0], "min-"+name)
		b.ReportMetric(all[len(all)/2], "median-"+name)
	}
	b.ReportMetric(0, "ns/op")
}

// BenchmarkManyServers measures what a start beside 1,000 servers takes whose tools are cached:
// the processor time and the threads of the process until two seconds after its start, and the
// processes that it has started. Programs take turns.
//
//	go test ./internal/cli -run '^$' -bench ManyServers -benchtime 3x -serve.programs OLD,NEW
func BenchmarkManyServers(b *testing.B) {
	dir := b.TempDir()
	server := filepath.Join(dir, "small")
	if err := os.WriteFile(server+".go", []byte(smallServer), 0o600); err != nil {
		b.Fatal(err)
	}
	build := exec.CommandContext(b.Context(), "go", "build", "-o", server, server+".go")
	if out, err := build.CombinedOutput(); err != nil {
		b.Fatalf("%v: %s", err, out)
	}
	b.Setenv("XDG_CACHE_HOME", filepath.Join(dir, ".cache"))
	var config strings.Builder
	config.WriteString("servers:\n")
	const servers = 1000
	for i := range servers {
		fmt.Fprintf(&config, "  s%d: {command: %s}\n", i, server)
	}
	if err := os.WriteFile(filepath.Join(dir, "patchbay.yaml"), []byte(config.String()), 0o600); err != nil {
		b.Fatal(err)
	}
	b.Setenv("PATCHBAY_TRUST", "all")
	programs, measured := compared(b), map[string][]float64{}
	for _, program := range programs { // fills the cache
		s := serveIn(b, program, dir)
		s.ask(b, initialize)
		for lists := []string(nil); len(lists) < servers; time.Sleep(100 * time.Millisecond) {
			lists, _ = filepath.Glob(filepath.Join(dir, ".cache", "patchbay", "*.tools"))
		}
		_ = s.in.Close()
		_ = s.Wait()
	}
	for b.Loop() {
		for _, program := range programs {
			s := serveIn(b, program, dir)
			s.ask(b, initialize)
			time.Sleep(2 * time.Second)
			children, threads := 0, 0
			tasks, _ := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/children", s.Process.Pid))
			for _, task := range tasks {
				list, _ := os.ReadFile(task)
				children, threads = children+len(strings.Fields(string(list))), threads+1
			}
			for what, n := range map[string]float64{"cpu-ms": ms(s.running(b)), "processes": float64(children), "threads": float64(threads)} {
				name := what + "-" + filepath.Base(program)
				measured[name] = append(measured[name], n)
			}
			_ = s.in.Close()
			_ = s.Wait()
		}
	}
	for name, all := range measured {
		b.ReportMetric(slices.Min(all), "min-"+name)
	}
	b.ReportMetric(0, "ns/op")
}

// smallServer is a server with one tool, which starts fast.
const smallServer = `package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
)

func main() {
	in := bufio.NewScanner(os.Stdin)
	for in.Scan() {
		var m struct {
			ID     json.RawMessage
			Method string
		}
		if json.Unmarshal(in.Bytes(), &m) != nil || m.ID == nil {
			continue
		}
		result, failed := "{}", false
		switch m.Method {
		case "initialize":
			result = ` + "`" + `{"protocolVersion":"2025-06-18","capabilities":{"tools":{}},"serverInfo":{"name":"small","version":"1"}}` + "`" + `
		case "tools/list":
			result = ` + "`" + `{"tools":[{"name":"weigh","description":"Weighs a parcel","inputSchema":{"type":"object","properties":{"parcel":{"type":"string"}}}}]}` + "`" + `
		default:
			failed = true
		}
		if failed {
			fmt.Printf("{\"jsonrpc\":\"2.0\",\"id\":%s,\"error\":{\"code\":-32601,\"message\":\"no such method\"}}\n", m.ID)
		} else {
			fmt.Printf("{\"jsonrpc\":\"2.0\",\"id\":%s,\"result\":%s}\n", m.ID, result)
		}
	}
}
`
