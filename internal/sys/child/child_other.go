//go:build !unix && !windows

package child

import (
	"os/exec"
)

func ownGroup(*exec.Cmd) {}

func adopt(*exec.Cmd) error { return nil }

// SignalGroup does nothing where there are no process groups: children end
// with their input.
func SignalGroup(int, bool) {}

// GroupAlive reports false: there are no groups.
func GroupAlive(int) bool { return false }
