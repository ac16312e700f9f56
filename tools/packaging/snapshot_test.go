package main

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"debug/buildinfo"
	"errors"
	"flag"
	"io"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/patchbay-mcp/patchbay/internal/cli"
)

var snapshot = flag.String("snapshot", "", "`DIR` in whose folders dist and build make snapshot has built a release")

// snapshotFile finds the one file that matches a pattern below the folder of a snapshot.
func snapshotFile(t *testing.T, pattern string) string {
	t.Helper()
	if *snapshot == "" {
		t.Skip("make snapshot builds and checks the release for all systems")
	}
	found, err := filepath.Glob(filepath.Join(*snapshot, filepath.FromSlash(pattern)))
	if err != nil || len(found) != 1 {
		t.Fatalf("%v: %s is %v", err, pattern, found)
	}
	return found[0]
}

// TestSnapshotArchives: each archive has the program of its platform, the completions, the
// man pages, the licence and the README; so have the packages of npm and the bundles the program.
func TestSnapshotArchives(t *testing.T) {
	want := []string{"LICENSE", "README.md", "CHANGELOG.md"}
	for _, name := range completionFiles {
		want = append(want, "build/completions/"+name)
	}
	for name := range manPages(cli.Command()) {
		want = append(want, "build/man/"+name)
	}
	for _, p := range declared(t).platforms() {
		t.Run(p.os+"-"+p.arch, func(t *testing.T) {
			suffix := ".tar.gz"
			if p.os == "windows" {
				suffix = ".zip"
			}
			archive := unpacked(t, snapshotFile(t, "dist/patchbay_*_"+p.os+"_"+p.arch+suffix))
			for _, name := range append(want, p.program()) {
				if len(archive[name]) == 0 {
					t.Errorf("the archive lacks %s: it has %v", name, slices.Sorted(maps.Keys(archive)))
				}
			}
			system, processor := p.node()
			npm := unpacked(t, snapshotFile(t, "build/npm/patchbay-mcp-"+system+"-"+processor+"-*.tgz"))
			bundle := unpacked(t, snapshotFile(t, "build/mcpb/patchbay_*_"+p.os+"_"+p.arch+".mcpb"))
			program := archive[p.program()]
			if p.os == "linux" {
				if image, err := os.ReadFile(filepath.Join(*snapshot, "build", "image", p.os, p.arch, p.program())); err != nil || !bytes.Equal(image, program) {
					t.Errorf("the image has another program: %v", err)
				}
			}
			builtFor(t, p, program)
			remote := unpacked(t, snapshotFile(t, "dist/patchbay-temporal_*_"+p.os+"_"+p.arch+suffix))
			builtFor(t, p, remote[strings.Replace(p.program(), "patchbay", "patchbay-temporal", 1)])
			for _, name := range []string{"LICENSE", "docs/temporal.md"} {
				if len(remote[name]) == 0 {
					t.Errorf("the archive of patchbay-temporal lacks %s: it has %v", name, slices.Sorted(maps.Keys(remote)))
				}
			}
			if !bytes.Equal(npm["package/bin/"+p.program()], program) || !bytes.Equal(bundle["server/"+p.program()], program) {
				t.Error("the package of npm or the bundle has another program")
			}
		})
	}
}

// builtFor fails the test unless a program is for a platform.
func builtFor(t *testing.T, p platform, program []byte) {
	t.Helper()
	info, err := buildinfo.Read(bytes.NewReader(program))
	if err != nil {
		t.Fatal(err)
	}
	built := map[string]string{}
	for _, s := range info.Settings {
		built[s.Key] = s.Value
	}
	if built["GOOS"] != p.os || built["GOARCH"] != p.arch || built["CGO_ENABLED"] != "0" {
		t.Errorf("the program is for %v", built)
	}
}

