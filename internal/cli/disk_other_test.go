//go:build !linux

package cli

import (
	"os"
	"testing"
)

func surviveFullDisk() {}

func fillDisk(t *testing.T, _ *os.Process) {
	t.Helper()
	t.Skip("only Linux limits the files of a running process")
}
