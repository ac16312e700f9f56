package hooks

import (
	"bufio"
	"context"
	"errors"
	"os"
	"os/exec"
	"runtime"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/patchbay-mcp/patchbay/internal/sys/child"
)

const (
	startLimit = 10 * time.Second       // for a worker to be ready
	killAfter  = 100 * time.Millisecond // that a script may be late before its process is killed
	endLimit   = time.Second            // for a worker to end after its input has
)

// A process is a worker as its parent sees it. It executes one script at a time.
type process struct {
	cmd     *exec.Cmd
	in      *os.File // its standard input, our end
	out     *os.File // its standard output, our end
	lines   *bufio.Reader
	errors  head
	exited  chan struct{} // closed when the process is gone
	killing sync.Once
	why     error // of the kill; set before exited is closed

	known map[string]int // numbers of the scripts that it has
	bytes int            // of their texts
	rests time.Time      // since when it has nothing to do
}

// executable is the program of a worker: this one, also after its file was replaced.
func executable() (string, error) {
	if runtime.GOOS == "linux" {
		return "/proc/self/exe", nil
	}
	return os.Executable()
}

// start starts a worker and waits until it is ready.
func start(starter *child.Starter) (*process, error) {
	if !canServe {
		return nil, errors.New("this program cannot run scripts: call patchbay.HookWorker() first in main")
	}
	program, err := executable()
	if err != nil {
		return nil, err
	}
	childIn, in, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	out, childOut, err := os.Pipe()
	if err != nil {
		return nil, errors.Join(err, childIn.Close(), in.Close())
	}
	p := &process{in: in, out: out, lines: bufio.NewReaderSize(out, 64<<10), exited: make(chan struct{}), known: map[string]int{}}
	p.cmd = exec.Command(program, Command, os.Getenv("TZ")) //nolint:noctx,gosec // our own program, which is killed by kill
	p.cmd.Args[0] = "patchbay"
	p.cmd.Env = []string{}
	p.cmd.Stdin, p.cmd.Stdout, p.cmd.Stderr = childIn, childOut, &p.errors
	p.cmd.WaitDelay = endLimit
	err = starter.Start(p.cmd)
	_ = childIn.Close()
	_ = childOut.Close()
	if err != nil {
		return nil, errors.Join(err, in.Close(), out.Close())
	}
	go p.wait()
	slow := time.AfterFunc(startLimit, func() { p.kill(errors.New("it does not start")) })
	defer slow.Stop()
	var r reply
	if err := readLine(p.lines, &r); err != nil || !r.Ready {
		p.kill(nil)
		<-p.exited
		return nil, errors.Join(errors.New("the process for scripts does not start"), p.why, err, p.errors.asError())
	}
	return p, nil
}

// wait reaps the process.
func (p *process) wait() {
	_ = child.Wait(p.cmd) // its state says how it ended
	_ = p.in.Close()
	close(p.exited)
}

// kill ends the process and whatever is in its group; why is why.
func (p *process) kill(why error) {
	p.killing.Do(func() {
		p.why = why
		child.SignalGroup(p.cmd.Process.Pid, true)
		_ = p.cmd.Process.Kill()
	})
}

// end ends the process by the end of its input, and returns when it is gone.
func (p *process) end() {
	_ = p.in.Close()
	slow := time.AfterFunc(endLimit, func() { p.kill(nil) })
	defer slow.Stop()
	<-p.exited
	_ = p.out.Close()
}

// alive reports whether the process can execute another script.
func (p *process) alive() bool {
	select {
	case <-p.exited:
		return false
	default:
		return true
	}
}

// maxKnown is how many bytes of scripts a worker keeps.
const maxKnown = 2 << 20

// number names a script to the worker, with its text if it does not have it.
func (p *process) number(r *request, text string) {
	if n, known := p.known[text]; known {
		r.Script = n
		return
	}
	if p.bytes+len(text) > maxKnown {
		clear(p.known)
		p.bytes, r.Forget = 0, true
	}
	p.bytes += len(text)
	r.Script, r.Text = len(p.known), &text
	p.known[text] = r.Script
}

// do has the worker execute a request, within a time limit. After an error that is not a
// [Failure], and after a failure that says so, the process is gone or going.
func (p *process) do(ctx context.Context, r *request, limit time.Duration, log func(logLine)) (done *outcome, again bool, err error) {
	slow := time.AfterFunc(limit+killAfter, func() { p.kill(tookTooLong(limit)) })
	defer slow.Stop()
	stop := context.AfterFunc(ctx, func() { p.kill(context.Cause(ctx)) })
	defer stop()
	if err := writeLine(p.in, r); err != nil {
		return nil, false, p.death()
	}
	for {
		var line reply
		switch err := readLine(p.lines, &line); {
		case errors.Is(err, errLongLine):
			p.kill(failure(Limit, "the script returns more than %d bytes", maxLine))
			return nil, false, p.death()
		case err != nil:
			return nil, false, p.death()
		}
		if line.Log != nil {
			log(*line.Log)
		}
		if line.Done != nil {
			again = !line.Retire
			for _, stopped := range []bool{slow.Stop(), stop()} {
				again = again && stopped // otherwise it is being killed
			}
			return line.Done, again, nil
		}
	}
}

// noMemory are what the Go runtime writes when the system gives it no more memory; it may
// also use what it was not given. The last is of the race detector.
var noMemory = []string{"cannot allocate memory", "out of memory", "SIGSEGV", "failed to allocate"}

// death is why the process is gone in the middle of a script.
func (p *process) death() error {
	p.kill(nil) // if it only does not speak as it should
	<-p.exited
	_ = p.out.Close()
	said := p.errors.text()
	switch {
	case p.why != nil:
		return p.why
	case p.cmd.ProcessState.ExitCode() == exitMemory, slices.ContainsFunc(noMemory, func(s string) bool { return strings.Contains(said, s) }):
		return tookTooMuch()
	case strings.Contains(said, "stack exceeds"):
		return failure(Limit, "the script is nested too deep, or calls functions too deep")
	}
	return failure(Limit, "the script has ended its process: %s", strings.TrimSpace(p.cmd.ProcessState.String()+" "+said))
}

// head keeps the beginning of what a process writes to its standard error.
type head struct {
	mu   sync.Mutex
	kept []byte
}

const maxHead = 2000

func (h *head) Write(b []byte) (int, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.kept = append(h.kept, b[:min(len(b), maxHead-len(h.kept))]...)
	return len(b), nil
}

func (h *head) text() string {
	h.mu.Lock()
	defer h.mu.Unlock()
	line, _, _ := strings.Cut(strings.TrimSpace(string(h.kept)), "\n")
	return line
}

func (h *head) asError() error {
	if t := h.text(); t != "" {
		return errors.New(t)
	}
	return nil
}
