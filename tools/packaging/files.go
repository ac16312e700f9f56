package main

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"

	"github.com/patchbay-mcp/patchbay/internal/cli"
)

// completionFiles are the names that shells look for.
var completionFiles = map[string]string{"bash": "patchbay.bash", "zsh": "_patchbay", "fish": "patchbay.fish", "powershell": "patchbay.ps1"}

// files writes the completions and the man pages.
func (r release) files() error {
	for _, dir := range []string{"completions", "man"} {
		if err := os.RemoveAll(filepath.Join(r.dir, dir)); err != nil {
			return err
		}
		if err := os.MkdirAll(filepath.Join(r.dir, dir), 0o755); err != nil {
			return err
		}
	}
	for _, shell := range cli.Shells() {
		var script, problems bytes.Buffer
		if code := cli.Execute(context.Background(), []string{"completion", shell}, nil, &script, &problems); code != 0 {
			return fmt.Errorf("completion %s: %s", shell, problems.String())
		}
		if err := os.WriteFile(filepath.Join(r.dir, "completions", completionFiles[shell]), script.Bytes(), 0o644); err != nil {
			return err
		}
	}
	for name, page := range manPages(cli.Command()) {
		if err := os.WriteFile(filepath.Join(r.dir, "man", name), []byte(page), 0o644); err != nil {
			return err
		}
	}
	return nil
}
