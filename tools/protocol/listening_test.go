package protocol

import (
	"fmt"
	"os"
	"strconv"
	"strings"
)

// listening is the TCP port of IPv4 at which a process listens, 0 if there is none yet.
func listening(pid int) int {
	b, err := os.ReadFile("/proc/net/tcp")
	if err != nil {
		return 0
	}
	ports := map[string]int{} // of the sockets that listen, by inode
	for line := range strings.Lines(string(b)) {
		const address, state, inode, listens = 1, 3, 9, "0A"
		f := strings.Fields(line)
		if len(f) <= inode || f[state] != listens {
			continue
		}
		_, hex, _ := strings.Cut(f[address], ":")
		if port, err := strconv.ParseUint(hex, 16, 16); err == nil {
			ports["socket:["+f[inode]+"]"] = int(port)
		}
	}
	dir := fmt.Sprintf("/proc/%d/fd/", pid)
	open, err := os.ReadDir(dir)
	if err != nil {
		return 0
	}
	for _, fd := range open {
		if target, err := os.Readlink(dir + fd.Name()); err == nil && ports[target] != 0 {
			return ports[target]
		}
	}
	return 0
}