// TestSnapshotChecksums: what a release publishes is in checksums.txt, with its checksum.
func TestSnapshotChecksums(t *testing.T) {
	text, err := os.ReadFile(snapshotFile(t, "dist/checksums.txt"))
	if err != nil {
		t.Fatal(err)
	}
	listed := map[string]int{}
	for line := range strings.Lines(string(text)) {
		sum, name, _ := strings.Cut(strings.TrimSpace(line), "  ")
		listed[regexp.MustCompile(`\.(tar\.gz|zip|deb|mcpb|cdx\.json)$`).FindString(name)]++
		dir := "dist"
		if kind := filepath.Ext(name); kind == ".mcpb" {
			dir = "build/mcpb"
		} else if kind == ".json" {
			dir = "build/sbom"
		}
		if got, err := sumOf(snapshotFile(t, dir+"/"+name)); err != nil || got != sum {
			t.Errorf("%s: %v, its checksum is %s", name, err, got)
		}
	}
	if want := map[string]int{".tar.gz": 8, ".zip": 4, ".deb": 2, ".mcpb": 6, ".cdx.json": 6}; !maps.Equal(listed, want) {
		t.Errorf("checksums.txt lists %v, want %v", listed, want)
	}
}

// TestSnapshotCask: the cask has the checksums of the archives, and names what is in them.
func TestSnapshotCask(t *testing.T) {
	text, err := os.ReadFile(snapshotFile(t, "dist/homebrew/Casks/patchbay.rb"))
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range []platform{{"darwin", "amd64"}, {"darwin", "arm64"}} {
		path := snapshotFile(t, "dist/patchbay_*_"+p.os+"_"+p.arch+".tar.gz")
		sum, err := sumOf(path)
		if err != nil || !strings.Contains(string(text), sum) {
			t.Errorf("%v: the cask does not have the checksum of %s", err, path)
		}
		archive := unpacked(t, path)
		named := regexp.MustCompile(`(?m)^\s+(?:binary|manpage|\w+_completion) "([^"]+)"`).FindAllSubmatch(text, -1)
		for _, m := range named {
			if len(archive[strings.TrimPrefix(string(m[1]), "#{staged_path}/")]) == 0 {
				t.Errorf("the cask names %s, which the archive lacks", m[1])
			}
		}
		if len(named) < 5 {
			t.Errorf("the cask installs %q", named)
		}
	}
}

// TestSnapshotRegistryEntry: server.json has npm, the image and the bundles of all platforms.
func TestSnapshotRegistryEntry(t *testing.T) {
	entry := readJSON(t, snapshotFile(t, "build/server.json")).(map[string]any)
	if all := entry["packages"].([]any); len(all) != 8 {
		t.Errorf("server.json has %d packages: %v", len(all), all)
	}
	snapshotFile(t, "build/npm/patchbay-mcp-patchbay-*.tgz")
}

// unpacked are the files of an archive.
func unpacked(t *testing.T, path string) map[string][]byte {
	t.Helper()
	all := map[string][]byte{}
	add := func(name string, r io.Reader, err error) {
		text := []byte(nil)
		if err == nil {
			text, err = io.ReadAll(r)
		}
		if err != nil {
			t.Fatal(path, name, err)
		}
		all[name] = text
	}
	if strings.HasSuffix(path, ".zip") || strings.HasSuffix(path, ".mcpb") {
		z, err := zip.OpenReader(path)
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = z.Close() }()
		for _, f := range z.File {
			r, err := f.Open()
			add(f.Name, r, err)
		}
		return all
	}
	file, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = file.Close() }()
	z, err := gzip.NewReader(file)
	if err != nil {
		t.Fatal(err)
	}
	for r := tar.NewReader(z); ; {
		h, err := r.Next()
		if errors.Is(err, io.EOF) {
			return all
		}
		if err != nil {
			t.Fatal(err)
		}
		if strings.HasPrefix(filepath.Base(h.Name), "patchbay") && !strings.Contains(h.Name, ".") && h.Mode&0o111 == 0 {
			t.Errorf("%s: %s cannot be executed", path, h.Name)
		}
		add(h.Name, r, nil)
	}
}
