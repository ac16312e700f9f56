//go:build race

package expr

// raceEnabled is whether the race detector is: it takes ten times the time and
// memory, so tests that measure either mean nothing.
const raceEnabled = true
