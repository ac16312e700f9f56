// Package testenv is what tests of several packages have in common: a home of their own,
// limits of time in proportion to the machine, and programs built as the tests are.
//
// It imports nothing of ours, and only tests import it.
package testenv

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

// A Runner runs the tests of a package, as [testing.M] does.
type Runner interface{ Run() int }

// Home has tests run with a home of their own, which is deleted when they have ended: no
// process that they start knows the user's folders. It is for TestMain:
//
//	os.Exit(testenv.Home(m).Run())
func Home(m Runner) Runner { return home{m} }

type home struct{ tests Runner }

// elsewhere are the variables that name folders of the user outside of the home.
var elsewhere = []string{"XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_STATE_HOME", "XDG_CACHE_HOME", "XDG_RUNTIME_DIR"}

// scratch is a folder that outlives a test, or "" outside of Run.
var scratch string

func (h home) Run() int {
	dir, err := os.MkdirTemp("", "patchbay-tests-")
	if err == nil {
		defer func() { _ = os.RemoveAll(dir) }()
		err = move(dir)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "a home for the tests:", err)
		return 1
	}
	return h.tests.Run()
}

// move makes a folder in dir the home. The go command keeps its caches.
func move(dir string) error {
	caches := []string{"GOCACHE", "GOMODCACHE", "GOPATH", "GOENV"}
	if out, err := exec.Command("go", append([]string{"env"}, caches...)...).Output(); err == nil { //nolint:noctx // it ends
		for i, value := range strings.Split(strings.TrimSpace(string(out)), "\n") {
			if err := os.Setenv(caches[i], strings.TrimSpace(value)); err != nil {
				return err
			}
		}
	}
	for _, name := range elsewhere {
		if err := os.Unsetenv(name); err != nil {
			return err
		}
	}
	scratch = dir
	own := filepath.Join(dir, "home")
	for _, name := range []string{"HOME", "USERPROFILE", "LOCALAPPDATA", "APPDATA"} {
		if err := os.Setenv(name, own); err != nil {
			return err
		}
	}
	return os.Mkdir(own, 0o700)
}

// Symlink makes link lead to target. It skips the test on Windows, where making a link needs
// a right that users seldom have, and fails it elsewhere.
func Symlink(t testing.TB, target, link string) {
	t.Helper()
	err := os.Symlink(target, link)
	switch {
	case err == nil:
	case runtime.GOOS == "windows":
		t.Skip(err)
	default:
		t.Fatal(err)
	}
}
