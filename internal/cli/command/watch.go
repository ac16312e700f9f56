package command

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
)

// WatchEvery is how often --watch looks for changes.
const WatchEvery = 300 * time.Millisecond

// WatchUsage is what the help says of --watch.
const WatchUsage = "run again whenever a file changes, until interrupted; -o json prints one line each time"

// WatchedFiles are what a command looks at: its arguments, and files that those depend on.
type WatchedFiles struct {
	Args    []string
	Related func(path string) []string // nil: there are none
}

// Repeat does one round of a command, and with --watch another whenever a file changes.
func (f *Flags) Repeat(cmd *cobra.Command, w WatchedFiles, round func() error) error {
	if !f.Watch {
		return round()
	}
	switch {
	case f.Format == AsYAML, f.File != "":
		return Misuse("--watch", "--watch writes to standard output, as text or as lines of JSON", "use -o json")
	case slices.Contains(w.Args, "-"):
		return Misuse("--watch", "standard input cannot be watched", "name files or folders")
	}
	f.Lines = true
	ticks := cmp.Or(f.Ticks, time.Tick(WatchEvery))
	before := w.stamps()
	for {
		if err := round(); err != nil && !errors.Is(err, ErrFailed) && cmd.Context().Err() == nil {
			_ = f.printError(cmd, err)
		}
		for changed := ""; changed == ""; {
			select {
			case <-cmd.Context().Done():
				return ErrFailed
			case <-ticks:
			}
			now := w.stamps()
			changed, before = difference(before, now), now
			if changed != "" {
				fmt.Fprintf(cmd.ErrOrStderr(), "%s %s\n", time.Now().Format(time.TimeOnly), changed)
			}
		}
	}
}

// A stamp changes when a file does.
type stamp struct {
	modified time.Time
	size     int64
}

// stamps are those of all files that are watched.
func (w *WatchedFiles) stamps() map[string]stamp {
	all := map[string]stamp{}
	add := func(path string) {
		if info, err := os.Stat(path); err == nil && info.Mode().IsRegular() {
			all[path] = stamp{info.ModTime(), info.Size()}
		}
	}
	for _, arg := range w.Args {
		dir := arg
		for strings.ContainsAny(dir, "*?[") {
			dir = filepath.Dir(dir)
		}
		_ = filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
			switch {
			case err != nil:
				return nil //nolint:nilerr // what is not there has no stamp
			case d.IsDir() && path != dir && skipped(d.Name()):
				return filepath.SkipDir
			case !d.IsDir() && (isDocument(path) || path == arg):
				add(path)
			}
			return nil
		})
		if w.Related != nil {
			for _, path := range w.Related(arg) {
				add(path)
			}
		}
	}
	return all
}

// difference says which files have changed, "" if none has.
func difference(before, now map[string]stamp) string {
	var changes []string
	for path, s := range now {
		if was, ok := before[path]; !ok {
			changes = append(changes, path+" created")
		} else if was != s {
			changes = append(changes, path+" changed")
		}
	}
	for path := range before {
		if _, ok := now[path]; !ok {
			changes = append(changes, path+" removed")
		}
	}
	slices.Sort(changes)
	return strings.Join(changes, ", ")
}
