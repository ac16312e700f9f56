package telemetry

import (
	"math"
	"os"
	"runtime/debug"
)

// unknownMachine is the memory of a machine that does not say how much it has.
const unknownMachine = 4 << 30

// DefaultMemory is how much memory the program takes unless the operator says: what
// GOMEMLIMIT says, else half of the machine's or of its control group's.
func DefaultMemory() int64 {
	if limit := debug.SetMemoryLimit(-1); limit != math.MaxInt64 {
		return limit
	}
	memory := machineMemory()
	if memory <= 0 {
		memory = unknownMachine
	}
	return memory / 2
}

// LimitMemory makes so many bytes the collector's limit, unless GOMEMLIMIT has.
func LimitMemory(bytes int64) {
	if os.Getenv("GOMEMLIMIT") == "" {
		debug.SetMemoryLimit(bytes)
	}
}
