package search

import (
	"runtime"
	"syscall"
	"time"
	"unsafe"
)

// Linux's CLOCK_PROCESS_CPUTIME_ID and CLOCK_THREAD_CPUTIME_ID.
const processClock, threadClock = 2, 3

// threadCPU is the processor time of use, which stays on one thread.
func threadCPU(use func()) time.Duration {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	began := cpu(threadClock)
	use()
	return cpu(threadClock) - began
}

// processCPU is the processor time of use and of everything that runs meanwhile,
// the collector included.
func processCPU(use func()) time.Duration {
	began := cpu(processClock)
	use()
	return cpu(processClock) - began
}

func cpu(clock uintptr) time.Duration {
	var now syscall.Timespec
	if _, _, errno := syscall.Syscall(syscall.SYS_CLOCK_GETTIME, clock, uintptr(unsafe.Pointer(&now)), 0); errno != 0 {
		panic(errno)
	}
	return time.Duration(now.Nano())
}
