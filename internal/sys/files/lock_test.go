package files_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"runtime"
	"strconv"
	"sync"
	"testing"

	"github.com/patchbay-mcp/patchbay/internal/sys/files"
)

const (
	countEnv = "PATCHBAY_TEST_COUNT" // the file in which another process counts
	holdEnv  = "PATCHBAY_TEST_HOLD"  // the path whose lock another process holds until it is killed
	rounds   = 50
)

func TestMain(m *testing.M) {
	if path := os.Getenv(countEnv); path != "" {
		if err := count(path); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	}
	if path := os.Getenv(holdEnv); path != "" {
		if _, err := files.Lock(path); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		fmt.Println("held")
		stop := make(chan os.Signal, 1)
		signal.Notify(stop, os.Interrupt)
		<-stop // it is killed before
	}
	os.Exit(m.Run())
}

// count adds one to the number in a file, a few times.
func count(path string) error {
	for range rounds {
		if err := files.Update(path, 0o600, func(old []byte) ([]byte, error) {
			n, _ := strconv.Atoi(string(old))
			return []byte(strconv.Itoa(n + 1)), nil
		}); err != nil {
			return err
		}
	}
	return nil
}

func self(t *testing.T, env, path string) *exec.Cmd {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), os.Args[0])
	cmd.Env = append(os.Environ(), env+"="+path)
	cmd.Stderr = os.Stderr
	return cmd
}

// Processes and goroutines that change one file at once lose nothing, whichever name of
// the file they use.
func TestUpdateLosesNoChange(t *testing.T) {
	dir := t.TempDir()
	path, link := filepath.Join(dir, "state", "number"), filepath.Join(dir, "link")
	symlinks(t, dir, "link", "state/number")
	if err := os.Mkdir(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	var work sync.WaitGroup
	for _, p := range []string{path, link} {
		cmd := self(t, countEnv, p)
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		work.Go(func() {
			if err := cmd.Wait(); err != nil {
				t.Error(err)
			}
		})
		work.Go(func() {
			if err := count(p); err != nil {
				t.Error(err)
			}
		})
	}
	work.Wait()
	if got := content(t, path); got != strconv.Itoa(4*rounds) {
		t.Errorf("counted %s of %d", got, 4*rounds)
	}
	if left, err := os.ReadDir(filepath.Dir(path)); err != nil || len(left) != 1 {
		t.Errorf("left over: %v, %v", left, err)
	}
}

func TestUpdate(t *testing.T) {
	path := filepath.Join(t.TempDir(), "new", "state")
	failed := errors.New("it failed")
	for _, test := range []struct {
		change    []byte
		err       error
		old, then string
	}{
		{nil, nil, "", ""},
		{[]byte("a"), nil, "", "a"},
		{nil, nil, "a", "a"},
		{[]byte("b"), failed, "a", "a"},
		{[]byte("b"), nil, "a", "b"},
	} {
		err := files.Update(path, 0o600, func(old []byte) ([]byte, error) {
			if string(old) != test.old {
				t.Errorf("old is %q, want %q", old, test.old)
			}
			return test.change, test.err
		})
		if !errors.Is(err, test.err) {
			t.Errorf("%v, want %v", err, test.err)
		}
		if test.then == "" {
			if _, err := os.Stat(path); !errors.Is(err, fs.ErrNotExist) {
				t.Errorf("a file was made: %v", err)
			}
		} else if got := content(t, path); got != test.then {
			t.Errorf("the file holds %q, want %q", got, test.then)
		}
	}
	if info, err := os.Stat(filepath.Dir(path)); err != nil || runtime.GOOS != "windows" && info.Mode().Perm() != 0o700 {
		t.Errorf("the folder: %v, %v", info.Mode(), err)
	}
}

// A lock that another process holds is waited for, and is free when that process dies.
func TestLockOfAnotherProcess(t *testing.T) {
	path := filepath.Join(t.TempDir(), "state")
	holder := self(t, holdEnv, path)
	out, err := holder.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := holder.Start(); err != nil {
		t.Fatal(err)
	}
	if line, err := bufio.NewReader(out).ReadString('\n'); line != "held\n" {
		t.Fatal(line, err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := files.LockContext(ctx, path); !errors.Is(err, files.ErrLocked) {
		t.Errorf("another process holds it: %v", err)
	}
	_ = holder.Process.Kill()
	_ = holder.Wait()
	release, err := files.Lock(path)
	if err != nil {
		t.Fatalf("its holder is dead: %v", err)
	}
	release()
	if left, err := os.ReadDir(filepath.Dir(path)); err != nil || len(left) != 0 {
		t.Errorf("left over: %v, %v", left, err)
	}
}
