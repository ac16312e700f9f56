package graphsource

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"strings"
)

// fetchGit gets the files from one commit of a repository, into a bare repository for the
// moment: nothing is checked out, and neither hooks nor submodules are used.
func (s *Source) fetchGit(ctx context.Context, got *Fetched, o Options) error {
	ctx, cancel := context.WithTimeout(ctx, maxFetch)
	defer cancel()
	dir, err := os.MkdirTemp("", "patchbay-graph-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir) //nolint:errcheck // a copy for this moment
	g := git{dir, s.url.Scheme}
	if _, err := g.run(ctx, "init", "--quiet", "--bare", "--template=", "."); err != nil {
		return err
	}
	if _, err := g.run(ctx, "fetch", "--quiet", "--depth=1", "--no-tags", "--no-recurse-submodules", "--no-write-commit-graph", "--end-of-options", s.url.String(), s.rev); err != nil {
		return err
	}
	commit, err := g.run(ctx, "rev-parse", "--verify", "--quiet", "FETCH_HEAD^{commit}")
	if err != nil {
		return err
	}
	got.Commit = strings.TrimSpace(commit)
	var there bool
	if got.Graph, there, err = g.file(ctx, got.Commit, s.path, o.MaxBytes); err != nil || !there {
		return errors.Join(err, none(there, s.path))
	}
	got.Tests, _, err = g.file(ctx, got.Commit, testsPath(s.path), o.MaxBytes)
	return err
}

func none(there bool, path string) error {
	if there {
		return nil
	}
	return fmt.Errorf("the commit has no file %s", path)
}

// A git runs commands in one bare repository.
type git struct{ dir, scheme string }

// settings are those of every command: no hook, no helper of the file system, no other
// protocol than that of the source, nothing that asks.
func (g *git) settings() []string {
	list := []string{"core.hooksPath=" + os.DevNull, "core.fsmonitor=false", "submodule.recurse=false", "gc.auto=0", "maintenance.auto=false", "protocol.allow=never", "protocol." + g.scheme + ".allow=always"}
	var args []string
	for _, setting := range list {
		args = append(args, "-c", setting)
	}
	return args
}

func (g *git) run(ctx context.Context, args ...string) (string, error) {
	cmd := exec.CommandContext(ctx, "git", append(g.settings(), args...)...)
	cmd.Dir = g.dir
	cmd.Env = append(os.Environ(), "GIT_DIR="+g.dir, "GIT_ALLOW_PROTOCOL="+g.scheme, "GIT_TERMINAL_PROMPT=0", "GIT_SSH_COMMAND=ssh -oBatchMode=yes", "GIT_CONFIG_COUNT=0", "LC_ALL=C")
	var out, problem bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &problem
	err := cmd.Run()
	if errors.Is(err, exec.ErrNotFound) {
		return "", errors.New("git is not installed")
	}
	if text := strings.TrimSpace(problem.String()); err != nil && text != "" {
		return "", errors.New(text)
	}
	return out.String(), err
}

// file returns a file of a commit, if there is one.
func (g *git) file(ctx context.Context, commit, path string, maxBytes int64) (text string, there bool, err error) {
	listed, err := g.run(ctx, "ls-tree", "--long", commit, "--", path)
	if err != nil || listed == "" {
		return "", false, err
	}
	fields := strings.Fields(listed) // mode, type, object, size, path
	if len(fields) < 5 || fields[1] != "blob" || !strings.HasPrefix(fields[0], "100") {
		return "", false, fmt.Errorf("%s is not a regular file", path)
	}
	size, err := strconv.ParseInt(fields[3], 10, 64)
	if err != nil || size > maxBytes {
		return "", false, errors.Join(err, tooLarge(maxBytes))
	}
	text, err = g.run(ctx, "cat-file", "blob", fields[2])
	return text, true, err
}
