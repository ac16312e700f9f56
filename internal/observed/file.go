package observed

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/google/renameio/v2/maybe"

	"github.com/patchbay-mcp/patchbay/internal/files"
	"github.com/patchbay-mcp/patchbay/internal/formats"
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
	put    func(path string, data []byte) error

	mu      sync.Mutex
	latest  func() map[string]Output // what is to be written, or nil
	newer   bool                     // a later version of the program wrote the file, which stays as it is
	writing bool
	idle    chan struct{} // closed when nothing is being written
}

func newFile(dir, project string, redact func(json.RawMessage) json.RawMessage) *file {
	name := "observed.json"
	if project != "" {
		name = "observed-" + project + ".json"
	}
	return &file{path: filepath.Join(dir, name), redact: redact, put: put}
}

func put(path string, data []byte) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return err
	}
	return maybe.WriteFile(path, data, 0o600)
}

func (f *file) read() map[string]*observation {
	seen := map[string]*observation{}
	b, err := files.Read(f.path, maxFile)
	if err == nil {
		err = formats.Learned.Decode(b, &seen)
	}
	if err != nil {
		_, f.newer = errors.AsType[*formats.NewerError](err)
		return map[string]*observation{}
	}
	for key, s := range seen {
		if s == nil {
			delete(seen, key)
			continue
		}
		learned, _ := schema.TypeOf(s.Schema)
		s.shape = onlyTypes(learned)
	}
	return seen
}

// write has what latest returns written, and returns at once.
func (f *file) write(latest func() map[string]Output) {
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
		b, err := json.Marshal(formats.Learned.Wrap(latest()))
		if err != nil {
			continue
		}
		if f.redact != nil { // the name of a field can be a secret
			b = f.redact(b)
		}
		_ = f.put(f.path, b) // on a full disk it is learned again
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
