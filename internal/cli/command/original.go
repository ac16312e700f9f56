package command

import (
	"bytes"
	"context"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
)

// maxOriginals bounds how many earlier texts of a file are kept next to it.
const maxOriginals = 1000

// KeepOriginal writes the text of a file that is about to be rewritten next to it, unless
// git tracks the file, and returns where. It replaces no earlier text: after name.orig
// come name.orig2, name.orig3 and so on. A text that is already kept is not written again.
func KeepOriginal(ctx context.Context, path string) (kept string, err error) {
	if tracked(ctx, path) {
		return "", nil
	}
	info, err := os.Stat(path)
	if err != nil {
		return "", err
	}
	text, err := os.ReadFile(path)
	if err != nil {
		return "", err
	}
	for i := range maxOriginals {
		kept = path + ".orig"
		if i > 0 {
			kept += strconv.Itoa(i + 1)
		}
		if earlier, err := os.ReadFile(kept); err == nil && bytes.Equal(earlier, text) {
			return kept, nil
		}
		switch err := writeNew(kept, text, info.Mode().Perm()); {
		case err == nil:
			return kept, nil
		case !os.IsExist(err):
			return "", err
		}
	}
	return "", fmt.Errorf("%s is not rewritten: %d earlier texts are kept next to it, the last in %s", path, maxOriginals, kept)
}

// writeNew writes a file that does not exist yet.
func writeNew(path string, text []byte, mode fs.FileMode) error {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode)
	if err != nil {
		return err
	}
	if _, err = f.Write(text); err == nil {
		err = f.Sync()
	}
	if closed := f.Close(); err == nil {
		err = closed
	}
	return err
}

// tracked reports whether git tracks a file. Without git, none is. The configuration of
// the repository must not start programs.
func tracked(ctx context.Context, path string) bool {
	git := exec.CommandContext(ctx, "git", "--literal-pathspecs", "-c", "core.fsmonitor=false", "-C", filepath.Dir(path), "ls-files", "--error-unmatch", "--", filepath.Base(path))
	return git.Run() == nil
}
