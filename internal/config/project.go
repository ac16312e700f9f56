package config

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"path/filepath"
)

// project identifies the configuration: the file, else the working directory. A
// file that was not named on the command line serves every directory, and tools of
// the workspace act on its root, so these count as well.
func (l *loader) project() string {
	var parts []string
	if l.cfg.File != "" {
		parts = append(parts, l.cfg.File)
	}
	if l.o.File == "" || l.cfg.File == "" {
		parts = append(parts, l.o.Dir)
	}
	if l.cfg.Workspace {
		parts = append(parts, l.cfg.Root)
	}
	h := sha256.New()
	for _, path := range parts {
		if resolved, err := filepath.EvalSymlinks(path); err == nil {
			path = resolved
		}
		fmt.Fprintf(h, "%s\x00", path)
	}
	return hex.EncodeToString(h.Sum(nil)[:16])
}
