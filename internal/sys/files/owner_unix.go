//go:build unix

package files

import (
	"io/fs"
	"os"
	"syscall"
)

// keepOwner gives f the owner and the group of another file, or the group alone, as far
// as this process may.
func keepOwner(f *os.File, of fs.FileInfo) {
	if s, ok := of.Sys().(*syscall.Stat_t); ok && f.Chown(int(s.Uid), int(s.Gid)) != nil {
		_ = f.Chown(-1, int(s.Gid))
	}
}
