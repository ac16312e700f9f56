package audit

import (
	"encoding/json"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
)

func lines(t *testing.T, file string) []Entry {
	t.Helper()
	b, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var list []Entry
	for line := range strings.Lines(string(b)) {
		var e Entry
		if err := json.Unmarshal([]byte(line), &e); err != nil {
			t.Fatalf("%s: %v in %q", file, err, line)
		}
		list = append(list, e)
	}
	return list
}

func open(t *testing.T, o Options) *Log {
	t.Helper()
	l, err := Open(o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = l.Close() })
	return l
}

// Several writers, as processes are, lose no entry of those that are kept, and no line is
// torn.
func TestSeveralWriters(t *testing.T) {
	file := filepath.Join(t.TempDir(), "state", "audit.jsonl")
	var all sync.WaitGroup
	const writers, each = 4, 50
	for range writers {
		l := open(t, Options{File: file})
		all.Go(func() {
			for range each {
				if err := l.Write(&Entry{Event: Request, Tool: "evaluate", Outcome: "ok"}); err != nil {
					t.Error(err)
				}
			}
		})
	}
	all.Wait()
	if n := len(lines(t, file)); n != writers*each {
		t.Errorf("%d entries, want %d", n, writers*each)
	}
	if runtime.GOOS == "windows" {
		return
	}
	if info, err := os.Stat(file); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("the mode of the file is %v, %v", info.Mode(), err)
	}
}

// A file that is full becomes FILE.1, and the oldest is given up. A second writer continues
// in the new file.
func TestRotation(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("a file that another process has open cannot be renamed")
	}
	file := filepath.Join(t.TempDir(), "audit.jsonl")
	o := Options{File: file, MaxBytes: 300, Keep: 2}
	first, second := open(t, o), open(t, o)
	for i := range 20 {
		l := first
		if i%2 == 1 {
			l = second
		}
		if err := l.Write(&Entry{Event: Request, Tool: strings.Repeat("x", 20), Received: i}); err != nil {
			t.Fatal(err)
		}
	}
	last := -1
	for _, name := range []string{file + ".2", file + ".1", file} {
		for _, e := range lines(t, name) {
			if last >= 0 && e.Received != last+1 {
				t.Errorf("%s: entry %d follows %d", name, e.Received, last)
			}
			last = e.Received
		}
		if info, _ := os.Stat(name); info.Size() > o.MaxBytes {
			t.Errorf("%s has %d bytes", name, info.Size())
		}
	}
	if last != 19 {
		t.Errorf("the last entry is %d", last)
	}
	if _, err := os.Stat(file + ".3"); err == nil {
		t.Error("a file too many is kept")
	}
}

func TestNilAndClosedLogs(t *testing.T) {
	var none *Log
	if err := none.Write(&Entry{}); err != nil || none.Close() != nil {
		t.Error(err)
	}
	l := open(t, Options{File: filepath.Join(t.TempDir(), "a")})
	if err := l.Close(); err != nil {
		t.Error(err)
	}
	if err := l.Write(&Entry{}); err == nil {
		t.Error("a closed log was written")
	}
	if _, err := Open(Options{File: t.TempDir()}); err == nil {
		t.Error("a folder was opened as a log")
	}
}

// A writer that finds the file full after another has rotated it does not rotate it again:
// the oldest file would be given up for an empty one.
func TestRotationByTwoWriters(t *testing.T) {
	file := filepath.Join(t.TempDir(), "audit.jsonl")
	o := Options{File: file, MaxBytes: 150, Keep: 1}
	first, second := open(t, o), open(t, o)
	for _, tool := range []string{"a", "b"} {
		if err := first.Write(&Entry{Tool: tool}); err != nil {
			t.Fatal(err)
		}
	}
	if len(lines(t, file)) != 1 || len(lines(t, file+".1")) != 1 {
		t.Fatal("it was not rotated once")
	}
	if err := second.rotate(10); err != nil {
		t.Error(err)
	}
	if got := lines(t, file+".1"); len(got) != 1 || got[0].Tool != "a" {
		t.Errorf("the older file has %v", got)
	}
}
