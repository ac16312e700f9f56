package cli

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"
)

// until sends a request again and again until its reply contains a text.
func (s *served) until(t *testing.T, request, want string) {
	t.Helper()
	for id := 1000; t.Context().Err() == nil; id++ {
		if _, err := fmt.Fprintf(s.in, request+"\n", id); err != nil {
			t.Fatal(err)
		}
		for {
			reply, err := s.out.ReadString('\n')
			if err != nil {
				t.Fatal(err)
			}
			var r struct{ ID int }
			if json.Unmarshal([]byte(reply), &r) == nil && r.ID == id {
				if strings.Contains(reply, want) {
					return
				}
				break
			}
		}
	}
}

const callOther = `{"jsonrpc":"2.0","id":%%d,"method":"tools/call","params":{"name":"run_node","arguments":{"id":"mcp:%s/shout","arguments":{"text":"x"}}}}`

// A server takes over changes of its configuration and of the saved graphs while it runs.
func TestServeFollowsItsFiles(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "patchbay.yaml")
	write := func(path, text string) {
		t.Helper()
		if err := os.MkdirAll(filepath.Dir(path), 0o750); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write(file, "graphs: saved/graphs\nservers:\n  one: {command: fake}\n")
	s := serveIn(t, "", dir)
	s.ask(t, initialize)
	s.until(t, fmt.Sprintf(callOther, "one"), `\"X\"`)

	write(file, "graphs: saved/graphs\nservers:\n  two: {command: fake}\n")
	s.until(t, fmt.Sprintf(callOther, "two"), `\"X\"`)
	s.until(t, fmt.Sprintf(callOther, "one"), "unknown")

	write(file, "graphs: saved/graphs\nservers: [\n") // which changes nothing
	s.until(t, fmt.Sprintf(callOther, "two"), `\"X\"`)

	for _, name := range []string{"greet", "welcome"} { // the folder is not there before the first
		write(filepath.Join(dir, "saved", "graphs", name+".yaml"), `
tools:
  - name: `+name+`
    description: Greets somebody by name
    inputSchema: {type: object, properties: {name: {type: string}}, required: [name]}
    nodes:
      - {id: entry, type: entry, next: exit}
      - {id: exit, type: exit, result: {expr: '"hello " & $.entry.name'}}
`)
		s.until(t, `{"jsonrpc":"2.0","id":%d,"method":"tools/list","params":{}}`, `"`+name+`"`)
	}
	s.until(t, `{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"greet","arguments":{"name":"Ada"}}}`, "hello Ada")
}

// SIGHUP reads the configuration again also where changes cannot be seen, as behind a link.
func TestServeReloadsOnSIGHUP(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("there is no SIGHUP")
	}
	dir, elsewhere := t.TempDir(), filepath.Join(t.TempDir(), "real.yaml")
	if err := os.WriteFile(elsewhere, []byte("servers: {one: {command: fake}}\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(elsewhere, filepath.Join(dir, "patchbay.yaml")); err != nil {
		t.Fatal(err)
	}
	s := serveIn(t, "", dir)
	s.ask(t, initialize)
	s.until(t, fmt.Sprintf(callOther, "one"), `\"X\"`)
	if err := os.WriteFile(elsewhere, []byte("servers: {two: {command: fake}}\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := s.Process.Signal(syscall.SIGHUP); err != nil {
		t.Fatal(err)
	}
	s.until(t, fmt.Sprintf(callOther, "two"), `\"X\"`)
}
