//go:build !unix

package cli

import "os"

// reloadSignals gets nothing: there is no SIGHUP.
func reloadSignals() (signals <-chan os.Signal, stop func()) { return nil, func() {} }
