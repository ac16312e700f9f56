//go:build unix

package cli

import (
	"os"
	"os/signal"
	"syscall"
)

// reloadSignals gets a value for each SIGHUP, until stop is called.
func reloadSignals() (signals <-chan os.Signal, stop func()) {
	c := make(chan os.Signal, 1)
	signal.Notify(c, syscall.SIGHUP)
	return c, func() { signal.Stop(c) }
}
