//go:build unix

package downstream

import (
	"os/exec"
	"syscall"
)

// ownGroup makes the command the leader of a new process group.
func ownGroup(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	diesWithUs(cmd.SysProcAttr)
}

// signalGroup asks the group of leader to end, or kills it.
func signalGroup(leader int, kill bool) {
	signal := syscall.SIGTERM
	if kill {
		signal = syscall.SIGKILL
	}
	_ = syscall.Kill(-leader, signal)
}

func groupAlive(leader int) bool { return syscall.Kill(-leader, 0) == nil }
