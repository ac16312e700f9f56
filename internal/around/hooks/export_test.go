package hooks

// ExitMemory is how a process ends that has watched its memory.
const ExitMemory = exitMemory

var eaten [64][]byte

// EatWatched takes memory in a process that watches its own.
func EatWatched() {
	go watchMemory(memoryInUse() + 16<<20)
	for i := range eaten {
		eaten[i] = make([]byte, 1<<20)
	}
	select {} // until it is stopped
}
