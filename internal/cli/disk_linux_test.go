package cli

import (
	"os"
	"os/signal"
	"testing"

	"golang.org/x/sys/unix"
)

// surviveFullDisk keeps the signal that tells of a file which is too large from ending
// the process.
func surviveFullDisk() { signal.Notify(make(chan os.Signal, 1), unix.SIGXFSZ) }

// fillDisk lets every write of a process to a file fail from now on.
func fillDisk(t *testing.T, p *os.Process) {
	t.Helper()
	if err := unix.Prlimit(p.Pid, unix.RLIMIT_FSIZE, &unix.Rlimit{}, nil); err != nil {
		t.Fatal(err)
	}
}
