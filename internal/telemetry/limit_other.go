//go:build !linux && !darwin && !windows

package telemetry

// machineMemory returns 0: the memory of the machine is not known.
func machineMemory() int64 { return 0 }
