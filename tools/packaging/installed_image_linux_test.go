package main

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// nonroot is the user of the distroless image.
const nonroot = 65532

// TestInstalledImage starts the program as the image does, in a tree that has what the
// Dockerfile copies, a folder for temporary files, a home and nothing else, as a user who
// is not root. It does not build the image, which needs its base and an engine.
func TestInstalledImage(t *testing.T) {
	binary := built(t, "host/patchbay")
	if os.Getuid() != 0 {
		t.Skip("only root can change the root of a process")
	}
	f, err := readImage(filepath.Join("..", "..", "packaging", "Dockerfile"))
	if err != nil {
		t.Fatal(err)
	}
	root := t.TempDir()
	for to := range f.Copied {
		if err := copyFile(binary, filepath.Join(root, to), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	for _, dir := range []string{f.Workdir, "tmp", "home/nonroot"} {
		if err := os.MkdirAll(filepath.Join(root, dir), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.Chown(filepath.Join(root, dir), nonroot, nonroot); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Chmod(root, 0o755); err != nil { // of TempDir, only root's
		t.Fatal(err)
	}
	in := func(args ...string) *exec.Cmd {
		cmd := &exec.Cmd{Path: f.Entrypoint[0], Args: append(f.Entrypoint[:1:1], args...), Dir: f.Workdir, Env: []string{"HOME=/home/nonroot", "PATH=/usr/local/bin"}}
		cmd.SysProcAttr = &syscall.SysProcAttr{Chroot: root, Credential: &syscall.Credential{Uid: nonroot, Gid: nonroot}}
		return cmd
	}
	var out bytes.Buffer
	cmd := in("eval", "1+1")
	cmd.Stdout, cmd.Stderr = &out, &out
	if err := cmd.Run(); err != nil || !strings.Contains(out.String(), "2") {
		t.Errorf("eval: %v\n%s", err, out.String())
	}
	cmd = in(f.Cmd...)
	greetServer(t, cmd)
}
