//go:build unix

package child

import (
	"os/exec"
	"syscall"
)

// ownGroup makes the command the leader of a new process group.
func ownGroup(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	diesWithUs(cmd.SysProcAttr)
}

// adopt does nothing: the group was made with the process.
func adopt(*exec.Cmd) error { return nil }

// SignalGroup asks the group of leader to end, or kills it.
func SignalGroup(leader int, kill bool) {
	signal := syscall.SIGTERM
	if kill {
		signal = syscall.SIGKILL
	}
	_ = syscall.Kill(-leader, signal)
}

// GroupAlive reports whether the group of leader has a process.
func GroupAlive(leader int) bool { return syscall.Kill(-leader, 0) == nil }
