package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"

	"go.yaml.in/yaml/v4"
)

// maxBinary is how many bytes the stripped binary may have: 49 MB, of a million bytes. The files
// of the UI are 1.4 of them.
const maxBinary = 49_000_000

// host makes everything for this system as a release has it, without goreleaser, which
// takes minutes to build: the binary, the deb on Linux, the packages of npm, the bundle.
func (r release) host(ctx context.Context) error {
	if err := os.RemoveAll(r.dir); err != nil {
		return err
	}
	if err := r.files(); err != nil {
		return err
	}
	p := platform{runtime.GOOS, runtime.GOARCH}
	binary, err := r.build(ctx, p)
	if err != nil {
		return err
	}
	if err := r.platform(ctx, p, binary); err != nil {
		return err
	}
	if err := r.index(ctx); err != nil {
		return err
	}
	if p.os != "linux" {
		return nil
	}
	return r.deb(ctx, p, binary)
}

// build builds the binary of a release and returns its path.
func (r release) build(ctx context.Context, p platform) (string, error) {
	b := r.Builds[0]
	ldflags, err := r.expand(b.Ldflags[0])
	if err != nil {
		return "", err
	}
	path := filepath.Join(r.dir, "host", p.program())
	args := append([]string{"build", "-ldflags", ldflags, "-o", path}, b.Flags...)
	for _, flags := range b.Gcflags {
		args = append(args, "-gcflags", flags)
	}
	cmd := exec.CommandContext(ctx, "go", append(args, b.Main)...)
	cmd.Env = append(append(os.Environ(), b.Env...), "GOOS="+p.os, "GOARCH="+p.arch)
	if out, err := cmd.CombinedOutput(); err != nil {
		return "", fmt.Errorf("go build: %w\n%s", err, out)
	}
	info, err := os.Stat(path)
	if err != nil {
		return "", err
	}
	fmt.Fprintf(r.log, "%s: %.2f MB\n", path, float64(info.Size())/1e6)
	if info.Size() > maxBinary {
		return "", fmt.Errorf("%s has %d bytes, more than %d", path, info.Size(), maxBinary)
	}
	return path, nil
}

// platform makes the npm package, the bundle and the SBOM of a platform, and puts its program
// where the Dockerfile looks for it.
func (r release) platform(ctx context.Context, p platform, binary string) error {
	if p.os == "linux" {
		if err := copyFile(binary, filepath.Join(r.dir, "image", p.os, p.arch, p.program()), 0o755); err != nil {
			return err
		}
	}
	if err := r.npmPack(ctx, r.platformManifest(p), map[string]string{"bin/" + p.program(): binary}); err != nil {
		return err
	}
	if err := r.sbom(p, binary); err != nil {
		return err
	}
	return r.bundle(p, binary)
}

// index makes the npm package that names those of the platforms, and the entry of the
// MCP registry.
func (r release) index(ctx context.Context) error {
	if err := r.npmPack(ctx, r.mainManifest(), map[string]string{"patchbay.js": filepath.FromSlash("packaging/npm/patchbay.js")}); err != nil {
		return err
	}
	e, err := r.registryEntry()
	if err != nil {
		return err
	}
	return writeJSON(filepath.Join(r.dir, "server.json"), e)
}

// deb makes the Debian package that .goreleaser.yaml declares, by nfpm, which is also what
// goreleaser makes it by.
func (r release) deb(ctx context.Context, p platform, binary string) error {
	config, err := r.nfpmConfig(p, binary)
	if err != nil {
		return err
	}
	path := filepath.Join(r.dir, "nfpm.yaml")
	if err := os.WriteFile(path, config, 0o644); err != nil {
		return err
	}
	return r.command(ctx, "", "go", "tool", "-modfile="+filepath.Join("tools", "packaging.mod"), "nfpm", "package", "--packager", "deb", "--config", path, "--target", r.dir)
}

// nfpmConfig is the configuration of nfpm that goreleaser makes of the entry: the name of
// a key differs, and the binary is added.
func (r release) nfpmConfig(p platform, binary string) ([]byte, error) {
	d := r.about()
	contents := []map[string]any{{"src": binary, "dst": d.Bindir + "/" + p.program(), "file_info": map[string]any{"mode": 0o755}}}
	for _, c := range d.Contents {
		contents = append(contents, map[string]any{"src": c["src"], "dst": c["dst"], "file_info": map[string]any{"mode": 0o644}})
	}
	return yaml.Marshal(map[string]any{
		"name": d.PackageName, "version": r.Version, "platform": p.os, "arch": p.arch, "section": d.Section, "contents": contents,
		"vendor": d.Vendor, "maintainer": d.Maintainer, "description": d.Description, "homepage": d.Homepage, "license": d.License,
	})
}
