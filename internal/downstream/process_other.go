//go:build !unix

package downstream

import (
	"os/exec"
)

func ownGroup(*exec.Cmd) {}

// signalGroup does nothing where there are no process groups: children end
// with their input.
func signalGroup(int, bool) {}

func groupAlive(int) bool { return false }
