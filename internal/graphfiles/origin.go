package graphfiles

import (
	"encoding/json"
	"errors"
	"io/fs"
	"time"

	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/internal/files"
	"github.com/patchbay-mcp/patchbay/internal/formats"
)

// originsDir is the folder of the origins, in the folder of saved graphs.
const originsDir = ".origins"

// An Origin says where a graph was taken from.
type Origin struct {
	Source   string    `json:"source"`
	Commit   string    `json:"commit,omitempty"` // of a git repository
	SHA256   string    `json:"sha256"`           // of what was fetched
	Revision string    `json:"revision"`         // of the graph as it was saved then
	Added    time.Time `json:"added"`
}

func originFile(name string) string { return originsDir + "/" + name + ".json" }

// Origin returns where a saved graph was taken from, nil for one that was made here.
//
// Faults: broken-graph.
func (g *Graphs) Origin(name string) (*Origin, *diag.Fault) {
	if checkName(name) != nil {
		return nil, nil
	}
	b, err := files.Folder(g.dir).Read(originFile(name), 1<<20)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	o := &Origin{}
	if err == nil {
		err = formats.Origins.Decode(b, o)
	}
	if err != nil {
		return nil, diag.Faultf("broken-graph", "the origin of graph %q cannot be read: %w", name, files.Reason(err)).WithHint("graphs add --force takes the graph anew")
	}
	return o, nil
}

// SetOrigin takes note of where a graph was taken from; nil forgets it.
//
// Faults: graphs-busy, not-saved.
func (g *Graphs) SetOrigin(name string, o *Origin) *diag.Fault {
	unlock, f := g.lock()
	if f != nil {
		return f
	}
	defer unlock()
	if err := g.writeOrigin(name, o); err != nil {
		return notSaved(name, err)
	}
	return nil
}

func (g *Graphs) writeOrigin(name string, o *Origin) error {
	if o == nil {
		return files.Folder(g.dir).Remove(originFile(name))
	}
	b, err := json.MarshalIndent(formats.Origins.Wrap(o), "", "  ")
	if err != nil {
		return err
	}
	return files.Folder(g.dir).Write(originFile(name), append(b, '\n'), 0o644)
}
