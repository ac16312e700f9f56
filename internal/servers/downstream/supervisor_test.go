package downstream

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/internal/config"
	"github.com/patchbay-mcp/patchbay/internal/tests/testenv"
	"github.com/patchbay-mcp/patchbay/run"
)

// pids reads the processes a fake has noted its starts with.
func pids(t *testing.T, file string) []int {
	t.Helper()
	text, _ := os.ReadFile(file)
	var all []int
	for line := range strings.FieldsSeq(string(text)) {
		n, err := strconv.Atoi(line)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, n)
	}
	return all
}

// gone reports whether a process has ended; one that nobody has reaped has.
func gone(pid int) bool {
	stat, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	if err != nil {
		p, err := os.FindProcess(pid)
		return err != nil || runtime.GOOS != "windows" && p.Signal(syscall.Signal(0)) != nil
	}
	_, rest, _ := strings.Cut(string(stat), ") ")
	return strings.HasPrefix(rest, "Z")
}

func TestCrashIsReportedAndStartedAgain(t *testing.T) {
	h := startHub(t, &Options{Redact: strings.NewReplacer("sesame-opens", "***").Replace}, fakeServer("crash", "TOKEN=sesame-opens"))
	first, fault := call(t, h, `{"z":1}`)
	if fault != nil {
		t.Fatal(fault)
	}
	_, fault = call(t, h, `{"z":0}`)
	if fault == nil || fault.Code != "server-failed" {
		t.Fatalf("a crash gives %+v", fault)
	}
	for _, want := range []string{`server "fake"`, `tool "echo"`, "exit status 7"} {
		if !strings.Contains(fault.Message, want) {
			t.Errorf("message %q does not say %s", fault.Message, want)
		}
	}
	if !strings.Contains(fault.Hint, "out of cheese") || strings.Contains(fault.Hint, "sesame") {
		t.Errorf("hint is %q", fault.Hint)
	}
	second, fault := call(t, h, `{"z":1}`)
	if fault != nil {
		t.Fatalf("after the crash: %v", fault)
	}
	if string(first.Structured) == string(second.Structured) {
		t.Errorf("the same process answers: %s", second.Structured)
	}
}

func TestServersThatDoNotStart(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		server  Server
		message string
		hint    string
	}{
		{fakeServer("dead"), "exit status 3", "cannot find module x"},
		{Server{Name: "fake", Command: "no-such-command-at-all"}, "executable file not found", `install "no-such-command-at-all"`},
		{Server{Name: "fake", Command: os.Args[0], Cwd: "/no/such/folder"}, "/no/such/folder", "configuration"},
		{Server{Name: "fake"}, "neither command nor url", "configuration"},
		{Server{Name: "fake", Transport: "carrier-pigeon"}, "carrier-pigeon", "streamableHttp"},
		{Server{Name: "fake", URL: "ftp://x/y"}, "http://", "configuration"},
		{Server{Name: "fake", URL: "http://127.0.0.1:1/mcp?key=abcdefgh"}, "http://127.0.0.1:1/mcp", ""},
		{Server{Name: "fake", Command: os.Args[0], Env: map[string]string{"FAKE": "mute"}, StartTimeout: 2 * time.Second}, "initialize within", "says hello"},
		{Server{Name: "fake", Command: os.Args[0], Env: map[string]string{"FAKE": "onlyjunk"}, StartTimeout: 2 * time.Second}, "not MCP messages, the first is line 1: \"spam", ""},
		{Server{Name: "fake", Command: os.Args[0], Env: map[string]string{"FAKE": "nolist"}}, "not a list of tools", ""},
	} {
		h := startHub(t, &Options{probeWait: 50 * time.Millisecond}, c.server)
		_, fault := call(t, h, `{}`)
		if fault == nil || fault.Code != "server-failed" || !strings.Contains(fault.Message, c.message) || !strings.Contains(fault.Hint, c.hint) {
			t.Errorf("%+v: fault %+v, want %q and the hint %q", c.server, fault, c.message, c.hint)
			continue
		}
		if strings.Contains(fault.Message, "abcdefgh") {
			t.Errorf("the fault tells a secret: %s", fault.Message)
		}
		if st := h.Status()[0]; st.State != "failed" || st.Reason == "" {
			t.Errorf("status is %+v", st)
		}
		h.Close()
	}
}

// TestDeadServerCostsNothing calls a server that cannot start many times: it
// must not be started for each.
func TestDeadServerCostsNothing(t *testing.T) {
	starts := filepath.Join(t.TempDir(), "starts")
	h := startHub(t, nil, fakeServer("dead", "STARTS="+starts))
	for range 200 {
		if _, fault := call(t, h, `{}`); fault == nil || fault.Code != "server-failed" {
			t.Fatalf("%+v", fault)
		}
	}
	if n := len(pids(t, starts)); n > 8 {
		t.Errorf("%d processes for 200 calls", n)
	}
	if _, fault := call(t, h, `{}`); !strings.Contains(fault.Hint, "tried again in") {
		t.Errorf("hint is %q", fault.Hint)
	}
}

