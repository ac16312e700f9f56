package formats

import (
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"sync"

	"github.com/patchbay-mcp/patchbay/internal/sys/files"
)

// maxShared is the size in bytes of the largest file that is read.
const maxShared = 64 << 20

// A Shared is a JSON file that processes share, or memory: a value that one of them changes is
// read by the others. It is safe for concurrent use.
type Shared[T any] struct {
	Path   string // "" is memory
	Format Format
	Anew   bool // what is damaged is empty when it is changed

	mu    sync.Mutex
	seen  fs.FileInfo // of the file, when it was read
	value T
	err   error
	text  []byte // of memory
}

// Read returns the value, which must not be changed: the zero one if there is no file yet, or
// with the error if it cannot be read. The file is read again when it has changed.
func (s *Shared[T]) Read() (T, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.Path == "" {
		return s.value, nil
	}
	info, _ := os.Stat(s.Path)
	if info != nil && files.Unchanged(s.seen, info) {
		return s.value, s.err
	}
	text, err := files.Read(s.Path, maxShared)
	if err == nil {
		s.value, s.err = s.decode(text)
	} else {
		s.value, s.err = *new(T), err
	}
	if errors.Is(err, fs.ErrNotExist) {
		s.err = nil
	}
	s.seen = info
	return s.value, s.err
}

// Change has f change the value that there is now.
func (s *Shared[T]) Change(f func(*T)) error {
	change := func(old []byte) ([]byte, error) {
		value, err := s.decode(old)
		if err != nil && (!s.Anew || errors.As(err, new(*NewerError))) {
			return nil, err
		}
		f(&value)
		text, err := json.MarshalIndent(s.Format.Wrap(value), "", "  ")
		return append(text, '\n'), err
	}
	if s.Path != "" {
		return files.Update(s.Path, 0o600, change)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	text, err := change(s.text)
	if err == nil {
		s.text = text
		s.value, err = s.decode(text)
	}
	return err
}

func (s *Shared[T]) decode(text []byte) (value T, _ error) {
	if len(text) == 0 {
		return value, nil
	}
	if err := s.Format.Decode(text, &value); err != nil {
		return *new(T), err
	}
	return value, nil
}
