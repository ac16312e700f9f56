package hooks

import (
	"bytes"
	"errors"
	"os"
	"strconv"
	"syscall"
)

// confine bounds the memory of the process to what it has now and [Memory], and keeps it
// from opening any file or connection.
func confine() error {
	status, err := os.ReadFile("/proc/self/status")
	if err != nil {
		return err
	}
	_, rest, _ := bytes.Cut(status, []byte("VmData:"))
	fields := bytes.Fields(rest)
	if len(fields) == 0 {
		return errors.New("/proc/self/status has no VmData")
	}
	kilobytes, err := strconv.ParseUint(string(fields[0]), 10, 64)
	if err != nil {
		return err
	}
	for limit, value := range map[int]uint64{syscall.RLIMIT_DATA: kilobytes<<10 + Memory, syscall.RLIMIT_NOFILE: 0, syscall.RLIMIT_FSIZE: 0, syscall.RLIMIT_CORE: 0} {
		if err := syscall.Setrlimit(limit, &syscall.Rlimit{Cur: value, Max: value}); err != nil {
			return err
		}
	}
	return nil
}
