package hooks

import (
	"os"
	"time"
)

// watchEvery is how often a process looks at its memory that has no bound by the system.
const watchEvery = 10 * time.Millisecond

// watchMemory ends the process when it has more than so many bytes. One allocation can be
// larger before it is seen.
func watchMemory(most uint64) {
	for range time.Tick(watchEvery) {
		if memoryInUse() > most {
			os.Exit(exitMemory)
		}
	}
}
