package child

import (
	"os"
	"syscall"

	"golang.org/x/sys/unix"
)

// diesWithUs asks for the child to be killed should we be killed ourselves.
func diesWithUs(attr *syscall.SysProcAttr) { attr.Pdeathsig = syscall.SIGKILL }

// await returns when a process has ended. Nothing has waited for it yet, so its number is
// its own. A system that cannot tell of the end has Wait keep a thread.
func await(pid int) {
	fd, err := unix.PidfdOpen(pid, unix.PIDFD_NONBLOCK)
	if err != nil {
		return
	}
	f := os.NewFile(uintptr(fd), "process")
	defer f.Close() //nolint:errcheck // nothing is written
	conn, err := f.SyscallConn()
	if err != nil {
		return
	}
	_ = conn.Read(func(fd uintptr) bool { // an error too leaves the rest to Wait
		n, err := unix.Poll([]unix.PollFd{{Fd: int32(fd), Events: unix.POLLIN}}, 0)
		return n > 0 || err != nil
	})
}
