package app

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"github.com/google/renameio/v2/maybe"
)

// file is where the cases of a graph are shared.
func (p *passedCases) file(key passedKey) string {
	sum := sha256.Sum256(append([]byte(key.owner+"\x00"), key.nodes[:]...))
	return filepath.Join(p.dir, hex.EncodeToString(sum[:16])+".json")
}

// share writes the cases of a graph for later processes of the user, and deletes what
// is too old or too much. Cases that cannot be written are known to this process only.
func (p *passedCases) share(key passedKey) {
	p.mu.Lock()
	defer p.mu.Unlock()
	g := p.of[key]
	if p.dir == "" || g == nil || os.MkdirAll(p.dir, 0o700) != nil {
		return
	}
	if b, err := json.Marshal(g.cases); err == nil {
		_ = maybe.WriteFile(p.file(key), b, 0o600)
	}
	p.tidy()
}

// shared reads the cases that a process has shared. The caller holds the lock.
func (p *passedCases) shared(key passedKey) []passedCase {
	if p.dir == "" {
		return nil
	}
	info, err := os.Stat(p.file(key))
	if err != nil || info.Size() > MaxDraftText || p.now().Sub(info.ModTime()) > DraftLifetime {
		return nil
	}
	b, err := os.ReadFile(p.file(key))
	var cases []passedCase
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
	var files []fs.FileInfo
	for _, e := range entries {
		if info, err := e.Info(); err == nil && !e.IsDir() {
			files = append(files, info)
		}
	}
	slices.SortFunc(files, func(a, b fs.FileInfo) int { return cmp.Compare(b.ModTime().UnixNano(), a.ModTime().UnixNano()) })
	var size int64
	for _, f := range files {
		if size += f.Size(); size > MaxDraftText || p.now().Sub(f.ModTime()) > DraftLifetime {
			_ = os.Remove(filepath.Join(p.dir, f.Name()))
		}
	}
}
