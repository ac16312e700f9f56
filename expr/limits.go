package expr

import (
	"cmp"
	"time"
)

// Limits bound what one expression may cost. A zero field is its default.
type Limits struct {
	Timeout   time.Duration // wall time of one evaluation; 2 s
	MaxBytes  int           // length of an expression that $eval or a rule compiles at run time; 64 KiB
	MaxItems  int           // items of an array that a function makes; 2,000,000
	MaxRange  int           // items of all ranges that an evaluation makes, and of the large arrays that it makes part of others; 10,000,000
	MaxResult int           // bytes of a string in the making, and of a result as JSON; 32 MiB
	MaxHeap   int64         // bytes by which the heap of the process may grow while an evaluation lasts; 256 MiB
}

// maxSource is the largest expression, in bytes, unless Limits say otherwise.
const maxSource = 64 << 10

func (l Limits) withDefaults() Limits {
	l.Timeout = cmp.Or(l.Timeout, 2*time.Second)
	l.MaxBytes = cmp.Or(l.MaxBytes, maxSource)
	l.MaxItems = cmp.Or(l.MaxItems, 2_000_000)
	l.MaxRange = cmp.Or(l.MaxRange, longestRange)
	l.MaxResult = cmp.Or(l.MaxResult, 32<<20)
	l.MaxHeap = cmp.Or(l.MaxHeap, 256<<20)
	return l
}
