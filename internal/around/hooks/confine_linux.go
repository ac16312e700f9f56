package hooks

import (
	"bytes"
	"errors"
	"os"
	"strconv"
	"syscall"
)

// arena is how much address space the Go runtime reserves at a time.
const arena = 64 << 20

// confine bounds the memory of the process to what it has now and [Memory], and keeps it
// from opening any file or connection. The kernel does not count what replaces reserved
// address space, so a single allocation could exceed the bound of the data: the address
// space is bounded, too.
func confine() error {
	status, err := os.ReadFile("/proc/self/status")
	if err != nil {
		return err
	}
	data, err := sizeIn(status, "VmData:")
	if err != nil {
		return err
	}
	space, err := sizeIn(status, "VmSize:")
	if err != nil {
		return err
	}
	for limit, value := range map[int]uint64{syscall.RLIMIT_DATA: data + Memory, syscall.RLIMIT_AS: space + Memory + arena, syscall.RLIMIT_NOFILE: 0, syscall.RLIMIT_FSIZE: 0, syscall.RLIMIT_CORE: 0} {
		if err := syscall.Setrlimit(limit, &syscall.Rlimit{Cur: value, Max: value}); err != nil {
			return err
		}
	}
	return nil
}

// sizeIn returns a size in /proc/self/status in bytes.
func sizeIn(status []byte, name string) (uint64, error) {
	_, rest, _ := bytes.Cut(status, []byte(name))
	fields := bytes.Fields(rest)
	if len(fields) == 0 {
		return 0, errors.New("/proc/self/status has no " + name)
	}
	kilobytes, err := strconv.ParseUint(string(fields[0]), 10, 64)
	return kilobytes << 10, err
}
