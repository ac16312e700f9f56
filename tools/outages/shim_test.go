//go:build linux || darwin

package outages

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"strings"
	"sync"
	"syscall"
)

// Of the environment of a shim: where it is told what to do, and the name of its server.
const (
	shimEnv = "PATCHBAY_OUTAGES"
	nameEnv = "PATCHBAY_OUTAGES_NAME"
)

// A shimmed server is a real server over stdio with this process before it, which passes
// messages on, and adds what the test asks for.
type shimmed struct {
	mu      sync.Mutex
	out     *bufio.Writer
	lists   map[string]bool // ids of requests of tools/list
	version int             // of the tools that are added
	hidden  bool            // no tools of the server are listed
}

// shim runs the server that the arguments of the process name.
func shim(control string) {
	ctx := context.Background()
	conn, err := (&net.Dialer{}).DialContext(ctx, "tcp", control)
	if err != nil {
		syscall.Exit(9)
	}
	cmd := exec.CommandContext(ctx, os.Args[1], os.Args[2:]...)
	in, inErr := cmd.StdinPipe()
	out, outErr := cmd.StdoutPipe()
	cmd.Stderr = os.Stderr
	if inErr != nil || outErr != nil || cmd.Start() != nil {
		syscall.Exit(8)
	}
	fmt.Fprintf(conn, "%s %d\n", os.Getenv(nameEnv), os.Getpid())
	s := &shimmed{out: bufio.NewWriter(os.Stdout), lists: map[string]bool{}}
	go s.obey(conn)
	go func() {
		s.pass(in)
		_ = in.Close()
	}()
	s.answer(out)
	_ = cmd.Wait()
	syscall.Exit(0)
}

// pass passes requests on.
func (s *shimmed) pass(to io.Writer) {
	for lines := bufio.NewReader(os.Stdin); ; {
		line, err := lines.ReadString('\n')
		if err != nil {
			return
		}
		var m struct {
			ID     json.RawMessage
			Method string
		}
		if json.Unmarshal([]byte(line), &m) == nil && m.Method == "tools/list" {
			s.mu.Lock()
			s.lists[string(m.ID)] = true
			s.mu.Unlock()
		}
		if _, err := io.WriteString(to, line); err != nil {
			return
		}
	}
}

// answer passes answers on, lists of tools with what is added to them.
func (s *shimmed) answer(from io.Reader) {
	for lines := bufio.NewReader(from); ; {
		line, err := lines.ReadString('\n')
		if err != nil {
			return
		}
		s.mu.Lock()
		var m struct {
			ID     json.RawMessage            `json:"id"`
			Result map[string]json.RawMessage `json:"result"`
		}
		if json.Unmarshal([]byte(line), &m) == nil && s.lists[string(m.ID)] && m.Result["tools"] != nil {
			var tools []json.RawMessage
			_ = json.Unmarshal(m.Result["tools"], &tools)
			if s.hidden {
				tools = nil
			}
			tools = append(tools, json.RawMessage(fmt.Sprintf(`{"name":"extra","description":"version %d","inputSchema":{"type":"object"}}`, s.version)))
			m.Result["tools"], _ = json.Marshal(tools)
			result, _ := json.Marshal(m.Result)
			line = fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"result":%s}`+"\n", m.ID, result)
		}
		_, _ = s.out.WriteString(line)
		_ = s.out.Flush()
		s.mu.Unlock()
	}
}

const toolsChanged = `{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}` + "\n"

// obey does what the test asks for.
func (s *shimmed) obey(control net.Conn) {
	for orders := bufio.NewScanner(control); orders.Scan(); {
		s.mu.Lock()
		switch orders.Text() {
		case "flood":
			for i := range 2000 {
				fmt.Fprintf(s.out, `{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"error","data":"flood %d"}}`+"\n", i)
				fmt.Fprintf(s.out, `{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":%d,"progress":1}}`+"\nDEBUG line %d\n", i, i)
				_, _ = s.out.WriteString(toolsChanged)
			}
			fmt.Fprint(os.Stderr, strings.Repeat(strings.Repeat("e", 1000)+"\n", 1000))
		case "change":
			s.version++
			_, _ = s.out.WriteString(toolsChanged)
		case "hide", "show":
			s.hidden = orders.Text() == "hide"
			_, _ = s.out.WriteString(toolsChanged)
		case "quit":
			syscall.Exit(5)
		}
		_ = s.out.Flush()
		s.mu.Unlock()
	}
	syscall.Exit(7) // the test has ended
}
