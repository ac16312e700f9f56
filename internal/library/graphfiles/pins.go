package graphfiles

import (
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/internal/sys/files"
	"github.com/patchbay-mcp/patchbay/internal/sys/formats"
)

// pinsDir is the folder of the pins, in the folder of saved graphs: a file for each
// graph that uses tools.
const pinsDir = ".pins"

// maxPins is the size in bytes of the largest file of pins that is read.
const maxPins = 64 << 20

// A ToolPin is the definition that a tool had when a graph that uses it was saved.
type ToolPin struct {
	Hash       string          `json:"hash"`
	Version    string          `json:"version,omitempty"`    // that its server gave itself
	Definition json.RawMessage `json:"definition,omitempty"` // absent if it is large
	Endpoint   string          `json:"endpoint,omitempty"`   // of an API's tool, which has nothing else: method and path
}

// Pins are those of the tools that a graph uses, by server/tool.
type Pins map[string]ToolPin

// cachedPins are those of a graph as they were read.
type cachedPins struct {
	at    time.Time   // when the file was looked at last
	info  fs.FileInfo // nil: it was not there
	pins  Pins
	fault *diag.Fault
}

func pinsFile(name string) string { return pinsDir + "/" + name + ".json" }

// Pins returns the pins of a graph: none for one that was written by hand, or saved
// without. The pins must not be changed.
//
// Faults: broken-graph.
func (g *Graphs) Pins(name string) (Pins, *diag.Fault) {
	if checkName(name) != nil {
		return nil, nil
	}
	g.mu.Lock()
	known := g.pins[name]
	g.mu.Unlock()
	now := cachedPins{at: time.Now()}
	now.info, _ = os.Lstat(filepath.Join(g.dir, pinsFile(name)))
	switch was, is := known.info, now.info; {
	case is == nil && was == nil && !known.at.IsZero(), is != nil && was != nil && is.Size() == was.Size() && is.ModTime().Equal(was.ModTime()) && known.at.Sub(was.ModTime()) > settling:
		now.pins, now.fault = known.pins, known.fault
	default:
		now.pins, now.fault = g.readPins(name)
	}
	g.mu.Lock()
	g.pins[name] = now
	g.mu.Unlock()
	return now.pins, now.fault
}

func (g *Graphs) readPins(name string) (Pins, *diag.Fault) {
	b, err := files.Folder(g.dir).Read(pinsFile(name), maxPins)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	var pins Pins
	if err == nil {
		err = formats.GraphPins.Decode(b, &pins)
	}
	if err != nil {
		f := diag.Faultf(CodeBrokenGraph, "the pins of graph %q cannot be read: %w", name, files.Reason(err))
		f.Hint = "patchbay graphs approve " + name + " pins its tools as they are now"
		if _, newer := errors.AsType[*formats.NewerError](err); newer {
			f.Hint = formats.Hint
		}
		return nil, f
	}
	return pins, nil
}

// Repin replaces the pins of a saved graph.
//
// Faults: unknown-graph, graphs-busy, not-saved.
func (g *Graphs) Repin(name string, pins Pins) *diag.Fault {
	unlock, f := g.lock()
	if f != nil {
		return f
	}
	defer unlock()
	if _, f := g.Get(name); f != nil {
		return f
	}
	if err := g.writePins(name, pins); err != nil {
		return notSaved(name, err)
	}
	return nil
}

// writePins replaces the pins of a graph; none removes them. The caller holds the lock.
func (g *Graphs) writePins(name string, pins Pins) error {
	defer func() {
		g.mu.Lock()
		delete(g.pins, name)
		g.mu.Unlock()
	}()
	if len(pins) == 0 {
		return files.Folder(g.dir).Remove(pinsFile(name))
	}
	b, err := json.MarshalIndent(formats.GraphPins.Wrap(pins), "", "  ")
	if err != nil {
		return err
	}
	return files.Folder(g.dir).Write(pinsFile(name), append(b, '\n'), 0o644)
}
