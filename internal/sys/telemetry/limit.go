package telemetry

import (
	"math"
	"os"
	"runtime/debug"
)

// unknownMachine is the memory of a machine that does not say how much it has.
const unknownMachine = 4 << 30

// Memory is how much memory the program takes, in bytes, and why: what GOMEMLIMIT says, else
// what the operator says (0 is nothing), but not more than the control group and ulimit -v
// allow. Without a setting it is half of the machine's.
func Memory(said int64) (bytes int64, why string) {
	if os.Getenv(memoryVariable) != "" {
		said = 0
	}
	if limit := debug.SetMemoryLimit(-1); said == 0 && limit != math.MaxInt64 {
		return limit, memoryVariable
	}
	there, whose := machineMemory()
	return memory(said, there, whose)
}

func memory(said, there int64, whose string) (bytes int64, why string) {
	switch {
	case said > 0 && (there <= 0 || whose == machine || said <= there):
		return said, "limits.memoryMB"
	case said > 0:
		return there, whose + ", which is less than limits.memoryMB"
	case there <= 0:
		return unknownMachine / 2, "the memory of the machine is not known"
	}
	return there / 2, "half of " + whose
}

// What memory the program may take.
const (
	machine      = "the memory of the machine"
	controlGroup = "the memory of the control group"
	addressSpace = "the memory that ulimit -v leaves"
)

const memoryVariable = "GOMEMLIMIT"

// LimitMemory makes so many bytes the collector's limit, unless GOMEMLIMIT has.
func LimitMemory(bytes int64) {
	if os.Getenv(memoryVariable) == "" {
		debug.SetMemoryLimit(bytes)
	}
}
