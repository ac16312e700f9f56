package hooks_test

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/patchbay-mcp/patchbay/internal/around/hooks"
)

// asParent is set in a process that has a pool, executes an endless script and tells
// which processes it has.
const asParent = "HOOKS_TEST_PARENT"

func beParent() {
	pool := hooks.NewPool(nil)
	if _, err := pool.Run(context.Background(), &hooks.Job{Script: `return 1`}); err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(strings.Join(childrenOf("self"), " "))
	_, err := pool.Run(context.Background(), &hooks.Job{Script: `for (;;) {}`, Timeout: time.Hour})
	fmt.Println(err)
}

// A worker ends with its parent, also when that is killed and a script executes.
func TestWorkersEndWithTheirParent(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("elsewhere a worker that executes a script notices the end of its input afterwards")
	}
	parent := exec.CommandContext(t.Context(), os.Args[0])
	parent.Env = append(os.Environ(), asParent+"=1")
	out, err := parent.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := parent.Start(); err != nil {
		t.Fatal(err)
	}
	line, err := bufio.NewReader(out).ReadString('\n')
	pids := strings.Fields(line)
	if err != nil || len(pids) == 0 {
		t.Fatal(line, err)
	}
	if err := parent.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = parent.Wait() // it was killed
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	for _, text := range pids {
		for !gone(text) {
			select {
			case <-tick.C:
			case <-t.Context().Done():
				t.Fatal("the worker is still there")
			}
		}
	}
}

// gone reports whether a process has ended. Nobody may have waited for it: in a container
// there may be nobody who does.
func gone(pid string) bool {
	stat, err := os.ReadFile("/proc/" + pid + "/stat")
	_, rest, _ := strings.Cut(string(stat), ") ")
	return err != nil || strings.HasPrefix(rest, "Z")
}

// asEater is set in a process that takes memory and watches how much it has.
const asEater = "HOOKS_TEST_EATER"

// Where the system does not bound the memory of a worker, it ends itself.
func TestWatchedMemory(t *testing.T) {
	eater := exec.CommandContext(t.Context(), os.Args[0])
	eater.Env = append(os.Environ(), asEater+"=1")
	_ = eater.Run() // its code says how it ended
	if code := eater.ProcessState.ExitCode(); code != hooks.ExitMemory {
		t.Errorf("the process ended with %s", eater.ProcessState)
	}
}
