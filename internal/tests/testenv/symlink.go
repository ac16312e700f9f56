package testenv

import (
	"os"
	"runtime"
	"testing"
)

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
