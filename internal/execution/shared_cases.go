package execution

import (
	"cmp"
	"encoding/json"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"github.com/patchbay-mcp/patchbay/internal/plans"
	"github.com/patchbay-mcp/patchbay/internal/sys/files"
)

// file is where the cases of a graph are shared.
func (p *passedCases) file(key passedKey) string {
	return filepath.Join(p.dir, files.Hash(key.owner + "\x00" + string(key.nodes[:]))[:32]+".json")
}

// share writes the cases of a graph for later processes of the user, and deletes what
// is too old or too much. Cases that cannot be written are known to this process only.
func (p *passedCases) share(key passedKey) {
	p.mu.Lock()
	defer p.mu.Unlock()
	g := p.of[key]
	if p.dir == "" || g == nil {
		return
	}
	_ = files.Update(p.file(key), 0o600, func([]byte) ([]byte, error) {
		all := slices.DeleteFunc(p.shared(key), func(c PassedCase) bool { // what another process has shared
			return slices.ContainsFunc(g.cases, func(ours PassedCase) bool { return ours.ID == c.ID })
		})
		all = append(all, g.cases...)
		return json.Marshal(all[max(0, len(all)-2*plans.MaxCases):])
	})
	p.tidy()
}

// shared reads the cases that a process has shared. The caller holds the lock.
func (p *passedCases) shared(key passedKey) []PassedCase {
	if p.dir == "" {
		return nil
	}
	info, err := os.Stat(p.file(key))
	if err != nil || info.Size() > plans.MaxDraftText || p.now().Sub(info.ModTime()) > plans.DraftLifetime {
		return nil
	}
	b, err := os.ReadFile(p.file(key))
	var cases []PassedCase
	if err != nil || json.Unmarshal(b, &cases) != nil {
		return nil
	}
	return cases
}

// tidy deletes files of cases: those older than a draft may be, and the oldest beyond
// what drafts may have together.
func (p *passedCases) tidy() {
	entries, err := os.ReadDir(p.dir)
	if err != nil {
		return
	}
	var found []fs.FileInfo
	for _, e := range entries {
		if info, err := e.Info(); err == nil && !e.IsDir() && filepath.Ext(e.Name()) == ".json" {
			found = append(found, info)
		}
	}
	slices.SortFunc(found, func(a, b fs.FileInfo) int { return cmp.Compare(b.ModTime().UnixNano(), a.ModTime().UnixNano()) })
	var size int64
	for _, f := range found {
		if size += f.Size(); size > plans.MaxDraftText || p.now().Sub(f.ModTime()) > plans.DraftLifetime {
			_ = os.Remove(filepath.Join(p.dir, f.Name()))
		}
	}
}
