package telemetry

import "golang.org/x/sys/unix"

// machineMemory returns the memory of the machine, 0 if it is not known.
func machineMemory() (bytes int64, whose string) {
	n, _ := unix.SysctlUint64("hw.memsize")
	return int64(n), machine
}
