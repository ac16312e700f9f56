package downstream

import (
	"bufio"
	"context"
	"fmt"
	"net"
	"os"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
)

// notes are what fakes tell their test, over a connection beside MCP: "started PID"
// and "cancelled ID". The test may let a fake that waits continue.
type notes struct {
	t     *testing.T
	addr  string
	lines chan string
	work  sync.WaitGroup

	mu    sync.Mutex
	conns []net.Conn
}

// takeNotes listens until the test has ended.
func takeNotes(t *testing.T) *notes {
	t.Helper()
	l, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	n := &notes{t: t, addr: l.Addr().String(), lines: make(chan string, 100)}
	n.work.Go(func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			n.mu.Lock()
			n.conns = append(n.conns, c)
			n.mu.Unlock()
			n.work.Go(func() {
				for in := bufio.NewScanner(c); in.Scan(); {
					n.lines <- in.Text()
				}
			})
		}
	})
	t.Cleanup(func() {
		_ = l.Close()
		n.mu.Lock()
		for _, c := range n.conns {
			_ = c.Close()
		}
		n.mu.Unlock()
		n.work.Wait()
	})
	return n
}

// env is the variable that tells a fake where to.
func (n *notes) env() string { return "NOTES=" + n.addr }

// started waits for the next fake that starts, and returns its process.
func (n *notes) started() int {
	n.t.Helper()
	pid, err := strconv.Atoi(n.next("started"))
	if err != nil {
		n.t.Fatal(err)
	}
	return pid
}

// next waits for the next note of one kind, past others.
func (n *notes) next(kind string) string {
	n.t.Helper()
	for {
		select {
		case line := <-n.lines:
			if what, rest, _ := strings.Cut(line, " "); what == kind {
				return rest
			}
		case <-n.t.Context().Done():
			n.t.Fatalf("no fake has noted %q", kind)
		}
	}
}

// release lets the fakes that wait continue.
func (n *notes) release() {
	n.mu.Lock()
	defer n.mu.Unlock()
	for _, c := range n.conns {
		_, _ = fmt.Fprintln(c, "go on")
	}
}

// A notebook is the fake's end of notes; without a test that listens it is empty.
type notebook struct{ conn net.Conn }

func openNotebook() notebook {
	addr := os.Getenv("NOTES")
	if addr == "" {
		return notebook{}
	}
	c, err := (&net.Dialer{}).DialContext(context.Background(), "tcp", addr)
	if err != nil {
		syscall.Exit(8)
	}
	return notebook{c}
}

func (b notebook) note(format string, args ...any) {
	if b.conn != nil {
		_, _ = fmt.Fprintf(b.conn, format+"\n", args...)
	}
}

// wait waits until the test lets the fake continue.
func (b notebook) wait() {
	if b.conn != nil {
		_, _ = bufio.NewReader(b.conn).ReadString('\n')
	}
}
