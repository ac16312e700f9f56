package observed

import (
	"crypto/sha256"
	"encoding/json"
	"errors"
	"io/fs"
	"path/filepath"
	"sync"
	"time"

	"github.com/patchbay-mcp/patchbay/internal/sys/files"
	"github.com/patchbay-mcp/patchbay/internal/sys/formats"
	"github.com/patchbay-mcp/patchbay/schema"
)

// maxFile is the size in bytes of the largest file that is read.
const maxFile = 64 << 20

// maxFlush is how long the end waits for the disk.
const maxFlush = time.Second

// A file keeps what a store knows. It is written on a goroutine of its own, one
// content at a time: while one is written, any number of changes wait as one.
type file struct {
	path   string
	redact func(json.RawMessage) json.RawMessage // what is written; nil: nothing
	update func(path string, perm fs.FileMode, change func(old []byte) ([]byte, error)) error
	last   [sha256.Size]byte // of what was last written here

	mu      sync.Mutex
	latest  merged // what is to be written, or nil
	newer   bool   // a later version of the program wrote the file, which stays as it is
	writing bool
	idle    chan struct{} // closed when nothing is being written
}

func newFile(dir, project string, redact func(json.RawMessage) json.RawMessage) *file {
	name := "observed.json"
	if project != "" {
		name = "observed-" + project + ".json"
	}
	return &file{path: filepath.Join(dir, name), redact: redact, update: files.Update}
}

// merged adds what a file has to what is known, and returns all of it.
type merged func(there map[string]*observation) map[string]Output

func (f *file) read() map[string]*observation {
	b, _ := files.Read(f.path, maxFile)
	seen, err := decode(b)
	_, f.newer = errors.AsType[*formats.NewerError](err)
	return seen
}

// decode returns nothing for what cannot be read.
func decode(b []byte) (map[string]*observation, error) {
	seen := map[string]*observation{}
	if err := formats.Learned.Decode(b, &seen); err != nil {
		return map[string]*observation{}, err
	}
	for key, s := range seen {
		if s == nil {
			delete(seen, key)
			continue
		}
		learned, _ := schema.TypeOf(s.Schema)
		s.shape = onlyTypes(learned)
	}
	return seen, nil
}

// write has what latest returns written, and returns at once.
func (f *file) write(latest merged) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.newer {
		return
	}
	f.latest = latest
	if !f.writing {
		f.writing, f.idle = true, make(chan struct{})
		go f.writeAll()
	}
}

func (f *file) writeAll() {
	for {
		f.mu.Lock()
		latest := f.latest
		f.latest = nil
		if latest == nil {
			f.writing = false
			close(f.idle)
			f.mu.Unlock()
			return
		}
		f.mu.Unlock()
		_ = f.update(f.path, 0o600, func(old []byte) ([]byte, error) { // on a full disk it is learned again
			var there map[string]*observation
			if sha256.Sum256(old) != f.last { // another process has written it
				var err error
				if there, err = decode(old); errors.As(err, new(*formats.NewerError)) {
					return nil, err
				}
			}
			b, err := json.Marshal(formats.Learned.Wrap(latest(there)))
			if err == nil && f.redact != nil { // the name of a field can be a secret
				b = f.redact(b)
			}
			f.last = sha256.Sum256(b)
			return b, err
		})
	}
}

// close waits for what is being written.
func (f *file) close() {
	f.mu.Lock()
	idle := f.idle
	f.mu.Unlock()
	if idle == nil {
		return
	}
	timer := time.NewTimer(maxFlush)
	defer timer.Stop()
	select {
	case <-idle:
	case <-timer.C:
	}
}