func TestSlowStart(t *testing.T) {
	t.Parallel()
	n := takeNotes(t)
	h := startHub(t, &Options{Wait: 20 * time.Millisecond}, fakeServer("slow", n.env()))
	n.started()
	fault := h.Ready(t.Context(), "fake")
	if fault == nil || fault.Code != "server-starting" {
		t.Fatalf("a call while it starts: %+v", fault)
	}
	if st := h.Status()[0]; st.State != "starting" {
		t.Errorf("status is %+v", st)
	}
	n.release()
	for fault != nil && fault.Code == "server-starting" {
		fault = h.Ready(t.Context(), "fake")
	}
	if fault != nil {
		t.Errorf("when it has started: %+v", fault)
	}
}

func TestWaitEndsWithItsContext(t *testing.T) {
	h := startHub(t, nil, fakeServer("mute"))
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Millisecond)
	defer cancel()
	if _, err := h.CallTool(ctx, run.Call{Server: "fake", Tool: "echo"}); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("call: %v", err)
	}
	if f := h.Ready(ctx, "fake"); f == nil || f.Code != "cancelled" || !errors.Is(f, context.DeadlineExceeded) {
		t.Errorf("ready: %+v", f)
	}
}

// TestEarlierProtocols wants a session with servers that do not answer
// server/discover, or do not survive it, and the latter remembered.
func TestEarlierProtocols(t *testing.T) {
	for _, mode := range []string{"ok", "silent", "strict"} {
		dir := t.TempDir()
		starts := filepath.Join(dir, "starts")
		for run := range 2 {
			h := startHub(t, &Options{CacheDir: dir, probeWait: 50 * time.Millisecond}, fakeServer(mode, "STARTS="+starts))
			if _, fault := call(t, h, `{"z":1}`); fault != nil {
				t.Fatalf("%s, run %d: %v", mode, run, fault)
			}
			h.Close()
		}
		want := 2
		if mode == "strict" {
			want = 3
		}
		if n := len(pids(t, starts)); n != want {
			t.Errorf("%s: %d processes for two runs, want %d", mode, n, want)
		}
	}
}

func TestJunkOnStdout(t *testing.T) {
	h := startHub(t, nil, fakeServer("junk"))
	if _, fault := call(t, h, `{"z":1}`); fault != nil {
		t.Fatal(fault)
	}
	st := h.Status()[0]
	if !strings.Contains(st.Junk, `3 lines to stdout that are not MCP messages, the first is line 1: "Starting up…"`) {
		t.Errorf("notes are %q", st.Notes)
	}
}

