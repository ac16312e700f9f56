//go:build !linux && !darwin && !windows

package telemetry

// machineMemory returns 0: the memory of the machine is not known.
func machineMemory() (bytes int64, whose string) { return 0, machine }
