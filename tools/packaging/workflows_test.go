package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"testing"

	"go.yaml.in/yaml/v4"
)

// TestWorkflows: what the workflows run exists: targets of make, scripts and packages. The
// actions are pinned by the hash of a commit, with its version beside it, and the tools that
// they download have a version.
func TestWorkflows(t *testing.T) {
	root := filepath.Join("..", "..")
	makefile, err := os.ReadFile(filepath.Join(root, "Makefile"))
	if err != nil {
		t.Fatal(err)
	}
	targets := map[string]bool{}
	for _, m := range regexp.MustCompile(`(?m)^([a-z0-9-]+):`).FindAllSubmatch(makefile, -1) {
		targets[string(m[1])] = true
	}
	files, err := filepath.Glob(filepath.Join(root, ".github", "workflows", "*.yml"))
	if err != nil || len(files) == 0 {
		t.Fatal(err, files)
	}
	makes, paths := regexp.MustCompile(`\brun: make((?: [a-z0-9-]+\b)+)`), regexp.MustCompile(`(?:^|\s)(\./[\w/-]+|\.ci/\w+)`)
	pinned := regexp.MustCompile(`(?m)uses: [\w-]+/[\w-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$`)
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if uses := strings.Count(string(text), "uses:"); uses != len(pinned.FindAll(text, -1)) {
			t.Errorf("%s: an action is not written as owner/name@HASH # VERSION", file)
		}
		for _, m := range makes.FindAllSubmatch(text, -1) {
			for target := range strings.FieldsSeq(string(m[1])) {
				if !targets[target] {
					t.Errorf("%s: there is no target %s", file, target)
				}
			}
		}
		var w struct {
			Permissions map[string]string
			Jobs        map[string]struct {
				Steps []struct{ Run string }
			}
		}
		if err := yaml.Unmarshal(text, &w); err != nil {
			t.Fatal(err)
		}
		if len(w.Permissions) != 1 || w.Permissions["contents"] != "read" {
			t.Errorf("%s: jobs that say nothing else have the permissions %v", file, w.Permissions)
		}
		for name, job := range w.Jobs {
			for _, step := range job.Steps {
				for _, m := range paths.FindAllStringSubmatch(step.Run, -1) {
					if _, err := os.Stat(filepath.Join(root, filepath.FromSlash(m[1]))); err != nil {
						t.Errorf("%s, %s: %v", file, name, err)
					}
				}
				if strings.Contains(step.Run, "latest/download") || strings.Contains(step.Run, "@latest") {
					t.Errorf("%s, %s: %s downloads what may change", file, name, step.Run)
				}
			}
		}
	}
}

// TestRunFailsForWantOfATool: where a tool is missing, .ci/run says what is not tested and
// fails, unless it is told to go on.
func TestRunFailsForWantOfATool(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("CI runs the script on Linux")
	}
	dir := t.TempDir()
	for _, name := range []string{"make", "cc", "git", "bwrap", "dpkg", "go"} { // they do nothing
		if err := os.WriteFile(filepath.Join(dir, name), []byte("#!/bin/sh\n"), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range []string{"bash", "dirname", "id", "env"} {
		path, err := exec.LookPath(name)
		if err != nil {
			t.Skip(err)
		}
		if err := os.Symlink(path, filepath.Join(dir, name)); err != nil {
			t.Fatal(err)
		}
	}
	run := func(env ...string) (string, error) {
		cmd := exec.CommandContext(t.Context(), filepath.Join("..", "..", ".ci", "run"))
		cmd.Env = append([]string{"PATH=" + dir}, env...)
		out, err := cmd.CombinedOutput()
		return string(out), err
	}
	if out, err := run(); err == nil || !strings.Contains(out, "install npm, or set MAY_SKIP=1") || strings.Contains(out, "== check") {
		t.Errorf("without npm: %v\n%s", err, out)
	}
	if out, err := run("MAY_SKIP=1"); err != nil || !strings.Contains(out, "SKIPPED: npm is missing") || !strings.Contains(out, "== cross") {
		t.Errorf("without npm, and told to go on: %v\n%s", err, out)
	}
}
