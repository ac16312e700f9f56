package workspace

import (
	"io/fs"
	"time"

	"golang.org/x/sys/unix"

	"github.com/patchbay-mcp/patchbay/internal/sys/files"
)

// times returns when a file was created and last read. Where the file system
// keeps no creation time, or the file cannot be opened, its modification time
// is used instead.
func (f *folder) times(rel string, info fs.FileInfo) (created, accessed time.Time) {
	created, accessed = info.ModTime(), info.ModTime()
	if !info.Mode().IsRegular() && !info.IsDir() {
		return created, accessed
	}
	file, err := f.root.OpenFile(rel, files.OpenAtOnce, 0)
	if err != nil {
		return created, accessed
	}
	defer func() { _ = file.Close() }()
	var s unix.Statx_t
	if unix.Statx(int(file.Fd()), "", unix.AT_EMPTY_PATH, unix.STATX_BTIME|unix.STATX_ATIME, &s) != nil {
		return created, accessed
	}
	if s.Mask&unix.STATX_BTIME != 0 {
		created = time.Unix(s.Btime.Sec, int64(s.Btime.Nsec))
	}
	return created, time.Unix(s.Atime.Sec, int64(s.Atime.Nsec))
}
