package telemetry

import (
	"fmt"
	"os"
	"testing"
	"testing/fstest"
)

func limits(addressSpace string) string {
	return "Limit                     Soft Limit           Hard Limit           Units\nMax cpu time              unlimited            unlimited            seconds\nMax address space         " + addressSpace + "           unlimited            bytes\n"
}

// TestTheSmallestLimitCounts: what the operator says is not more than what the process may
// take; half of it if nobody says.
func TestTheSmallestLimitCounts(t *testing.T) {
	for _, test := range []struct {
		said, there int64
		whose       string
		want        int64
		why         string
	}{
		{0, 8 << 30, machine, 4 << 30, "half of the memory of the machine"},
		{0, 2 << 30, addressSpace, 1 << 30, "half of the memory that ulimit -v leaves"},
		{0, 0, machine, 2 << 30, "the memory of the machine is not known"},
		{1 << 30, 8 << 30, machine, 1 << 30, "limits.memoryMB"},
		{16 << 30, 8 << 30, machine, 16 << 30, "limits.memoryMB"}, // there may be swap
		{16 << 30, 0, machine, 16 << 30, "limits.memoryMB"},
		{1 << 30, 2 << 30, controlGroup, 1 << 30, "limits.memoryMB"},
		{16 << 30, 2 << 30, controlGroup, 2 << 30, "the memory of the control group, which is less than limits.memoryMB"},
		{16 << 30, 3 << 30, addressSpace, 3 << 30, "the memory that ulimit -v leaves, which is less than limits.memoryMB"},
	} {
		if got, why := memory(test.said, test.there, test.whose); got != test.want || why != test.why {
			t.Errorf("%d said, %d of %s: %d because of %s, want %d because of %s", test.said, test.there, test.whose, got, why, test.want, test.why)
		}
	}
}

func TestMachineMemory(t *testing.T) {
	meminfo := "MemFree: 1 kB\nMemTotal:       8388608 kB\n"
	for name, test := range map[string]struct {
		files map[string]string
		want  int64
		whose string
	}{
		"nothing known":       {nil, 0, machine},
		"machine":             {map[string]string{"proc/meminfo": meminfo}, 8 << 30, machine},
		"no limit":            {map[string]string{"proc/meminfo": meminfo, "proc/self/cgroup": "0::/\n", "sys/fs/cgroup/memory.max": "max\n"}, 8 << 30, machine},
		"container":           {map[string]string{"proc/meminfo": meminfo, "proc/self/cgroup": "0::/\n", "sys/fs/cgroup/memory.max": "536870912\n"}, 512 << 20, controlGroup},
		"enclosing group":     {map[string]string{"proc/meminfo": meminfo, "proc/self/cgroup": "0::/a/b\n", "sys/fs/cgroup/a/memory.max": "1073741824\n", "sys/fs/cgroup/a/b/memory.max": "max\n"}, 1 << 30, controlGroup},
		"version 1":           {map[string]string{"proc/meminfo": meminfo, "proc/self/cgroup": "5:cpu:/x\n4:memory:/x\n", "sys/fs/cgroup/memory/x/memory.limit_in_bytes": "2147483648\n"}, 2 << 30, controlGroup},
		"version 1, no limit": {map[string]string{"proc/meminfo": meminfo, "proc/self/cgroup": "4:memory:/\n", "sys/fs/cgroup/memory/memory.limit_in_bytes": "9223372036854771712\n"}, 8 << 30, machine},
		"address space":       {map[string]string{"proc/meminfo": meminfo, "proc/self/limits": limits("4294967296"), "proc/self/statm": fmt.Sprintf("%d 1 1 1 0 1 0\n", 1<<30/os.Getpagesize())}, 3 << 30, addressSpace},
		"nearly all is taken": {map[string]string{"proc/meminfo": meminfo, "proc/self/limits": limits("4294967296"), "proc/self/statm": fmt.Sprintf("%d 1 1 1 0 1 0\n", 4<<30/os.Getpagesize())}, 512 << 20, addressSpace},
		"no address limit":    {map[string]string{"proc/meminfo": meminfo, "proc/self/limits": limits("unlimited"), "proc/self/statm": "1 1\n"}, 8 << 30, machine},
		"group is less":       {map[string]string{"proc/meminfo": meminfo, "proc/self/cgroup": "0::/\n", "sys/fs/cgroup/memory.max": "536870912\n", "proc/self/limits": limits("4294967296")}, 512 << 20, controlGroup},
	} {
		files := fstest.MapFS{}
		for file, text := range test.files {
			files[file] = &fstest.MapFile{Data: []byte(text)}
		}
		if got, whose := memoryIn(files); got != test.want || whose != test.whose {
			t.Errorf("%s: %d bytes of %s, want %d of %s", name, got, whose, test.want, test.whose)
		}
	}
}
