package telemetry

import (
	"fmt"
	"io/fs"
	"os"
	"path"
	"strconv"
	"strings"
)

// machineMemory returns the memory that the process may take, 0 if it is not known, and
// what it is the memory of.
func machineMemory() (bytes int64, whose string) { return memoryIn(os.DirFS("/")) }

// memoryIn is machineMemory for a tree of files: the least of what the machine has, what
// the control groups of the process, of either version, allow, and what is left of the
// address space that the process may have: Go takes more of that than it uses.
func memoryIn(files fs.FS) (least int64, whose string) {
	text, _ := fs.ReadFile(files, "proc/meminfo")
	whose = machine
	for line := range strings.Lines(string(text)) {
		if rest, ok := strings.CutPrefix(line, "MemTotal:"); ok {
			kb, _ := strconv.ParseInt(strings.TrimSuffix(strings.TrimSpace(rest), " kB"), 10, 64)
			least = kb << 10
		}
	}
	groups, _ := fs.ReadFile(files, "proc/self/cgroup")
	for line := range strings.Lines(string(groups)) {
		parts := strings.SplitN(strings.TrimSpace(line), ":", 3)
		if len(parts) < 3 {
			continue
		}
		root, file := "sys/fs/cgroup", "memory.max"
		switch {
		case parts[1] == "memory":
			root, file = "sys/fs/cgroup/memory", "memory.limit_in_bytes"
		case parts[1] != "":
			continue
		}
		for dir := path.Join("/", parts[2]); ; dir = path.Dir(dir) {
			limit, _ := fs.ReadFile(files, path.Join(root, dir, file))
			if n, err := strconv.ParseInt(strings.TrimSpace(string(limit)), 10, 64); err == nil && n > 0 && (least == 0 || n < least) {
				least, whose = n, controlGroup
			}
			if dir == "/" {
				break
			}
		}
	}
	limits, _ := fs.ReadFile(files, "proc/self/limits")
	for line := range strings.Lines(string(limits)) {
		var most, used int64
		if n, _ := fmt.Sscanf(line, "Max address space %d", &most); n == 0 {
			continue
		}
		taken, _ := fs.ReadFile(files, "proc/self/statm")
		_, _ = fmt.Sscan(string(taken), &used) // 0 if it is not known
		if left := max(most-used*int64(os.Getpagesize()), most/8); least == 0 || left < least {
			least, whose = left, addressSpace
		}
	}
	return least, whose
}