func TestCallTimeout(t *testing.T) {
	n := takeNotes(t)
	s := fakeServer("hang", n.env())
	s.CallTimeout = time.Second
	h := startHub(t, nil, s)
	_, fault := call(t, h, `{}`)
	if fault == nil || fault.Code != "call-timeout" || !strings.Contains(fault.Message, `tool "echo" of server "fake" did not answer within 1s`) {
		t.Fatalf("%+v", fault)
	}
	n.next("cancelled")
	file := filepath.Join(t.TempDir(), "patchbay.yaml")
	_, rest, _ := strings.Cut(fault.Hint, "limits.")
	key, _, _ := strings.Cut(rest, " ")
	if err := os.WriteFile(file, []byte("limits: {"+key+": 1500}\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	c, found, err := config.Load(config.Options{File: file, Dir: filepath.Dir(file)})
	if err != nil || len(found) > 0 || c.Limits.MaxCallTime != 1500*time.Millisecond {
		t.Errorf("the hint %q names a setting that gives %v: %v %v", fault.Hint, c.Limits.MaxCallTime, found, err)
	}
}

func TestCancel(t *testing.T) {
	n := takeNotes(t)
	h := startHub(t, nil, fakeServer("hang", n.env()))
	if f := h.Ready(t.Context(), "fake"); f != nil {
		t.Fatal(f)
	}
	ctx, cancel := context.WithCancel(t.Context())
	go func() {
		n.next("called")
		cancel()
	}()
	if _, err := h.CallTool(ctx, run.Call{Server: "fake", Tool: "echo"}); !errors.Is(err, context.Canceled) {
		t.Errorf("error is %v", err)
	}
	n.next("cancelled")
}

// TestCloseEndsCalls closes the hub under a call that would wait for a minute.
func TestCloseEndsCalls(t *testing.T) {
	n := takeNotes(t)
	h := startHub(t, nil, fakeServer("hang", n.env()))
	if f := h.Ready(t.Context(), "fake"); f != nil {
		t.Fatal(f)
	}
	done := make(chan error, 1)
	go func() {
		_, err := h.CallTool(context.Background(), run.Call{Server: "fake", Tool: "echo"})
		done <- err
	}()
	n.next("called")
	h.Close()
	if err := <-done; err == nil {
		t.Error("a call without an answer succeeded")
	}
}

// TestNothingSurvives closes hubs over children that ignore everything a
// process can ignore, and over their children.
func TestNothingSurvives(t *testing.T) {
	t.Parallel()
	for _, mode := range []string{"immortal", "family"} {
		n := takeNotes(t)
		h := startHub(t, nil, fakeServer(mode, n.env()))
		if f := h.Ready(t.Context(), "fake"); f != nil {
			t.Fatal(f)
		}
		all := []int{n.started()}
		if mode == "family" {
			all = append(all, n.started())
		}
		h.Close()
		for _, pid := range all {
			if !gone(pid) {
				t.Errorf("%s: process %d survives", mode, pid)
			}
		}
	}
}

// TestChildEnvironment wants a child to see what is its business only.
func TestChildEnvironment(t *testing.T) {
	t.Setenv("OUR_SECRET", "not-for-children")
	t.Setenv("LC_TIME", "C.UTF-8")
	h := startHub(t, nil, fakeServer("env", "DECLARED=yes"))
	res, fault := call(t, h, `{}`)
	if fault != nil {
		t.Fatal(fault)
	}
	env := string(res.Content[0])
	if strings.Contains(env, "OUR_SECRET") || !strings.Contains(env, "DECLARED=yes") || !strings.Contains(env, "PATH=") || !strings.Contains(env, "LC_TIME=C.UTF-8") {
		t.Errorf("the child sees %s", env)
	}
}

func TestOddResults(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ mode, code, want string }{
		{"badresult", "bad-result", `"content" is not an array`},
		{"deep", "bad-result", `tool "echo" of server "fake" cannot be read`},
		{"cutoff", "bad-result", `tool "echo" of server "fake" cannot be read`},
		{"huge", "server-failed", "more than 32 MiB"},
	} {
		h := startHub(t, nil, fakeServer(c.mode))
		_, fault := call(t, h, `{}`)
		if fault == nil || fault.Code != c.code || !strings.Contains(fault.Message, c.want) {
			t.Errorf("%s: %+v, want %s: %s", c.mode, fault, c.code, c.want)
		}
		h.Close()
	}
	h := startHub(t, nil, fakeServer("newcontent"))
	res, fault := call(t, h, `{}`)
	if fault != nil || !res.IsError || string(res.Content[0]) != `{"type":"hologram","depth":1.0}` {
		t.Errorf("content of an unknown type: %+v, %v", res, fault)
	}
}

func TestRefusedCalls(t *testing.T) {
	h := startHub(t, nil, fakeServer("ok", "TOKEN=sesame-opens"))
	if f := h.Ready(t.Context(), "fake"); f != nil {
		t.Fatal(f)
	}
	_, err := h.CallTool(t.Context(), run.Call{Server: "fake", Tool: "ecko"})
	f, ok := errors.AsType[*diag.Fault](err)
	if !ok || f.Code != "unknown-tool" || len(f.Suggestions) != 1 || f.Suggestions[0] != "echo" {
		t.Errorf("a tool that is not there: %+v", err)
	}
	_, err = h.CallTool(t.Context(), run.Call{Server: "fake", Tool: "echo", Args: json.RawMessage(`[1]`)})
	if f, ok = errors.AsType[*diag.Fault](err); !ok || f.Code != "bad-arguments" {
		t.Errorf("arguments that are an array: %+v", err)
	}
}

func TestManyCallsAtOnce(t *testing.T) {
	h := startHub(t, nil, fakeServer("ok"))
	var wait sync.WaitGroup
	for i := range 64 {
		wait.Go(func() {
			arg := strconv.Itoa(i)
			res, err := h.CallTool(t.Context(), run.Call{Server: "fake", Tool: "echo", Args: json.RawMessage(`{"z":` + arg + `}`)})
			if err != nil || !strings.Contains(string(res.Structured), `"args":{"z":`+arg+`}`) {
				t.Errorf("call %d: %+v, %v", i, res, err)
			}
		})
	}
	wait.Wait()
}

// TestServerThatNeverAnswers: what the server wrote to stderr is in the fault of a call, while
// it starts and when it has failed.
func TestServerThatNeverAnswers(t *testing.T) {
	mute := fakeServer("mute")
	mute.StartTimeout = testenv.Limit(time.Second).Round(time.Second)
	h := startHub(t, &Options{Wait: time.Minute}, mute)
	_, fault := call(t, h, `{}`)
	if fault == nil || fault.Code != "server-failed" || !strings.Contains(fault.Message, "did not answer initialize within "+mute.StartTimeout.String()+"; the last line of its stderr is: fake server says hello") {
		t.Errorf("it has failed: %+v", fault)
	}
	n := takeNotes(t)
	h = startHub(t, &Options{Wait: time.Millisecond}, fakeServer("slow", n.env()))
	n.started()
	for ; ; _, fault = call(t, h, `{}`) {
		if fault.Code == "server-starting" && strings.Contains(fault.Hint, "the last line of its stderr is: fake server says hello") {
			break
		} else if fault.Code == "server-failed" && fault.Message == "" {
			t.Fatal(fault)
		}
	}
	n.release()
}

func TestInstallersHaveTime(t *testing.T) {
	for command, want := range map[string]time.Duration{"/usr/bin/npx": installTimeout, "uvx": installTimeout, "node": retryTimeout} {
		if s := (&Server{Command: command}); s.retryTimeout() != want {
			t.Errorf("%s: %s", command, s.retryTimeout())
		}
	}
}
