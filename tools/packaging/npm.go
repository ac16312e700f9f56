package main

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"os"
	"path/filepath"
)

// packageJSON is the manifest of a package of npm.
type packageJSON struct {
	Name        string            `json:"name"`
	Version     string            `json:"version"`
	Description string            `json:"description"`
	McpName     string            `json:"mcpName,omitempty"` // what the MCP registry looks for
	Keywords    []string          `json:"keywords,omitempty"`
	Homepage    string            `json:"homepage"`
	License     string            `json:"license"`
	Author      string            `json:"author"`
	Repository  map[string]string `json:"repository"`
	Bin         map[string]string `json:"bin,omitempty"`
	Files       []string          `json:"files"`
	OS          []string          `json:"os,omitempty"`
	CPU         []string          `json:"cpu,omitempty"`
	Engines     map[string]string `json:"engines,omitempty"`
	Optional    map[string]string `json:"optionalDependencies,omitempty"`
	Publish     map[string]string `json:"publishConfig"`
}

func (r release) manifest(name string) packageJSON {
	return packageJSON{
		Name: name, Version: r.Version, Description: r.about().Description, Homepage: r.about().Homepage, License: r.about().License, Author: r.about().Vendor,
		Repository: map[string]string{"type": "git", "url": "git+" + r.about().Homepage + ".git"}, Publish: map[string]string{"access": "public"},
	}
}

// platformManifest is that of the package with the binary of a platform.
func (r release) platformManifest(p platform) packageJSON {
	m := r.manifest(p.npm())
	system, processor := p.node()
	m.Files, m.OS, m.CPU = []string{"bin"}, []string{system}, []string{processor}
	return m
}

// mainManifest is that of the package that people install: npm installs the one platform
// package that fits with it.
func (r release) mainManifest() packageJSON {
	m := r.manifest(npmPackage)
	m.McpName, m.Keywords = registryName, keywords
	m.Bin, m.Files = map[string]string{"patchbay": "patchbay.js"}, []string{"patchbay.js"}
	m.Engines = map[string]string{"node": ">=18"}
	m.Optional = map[string]string{}
	for _, p := range r.platforms() {
		m.Optional[p.npm()] = r.Version
	}
	return m
}

// npmPack writes a package and packs it into a tarball in build/npm. The files are given
// by their path in the package, executable.
func (r release) npmPack(ctx context.Context, m packageJSON, files map[string]string) error {
	dir := filepath.Join(r.dir, "npm", filepath.FromSlash(m.Name))
	if err := os.RemoveAll(dir); err != nil {
		return err
	}
	files["LICENSE"] = "LICENSE"
	for to, from := range files {
		if err := copyFile(from, filepath.Join(dir, filepath.FromSlash(to)), 0o755); err != nil {
			return err
		}
	}
	if m.Name == npmPackage {
		if err := copyFile("README.md", filepath.Join(dir, "README.md"), 0o644); err != nil {
			return err
		}
	}
	if err := writeJSON(filepath.Join(dir, "package.json"), m); err != nil {
		return err
	}
	to, err := filepath.Abs(filepath.Join(r.dir, "npm"))
	if err != nil {
		return err
	}
	return r.command(ctx, dir, "npm", "pack", "--silent", "--pack-destination", to)
}

func writeJSON(path string, v any) error {
	b, err := marshal(v)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	return os.WriteFile(path, b, 0o644)
}

// marshal writes JSON as people do.
func marshal(v any) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	err := e.Encode(v)
	return b.Bytes(), err
}

func copyFile(from, to string, mode os.FileMode) error {
	in, err := os.Open(from)
	if err != nil {
		return err
	}
	defer func() { _ = in.Close() }()
	if err := os.MkdirAll(filepath.Dir(to), 0o755); err != nil {
		return err
	}
	out, err := os.OpenFile(to, os.O_CREATE|os.O_TRUNC|os.O_WRONLY, mode)
	if err != nil {
		return err
	}
	if _, err := io.Copy(out, in); err != nil {
		_ = out.Close()
		return err
	}
	return out.Close()
}
