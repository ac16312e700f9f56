package testenv

import (
	"math/rand/v2"
	"slices"
	"sync"
	"time"
)

// reference is how long work takes on a machine that has nothing else to do.
const reference = 20 * time.Millisecond

// slowness is by how much longer work takes here and now, at least 1.
var slowness = sync.OnceValue(func() float64 {
	began := time.Now()
	work()
	return max(1, float64(time.Since(began))/float64(reference))
})

// work is of the kind that tests do, so that the race detector slows it down as much.
func work() {
	numbers := make([]uint64, 1<<18)
	for r, i := rand.NewPCG(1, 2), 0; i < len(numbers); i++ {
		numbers[i] = r.Uint64()
	}
	slices.Sort(numbers)
}

// Limit is a limit of wall time for what takes less than d on a machine that has nothing
// else to do: on one that is slow, or busy when the first test asks, it is longer. Load
// comes and goes, so what was measured counts twice.
func Limit(d time.Duration) time.Duration {
	return time.Duration(float64(d) * (2*slowness() - 1))
}
