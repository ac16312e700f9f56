package telemetry

import (
	"math"
	"os"
	"runtime/debug"
)

// unknownMachine is the memory of a machine that does not say how much it has.
const unknownMachine = 4 << 30

// DefaultMemory is how much memory the program takes unless the operator says, in
// bytes, and why: what GOMEMLIMIT says, else half of the machine's or of its control
// group's.
func DefaultMemory() (bytes int64, why string) {
	if limit := debug.SetMemoryLimit(-1); limit != math.MaxInt64 {
		return limit, memoryVariable
	}
	memory, whose := machineMemory()
	if memory <= 0 {
		return unknownMachine / 2, "the memory of the machine is not known"
	}
	return memory / 2, "half of the memory of the " + whose
}

// What the memory that the program may take is the memory of.
const (
	machine      = "machine"
	controlGroup = "control group"
)

const memoryVariable = "GOMEMLIMIT"

// LimitMemory makes so many bytes the collector's limit, unless GOMEMLIMIT has.
func LimitMemory(bytes int64) {
	if os.Getenv(memoryVariable) == "" {
		debug.SetMemoryLimit(bytes)
	}
}
