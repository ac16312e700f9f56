package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"testing"
)

// services stand for those that a release is uploaded to: each program notes what it is
// asked to change, and the call with the number in fail ends without a change.
const services = `#!/bin/sh
cd "$SERVICES"
name=$(basename "$0")
said() { # counts a change, and fails if it is the one that fails
  n=$(($(cat count) + 1)); echo $n >count
  [ "$n" != "$(cat fail)" ] || exit 1
  echo "$*" >>log
}
case "$name $1 $2" in
"gh release view") [ -e release ] || exit 1; cat release ;;
"gh release create") said draft; echo true >release ;;
"gh release upload") [ $# = 8 ] || exit 1; said files ;;
"gh release edit") said visible; echo false >release ;;
"npm view "*) grep -q "^npm $2$" log && echo yes || exit 1 ;;
"npm publish "*) for last; do :; done; last=$(basename "$last" -1.2.3.tgz); said "npm @patchbay-mcp/${last#patchbay-mcp-}@1.2.3" ;;
"docker buildx build") said image ;;
"docker buildx imagetools") case "$3" in inspect) grep -q ^image log ;; *) grep -q ^latest log || said latest ;; esac ;;
"git clone "*) for last; do :; done; mkdir -p "$last" ;;
"git -C "*) case "$*" in *"diff --cached"*) grep -q ^cask log ;; *" push "*) said cask ;; esac ;;
"go run "*) case "$*" in *login*) ;; *) ! grep -q ^registry log || { echo duplicate version; exit 1; }; said registry ;; esac ;;
*) echo "unexpected: $name $*" >&2; exit 1 ;;
esac
`

// TestPublish makes each upload of a release fail, and publishes again: then everything is
// published once, and in the same order. A dry run uploads nothing.
func TestPublish(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("the script of the release runs on Linux")
	}
	script, err := os.ReadFile(filepath.Join("..", "..", ".ci", "publish"))
	if err != nil {
		t.Fatal(err)
	}
	want := "image|draft|files|npm @patchbay-mcp/linux-x64@1.2.3|npm @patchbay-mcp/win32-arm64@1.2.3|npm @patchbay-mcp/patchbay@1.2.3|visible|latest|cask|registry|"
	for fail := range strings.Count(want, "|") + 1 { // 0 fails nowhere
		dir := t.TempDir()
		publish := publisher(t, dir, string(script), fail)
		out, err := publish()
		if failed := err != nil; failed != (fail > 0) {
			t.Fatalf("with a failure at %d: %v\n%s", fail, err, out)
		}
		for range 2 { // the second time nothing is left to be done
			if out, err := publish(); err != nil {
				t.Fatalf("again after a failure at %d: %v\n%s", fail, err, out)
			}
		}
		log, _ := os.ReadFile(filepath.Join(dir, "services", "log"))
		first, rest, _ := strings.Cut(string(log), "files\n") // a draft gets its files again
		if got := strings.ReplaceAll(first+"files\n"+strings.ReplaceAll(rest, "files\n", ""), "\n", "|"); got != want {
			t.Errorf("after a failure at %d:\n%s, want\n%s", fail, got, want)
		}
	}
	dir := t.TempDir()
	out, err := publisher(t, dir, string(script), 0)("DRY_RUN=1")
	if log, _ := os.ReadFile(filepath.Join(dir, "services", "log")); err != nil || len(log) > 0 || strings.Count(out, "would ") != 11 {
		t.Errorf("a dry run: %v, %s\n%s", err, log, out)
	}
}

// publisher makes a folder with a small release and with the services, and returns what
// publishes it.
func publisher(t *testing.T, dir, script string, fail int) func(env ...string) (string, error) {
	t.Helper()
	files := map[string]string{
		".ci/publish": script, "CHANGELOG.md": "# Changelog\n\n## Unreleased\n\n## 1.2.3 - 2026-12-24\n\nNotes.\n",
		"dist/metadata.json": `{"version": "1.2.3"}`, "dist/checksums.txt": "0  a.tar.gz\n1  a.mcpb\n2  a.cdx.json\n", "dist/a.tar.gz": "", "build/mcpb/a.mcpb": "", "build/sbom/a.cdx.json": "",
		"dist/homebrew/Casks/patchbay.rb": "", "build/server.json": "{}",
		"services/count": "0", "services/fail": strconv.Itoa(fail), "services/log": "",
	}
	for _, name := range []string{"linux-x64", "patchbay", "win32-arm64"} {
		files["build/npm/patchbay-mcp-"+name+"-1.2.3.tgz"] = ""
	}
	for _, name := range []string{"gh", "npm", "docker", "git", "go"} {
		files["bin/"+name] = services
	}
	for name, text := range files {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	return func(env ...string) (string, error) {
		cmd := exec.CommandContext(t.Context(), filepath.Join(dir, ".ci", "publish"))
		cmd.Env = append([]string{"PATH=" + filepath.Join(dir, "bin") + ":" + os.Getenv("PATH"), "SERVICES=" + filepath.Join(dir, "services"), "HOMEBREW_TAP_TOKEN=none"}, env...)
		out, err := cmd.CombinedOutput()
		return string(out), err
	}
}
