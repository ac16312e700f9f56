package telemetry

import "golang.org/x/sys/unix"

// machineMemory returns the memory of the machine, 0 if it is not known.
func machineMemory() int64 {
	n, _ := unix.SysctlUint64("hw.memsize")
	return int64(n)
}
