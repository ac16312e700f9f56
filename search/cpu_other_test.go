//go:build !linux

package search

import "time"

// threadCPU and processCPU are wall time where the system does not say more.
func threadCPU(use func()) time.Duration {
	began := time.Now()
	use()
	return time.Since(began)
}

func processCPU(use func()) time.Duration { return threadCPU(use) }
