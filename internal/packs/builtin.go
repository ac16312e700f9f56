package packs

import (
	"embed"
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"sync"

	"github.com/patchbay-mcp/patchbay/diag"
)

// BuiltinPrefix begins the place of a pack that is in the binary, such as
// builtin:workflow. All other places are folders.
const BuiltinPrefix = "builtin:"

//go:embed builtin
var builtinFiles embed.FS

// Builtin returns the names of the packs in the binary, sorted.
func Builtin() []string {
	var names []string
	entries, _ := fs.ReadDir(builtinFiles, "builtin") // it is there, or the program does not compile
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return names
}

// A readResult is what a pack in the binary contains.
type readResult struct {
	pack  *Pack
	found []Finding
	err   error
}

var (
	builtinMu   sync.Mutex
	builtinRead = map[string]readResult{} // those that were asked for
)

// Load is [LoadPack] for the place of a pack: a folder, or [BuiltinPrefix] and a
// name. A pack in the binary is decoded when it is first asked for.
func Load(place string) (*Pack, []Finding, error) {
	name, ok := strings.CutPrefix(place, BuiltinPrefix)
	if !ok {
		return LoadPack(place)
	}
	if !slices.Contains(Builtin(), name) {
		return nil, nil, fmt.Errorf("there is no built-in knowledge pack %q; the built-in ones are %s", name, diag.OneOf(Builtin(), 12))
	}
	builtinMu.Lock()
	defer builtinMu.Unlock()
	r, ok := builtinRead[name]
	if !ok {
		dir, err := fs.Sub(builtinFiles, "builtin/"+name)
		if err == nil {
			r.pack, r.found, err = ReadPack(dir)
		}
		r.err = err
		builtinRead[name] = r
	}
	return r.pack, r.found, r.err
}
