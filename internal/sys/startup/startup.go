// Package startup keeps the collector from running while the packages of the program are
// initialized: they allocate some megabytes, and most stay. A program imports it for
// this effect and sets what it wants when it begins. It imports nothing of ours, so that
// it is initialized before what allocates.
package startup

import (
	"os"
	"runtime/debug"
)

// percent lets the heap grow to 16 MB before it is collected first.
const percent = 400

var _ = postpone()

// postpone raises the bound of the first collection, unless the operator has set one.
func postpone() bool {
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(percent)
	}
	return true
}
