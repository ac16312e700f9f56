package child

import (
	"io"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"
)

// Children that run occupy no threads of the system, and their ends are noticed.
func TestWaitingOccupiesNoThread(t *testing.T) {
	const children = 60
	before := threads(t)
	var starter Starter
	var inputs []io.Closer
	var waiting sync.WaitGroup
	for range children {
		cmd := exec.CommandContext(t.Context(), "cat")
		in, err := cmd.StdinPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := starter.Start(cmd); err != nil {
			t.Fatal(err)
		}
		inputs = append(inputs, in)
		waiting.Go(func() {
			if err := Wait(cmd); err != nil {
				t.Error(err)
			}
		})
	}
	last := exec.CommandContext(t.Context(), "false")
	if err := starter.Start(last); err != nil {
		t.Fatal(err)
	}
	if err := Wait(last); err == nil || last.ProcessState.ExitCode() != 1 {
		t.Errorf("it ended as %v: %v", last.ProcessState, err)
	}
	if more := threads(t) - before; more > children/2 {
		t.Errorf("%d children have made %d threads", children, more)
	}
	for _, in := range inputs {
		_ = in.Close()
	}
	waiting.Wait()
	starter.Stop()
}

func threads(t *testing.T) int {
	t.Helper()
	list, err := filepath.Glob("/proc/self/task/*")
	if err != nil || len(list) == 0 {
		t.Fatal("the threads of this process cannot be listed:", err)
	}
	return len(list)
}
