package testenv

import (
	"os/exec"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strings"
	"sync"
	"testing"
)

// BuildFlags returns the flags with which this test was built, for the go command: what it
// builds with them shares the cache, so that nothing is compiled twice. The variables of
// the environment that matter are those of the test.
func BuildFlags() []string {
	info, known := debug.ReadBuildInfo()
	if !known {
		return nil
	}
	var flags []string
	for _, s := range info.Settings {
		if slices.Contains([]string{"-race", "-msan", "-asan", "-trimpath", "-tags", "-gcflags", "-asmflags"}, s.Key) {
			flags = append(flags, s.Key+"="+s.Value)
		}
	}
	return flags
}

var (
	mu    sync.Mutex
	built = map[string]string{} // programs by package
)

// Build builds a command once for all tests of a process, and returns its path. The tests
// have a home of their own ([Home]).
func Build(t testing.TB, pkg string) string {
	t.Helper()
	mu.Lock()
	defer mu.Unlock()
	if path := built[pkg]; path != "" {
		return path
	}
	if scratch == "" {
		t.Fatal("TestMain of this package does not use testenv.Home")
	}
	path := filepath.Join(scratch, "bin", strings.ReplaceAll(pkg, "/", "_"))
	args := append([]string{"build", "-o", path}, BuildFlags()...)
	if out, err := exec.CommandContext(t.Context(), "go", append(args, pkg)...).CombinedOutput(); err != nil {
		t.Fatalf("go build %s: %v\n%s", pkg, err, out)
	}
	built[pkg] = path
	return path
}
