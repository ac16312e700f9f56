package main

import (
	"archive/zip"
	"bufio"
	"encoding/json"
	"flag"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

var packages = flag.String("packages", "", "`DIR` with what packaging host has made, to install and try")

// built finds the one file that matches a pattern below the folder of packages.
func built(t *testing.T, pattern string) string {
	t.Helper()
	if *packages == "" {
		t.Skip("make packages builds and tries packages")
	}
	found, err := filepath.Glob(filepath.Join(*packages, pattern))
	if err != nil || len(found) != 1 {
		t.Fatalf("%v: %s is %v", err, pattern, found)
	}
	path, err := filepath.Abs(found[0])
	if err != nil {
		t.Fatal(err)
	}
	return path
}

// demo runs the demo of a program that was installed.
func demo(t *testing.T, program string) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), program, "demo")
	cmd.Dir = t.TempDir()
	out, err := cmd.CombinedOutput()
	if err != nil || !strings.Contains(string(out), "tokens pass through the model") {
		t.Errorf("%s demo: %v\n%s", program, err, out)
	}
}

func TestInstalledDeb(t *testing.T) {
	deb := built(t, "*.deb")
	if _, err := exec.LookPath("dpkg"); err != nil {
		t.Skip("dpkg is not installed")
	}
	root := t.TempDir()
	for _, dir := range []string{"info", "updates"} {
		if err := os.MkdirAll(filepath.Join(root, "var", "lib", "dpkg", dir), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(filepath.Join(root, "var", "lib", "dpkg", "status"), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	execute(t, "dpkg", "--root="+root, "--force-not-root", "--log=/dev/null", "--install", deb)
	for _, file := range []string{"share/bash-completion/completions/patchbay", "share/zsh/vendor-completions/_patchbay", "share/man/man1/patchbay-run.1", "share/doc/patchbay/copyright"} {
		if _, err := os.Stat(filepath.Join(root, "usr", file)); err != nil {
			t.Error(err)
		}
	}
	demo(t, filepath.Join(root, "usr", "bin", "patchbay"))
}

// TestInstalledNpm installs the two tarballs as npm does from its registry, and sees that
// the launcher passes arguments, input, output and exit codes.
func TestInstalledNpm(t *testing.T) {
	main, platform := built(t, "npm/patchbay-mcp-patchbay-*.tgz"), built(t, "npm/patchbay-mcp-*-*64-*.tgz")
	if _, err := exec.LookPath("npm"); err != nil {
		t.Skip("npm is not installed")
	}
	prefix := t.TempDir()
	execute(t, "npm", "install", "--global", "--prefix", prefix, "--offline", "--omit=optional", "--no-audit", "--no-fund", platform, main)
	program := filepath.Join(prefix, "bin", "patchbay")
	demo(t, program)
	err := exec.CommandContext(t.Context(), program, "no-such-command").Run()
	if exit, ok := err.(*exec.ExitError); !ok || exit.ExitCode() != 2 { //nolint:errorlint // of Run, as it is
		t.Errorf("a wrong command ends with %v, want exit code 2", err)
	}
	initialize(t, exec.CommandContext(t.Context(), program, "serve", "--store", "memory"))
}

func TestInstalledBundle(t *testing.T) {
	at := t.TempDir()
	m := unpack(t, built(t, "mcpb/*.mcpb"), at)
	program := strings.ReplaceAll(m.Server.Config.Command, "${__dirname}", at)
	demo(t, program)
	args := slices.Clone(m.Server.Config.Args)
	for i := range args { // as for a person who has set nothing
		args[i] = strings.ReplaceAll(args[i], "${user_config.config}", "")
	}
	initialize(t, exec.CommandContext(t.Context(), program, args...))
}

// initialize starts a server in an empty home, as a client does, and ends it by its input.
func initialize(t *testing.T, cmd *exec.Cmd) {
	t.Helper()
	cmd.Dir = t.TempDir()
	cmd.Env = append(os.Environ(), "HOME="+cmd.Dir, "XDG_STATE_HOME=", "XDG_CACHE_HOME=", "XDG_DATA_HOME=", "XDG_CONFIG_HOME=")
	greetServer(t, cmd)
}

// greetServer starts a server, initializes a session and ends the server by its input.
func greetServer(t *testing.T, cmd *exec.Cmd) {
	t.Helper()
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	if _, err := io.WriteString(in, `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"test","version":"1"}}}`+"\n"); err != nil {
		t.Fatal(err)
	}
	reply, err := bufio.NewReader(out).ReadString('\n')
	if err != nil || !strings.Contains(reply, `"serverInfo"`) {
		t.Errorf("%v: initialize returns %s", err, reply)
	}
	_ = in.Close()
	if err := cmd.Wait(); err != nil {
		t.Errorf("serve ends with %v", err)
	}
}

func execute(t *testing.T, name string, args ...string) {
	t.Helper()
	if out, err := exec.CommandContext(t.Context(), name, args...).CombinedOutput(); err != nil {
		t.Fatalf("%s %v: %v\n%s", name, args, err, out)
	}
}

// unpack unpacks a bundle into a folder and returns its manifest.
func unpack(t *testing.T, path, dir string) (m bundleManifest) {
	t.Helper()
	z, err := zip.OpenReader(path)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = z.Close() }()
	if err := os.CopyFS(dir, z); err != nil {
		t.Fatal(err)
	}
	for _, f := range z.File { // CopyFS keeps no modes
		if err := os.Chmod(filepath.Join(dir, filepath.FromSlash(f.Name)), f.Mode()); err != nil {
			t.Fatal(err)
		}
	}
	text, err := os.ReadFile(filepath.Join(dir, "manifest.json"))
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(text, &m); err != nil {
		t.Fatal(err)
	}
	return m
}
