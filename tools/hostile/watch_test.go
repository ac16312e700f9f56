//go:build linux

package hostile

import (
	"encoding/binary"
	"io/fs"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
)

// A watch notes which files of watched folders are opened, made, changed or deleted. The
// kernel queues what happens at once, so after the end of a process nothing of it is missing.
type watch struct {
	fd  int
	mu  sync.Mutex
	at  map[int32]string    // folders
	got map[string][]string // by folder
}

func newWatch(t *testing.T) *watch {
	fd, err := syscall.InotifyInit1(syscall.IN_CLOEXEC | syscall.IN_NONBLOCK)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = syscall.Close(fd) })
	return &watch{fd: fd, at: map[int32]string{}, got: map[string][]string{}}
}

// add watches a folder and all in it.
func (w *watch) add(t *testing.T, root string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	err := filepath.WalkDir(root, func(path string, e fs.DirEntry, err error) error {
		if err != nil || !e.IsDir() {
			return err
		}
		wd, err := syscall.InotifyAddWatch(w.fd, path, syscall.IN_OPEN|syscall.IN_MODIFY|syscall.IN_CREATE|syscall.IN_DELETE|syscall.IN_MOVE)
		w.at[int32(wd)] = path
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	w.read(t)
	for dir := range w.got { // walking opens folders
		if isBelow(dir, root) {
			delete(w.got, dir)
		}
	}
}

func isBelow(path, root string) bool { return path == root || strings.HasPrefix(path, root+"/") }

// below returns what has happened in a folder and below.
func (w *watch) below(t *testing.T, root string) (touched []string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.read(t)
	for dir, names := range w.got {
		if isBelow(dir, root) {
			touched = append(touched, names...)
		}
	}
	return touched
}

// read reads all that is queued.
func (w *watch) read(t *testing.T) {
	buffer := make([]byte, 64<<10)
	for {
		n, err := syscall.Read(w.fd, buffer)
		if err == syscall.EAGAIN {
			return
		}
		if err != nil || n <= 0 {
			t.Fatal("inotify", n, err)
		}
		for b := buffer[:n]; len(b) >= syscall.SizeofInotifyEvent; {
			wd, mask, size := int32(binary.NativeEndian.Uint32(b)), binary.NativeEndian.Uint32(b[4:]), binary.NativeEndian.Uint32(b[12:])
			if mask&syscall.IN_Q_OVERFLOW != 0 {
				t.Fatal("inotify lost events")
			}
			name := strings.TrimRight(string(b[syscall.SizeofInotifyEvent:][:size]), "\x00")
			dir := w.at[wd]
			w.got[dir] = append(w.got[dir], filepath.Join(dir, name))
			b = b[syscall.SizeofInotifyEvent+size:]
		}
	}
}
