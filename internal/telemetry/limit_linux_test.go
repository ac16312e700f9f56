package telemetry

import (
	"testing"
	"testing/fstest"
)

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
	} {
		files := fstest.MapFS{}
		for file, text := range test.files {
			files[file] = &fstest.MapFile{Data: []byte(text)}
		}
		if got, whose := memoryIn(files); got != test.want || whose != test.whose {
			t.Errorf("%s: %d bytes of the %s, want %d of the %s", name, got, whose, test.want, test.whose)
		}
	}
}
