package testenv

import (
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// tests are those of a package.
type tests func()

func (f tests) Run() int { f(); return 3 }

func goEnv(t *testing.T, name string) string {
	t.Helper()
	out, err := exec.CommandContext(t.Context(), "go", "env", name).Output()
	if err != nil {
		t.Fatal(err)
	}
	return strings.TrimSpace(string(out))
}

// What tests and their processes write into the folders of the user is in a folder of the
// tests, and gone with them; the go command has its cache.
func TestHome(t *testing.T) {
	user := t.TempDir()
	for _, name := range []string{"GOMODCACHE", "GOPATH", "GOENV", "GOCACHE"} {
		t.Setenv(name, goEnv(t, name)) // and as before at the end
	}
	for _, name := range []string{"HOME", "USERPROFILE", "LOCALAPPDATA", "APPDATA", "XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_STATE_HOME", "XDG_CACHE_HOME", "XDG_RUNTIME_DIR"} {
		t.Setenv(name, user)
	}
	cache, before := goEnv(t, "GOCACHE"), scratch
	defer func() { scratch = before }()
	var own string
	code := Home(tests(func() {
		own, _ = os.UserHomeDir()
		if err := os.MkdirAll(filepath.Join(own, ".local", "share"), 0o700); err != nil {
			t.Error(err)
		}
		for _, variable := range os.Environ() {
			if name, value, _ := strings.Cut(variable, "="); value == user {
				t.Errorf("%s is still that of the user", name)
			}
		}
		if got := goEnv(t, "GOCACHE"); got != cache {
			t.Errorf("the go command builds in %s, not in %s", got, cache)
		}
	})).Run()
	if code != 3 {
		t.Errorf("the tests end with %d", code)
	}
	if own == user {
		t.Errorf("the home is that of the user, %s", own)
	}
	_ = filepath.WalkDir(own, func(path string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() && !strings.Contains(path, "/go/telemetry/") { // the go command counts its use, also later
			t.Errorf("%s is left", path)
		}
		return nil
	})
	left, err := os.ReadDir(user)
	left = slices.DeleteFunc(left, func(e os.DirEntry) bool { return e.Name() == "go" }) // the go command counts its use
	if err != nil || len(left) > 0 {
		t.Errorf("%v is written, %v", left, err)
	}
}

// A program is built once, with what the test was built with.
func TestBuild(t *testing.T) {
	before := scratch
	scratch = t.TempDir()
	defer func() { scratch, built = before, map[string]string{} }()
	first := Build(t, "./testdata/hello")
	info, err := os.Stat(first)
	if err != nil {
		t.Fatal(err)
	}
	if out, err := exec.CommandContext(t.Context(), first).CombinedOutput(); err != nil || string(out) != "hello\n" {
		t.Errorf("it says %q, %v", out, err)
	}
	again, err := os.Stat(Build(t, "./testdata/hello"))
	if err != nil || !again.ModTime().Equal(info.ModTime()) {
		t.Errorf("it is built again: %v", err)
	}
	own, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	if got, want := flagsOf(t, first), flagsOf(t, own); got != want {
		t.Errorf("it is built with %q, the test with %q", got, want)
	}
}

// flagsOf are the flags in a program that decide what is compiled.
func flagsOf(t *testing.T, program string) string {
	t.Helper()
	out, err := exec.CommandContext(t.Context(), "go", "version", "-m", program).Output()
	if err != nil {
		t.Fatal(err)
	}
	var flags []string
	for line := range strings.Lines(string(out)) {
		if f := strings.Fields(line); len(f) > 1 && f[0] == "build" && (strings.HasPrefix(f[1], "CGO_ENABLED=") || strings.HasPrefix(f[1], "-race") || strings.HasPrefix(f[1], "-trimpath") || strings.HasPrefix(f[1], "-tags")) {
			flags = append(flags, f[1])
		}
	}
	return strings.Join(flags, " ")
}

// A limit is never shorter than what a quiet machine needs.
func TestLimit(t *testing.T) {
	if got := Limit(time.Second); got < time.Second || got != Limit(time.Second) {
		t.Errorf("a second becomes %s, then %s", got, Limit(time.Second))
	}
}
