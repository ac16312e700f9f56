package cli

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/fsnotify/fsnotify"

	"github.com/patchbay-mcp/patchbay/internal/app"
	"github.com/patchbay-mcp/patchbay/internal/cli/command"
	"github.com/patchbay-mcp/patchbay/internal/config"
)

// quiet is how long nothing may change before changes are taken over: editors write a file
// in several steps.
const quiet = 200 * time.Millisecond

// follow takes over changes of the configuration, of knowledge packs and of saved graphs
// until ctx ends: when their files change, and on SIGHUP.
func follow(ctx context.Context, f *command.Flags, p *app.App, stderr io.Writer) {
	log := f.RunLogger(stderr)
	signals, stop := reloadSignals()
	defer stop()
	var events <-chan fsnotify.Event
	var lost <-chan error
	watcher, err := fsnotify.NewWatcher()
	if err != nil {
		log.Warn("changes of files are not followed; send SIGHUP to reload", "error", err)
		watcher = nil
	} else {
		defer func() { _ = watcher.Close() }()
		events, lost = watcher.Events, watcher.Errors
	}
	w := usedFilesIn(f, p.Config())
	told := func(file string) {
		if p.Saved != nil && (file == "" || filepath.Dir(file) == w.graphs) {
			p.Saved.Touched(file)
		}
	}
	add := func() {
		if watched := w.add(watcher); p.Saved != nil {
			p.Saved.Watched(watched)
		}
	}
	if add(); p.Saved != nil {
		defer p.Saved.Watched(false)
	}
	due := time.NewTimer(quiet)
	due.Stop()
	var settings, graphs bool
	for {
		select {
		case e := <-events:
			told(e.Name)
			c, g := w.concerns(e.Name)
			if settings, graphs = settings || c, graphs || g; c || g {
				due.Reset(quiet)
			}
			continue
		case err := <-lost: // too many at once
			log.Warn("changes of files were missed; the saved graphs are read again", "error", err)
			told("")
			graphs = true
			due.Reset(quiet)
			continue
		case <-signals:
			settings = true
		case <-due.C:
		case <-ctx.Done():
			return
		}
		if settings {
			reload(f, p, stderr)
			w = usedFilesIn(f, p.Config())
		}
		add() // folders may be there by now
		if graphs {
			p.GraphsChanged()
		}
		settings, graphs = false, false
	}
}

// reload reads the configuration again. One with faults changes nothing.
func reload(f *command.Flags, p *app.App, stderr io.Writer) {
	log := f.RunLogger(stderr)
	cfg, found, err := f.LoadConfig()
	if err != nil {
		log.Warn("the configuration cannot be read again; the former one stays in effect", "error", err)
		return
	}
	for _, file := range cfg.Files {
		if file.Diagnostics.HasErrors() {
			fmt.Fprint(stderr, file.Render())
		}
	}
	if found.HasErrors() {
		log.Warn("the changed configuration has errors; the former one stays in effect")
		return
	}
	if cfg.Untrusted != nil && p.Config().Untrusted == nil {
		log.Warn("the changed configuration is not trusted; the former one stays in effect", "reason", cfg.Untrusted.Message, "hint", cfg.Untrusted.Hint)
		return
	}
	r := p.Reload(cfg)
	log.Info("configuration read again", "added", r.Servers.Added, "changed", r.Servers.Changed, "removed", r.Servers.Removed, "packs", r.Packs)
	if r.Restart {
		log.Warn("settings that need a restart have changed; they take effect at the next start")
	}
}

// usedFiles are the files that a server reads again when they change.
type usedFiles struct {
	files    []string // of the configuration, also those that would be read if they were there
	packs    []string // folders
	approved string   // approvals of these
	graphs   string   // folder of saved graphs; "" without one
	around   string   // folder of workflows; "" without one
}

func usedFilesIn(f *command.Flags, cfg *config.Config) *usedFiles {
	w := &usedFiles{graphs: cfg.GraphsDir, approved: cfg.ApprovalsFile, around: cfg.WorkflowsDir}
	add := func(path string) {
		if abs, err := filepath.Abs(path); err == nil {
			w.files = append(w.files, abs)
		}
	}
	for _, file := range cfg.Files {
		add(file.Path)
	}
	if f.Config == "" {
		add(config.FileName)
		add(command.OwnTrust().File())
	}
	for _, pack := range cfg.Packs {
		if !strings.HasPrefix(pack, config.BuiltinPack) {
			w.packs = append(w.packs, pack)
		}
	}
	return w
}

// add watches every folder that there is; one that is watched already stays so. It reports
// whether that of the graphs is.
func (w *usedFiles) add(watcher *fsnotify.Watcher) (graphs bool) {
	if watcher == nil {
		return false
	}
	dirs := append(slices.Clone(w.packs), w.around)
	for _, file := range w.files {
		dirs = append(dirs, filepath.Dir(file))
	}
	for _, dir := range dirs {
		_ = watcher.Add(dir) // there may be none yet
	}
	if w.approved != "" {
		_ = os.MkdirAll(filepath.Dir(w.approved), 0o700) // or the first approval would not be seen
		_ = watcher.Add(filepath.Dir(w.approved))
	}
	// The first graph that is saved makes the folder, and those above it.
	for dir := w.graphs; dir != ""; dir = filepath.Dir(dir) {
		if watcher.Add(dir) == nil {
			return dir == w.graphs
		}
		if dir == filepath.Dir(dir) {
			break
		}
	}
	return false
}

// concerns reports whether a changed file is part of the configuration, or of the saved
// graphs.
func (w *usedFiles) concerns(file string) (reload, graphs bool) {
	dir := filepath.Dir(file)
	reload = slices.Contains(w.files, file) || slices.Contains(w.packs, dir)
	within := func(path, folder string) bool { return strings.HasPrefix(path, folder+string(filepath.Separator)) }
	graphs = w.graphs != "" && (file == w.graphs || file == w.approved || within(w.graphs, file) || dir == w.graphs && !strings.HasPrefix(filepath.Base(file), "."))
	return reload, graphs || w.around != "" && (file == w.around || dir == w.around)
}
