package telemetry

import (
	"unsafe"

	"golang.org/x/sys/windows"
)

// machineMemory returns the memory of the machine, 0 if it is not known.
func machineMemory() (bytes int64, whose string) {
	status := struct {
		length, load uint32
		total        uint64
		_            [6]uint64
	}{}
	status.length = uint32(unsafe.Sizeof(status))
	if ok, _, _ := windows.NewLazySystemDLL("kernel32.dll").NewProc("GlobalMemoryStatusEx").Call(uintptr(unsafe.Pointer(&status))); ok == 0 {
		return 0, machine
	}
	return int64(status.total), machine
}
