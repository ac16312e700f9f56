package main

import (
	"archive/zip"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/patchbay-mcp/patchbay/internal/app"
)

// bundleManifest is the manifest.json of a bundle, by version 0.3 of its specification.
type bundleManifest struct {
	ManifestVersion string            `json:"manifest_version"`
	Name            string            `json:"name"`
	DisplayName     string            `json:"display_name"`
	Version         string            `json:"version"`
	Description     string            `json:"description"`
	Author          map[string]string `json:"author"`
	Repository      map[string]string `json:"repository"`
	Homepage        string            `json:"homepage"`
	Documentation   string            `json:"documentation"`
	License         string            `json:"license"`
	Keywords        []string          `json:"keywords"`
	Server          bundleServer      `json:"server"`

	UserConfig     map[string]bundleOption `json:"user_config"` // what a person may set
	Tools          []bundleTool            `json:"tools"`
	ToolsGenerated bool                    `json:"tools_generated"` // saved graphs are tools, too
	Compatibility  map[string]any          `json:"compatibility"`
}

type bundleServer struct {
	Type       string      `json:"type"`
	EntryPoint string      `json:"entry_point"`
	Config     bundleStart `json:"mcp_config"`
}

type bundleStart struct {
	Command string            `json:"command"`
	Args    []string          `json:"args"`
	Env     map[string]string `json:"env"`
}

// A bundleOption is a setting of a bundle.
type bundleOption struct {
	Type        string `json:"type"`
	Title       string `json:"title"`
	Description string `json:"description"`
	Required    bool   `json:"required"`
	Default     string `json:"default"`
}

type bundleTool struct {
	Name        string `json:"name"`
	Description string `json:"description"`
}

func (r release) bundleManifest(p platform) bundleManifest {
	system, _ := p.node()
	entry := "server/" + p.program()
	m := bundleManifest{
		ManifestVersion: "0.3", Name: "patchbay", DisplayName: "Patchbay", Version: r.Version, Description: r.about().Description,
		Author: map[string]string{"name": r.about().Vendor}, Repository: map[string]string{"type": "git", "url": r.about().Homepage + ".git"},
		Homepage: r.about().Homepage, Documentation: r.about().Homepage + "/tree/main/docs", License: r.about().License, Keywords: keywords,
		Server:         bundleServer{"binary", entry, bundleStart{"${__dirname}/" + entry, []string{"serve", "--config", "${user_config.config}"}, map[string]string{}}},
		UserConfig:     map[string]bundleOption{"config": {Type: "file", Title: "patchbay.yaml", Description: "The configuration with your MCP servers; without it, your own in ~/.config/patchbay/patchbay.yaml"}},
		ToolsGenerated: true, Compatibility: map[string]any{"platforms": []string{system}},
	}
	for _, o := range app.Operations() {
		if o.Tool != "" && !o.Debug {
			m.Tools = append(m.Tools, bundleTool{o.Tool, o.Description})
		}
	}
	return m
}

// bundlePath is where the bundle of a platform is written.
func (r release) bundlePath(p platform) string {
	return filepath.Join(r.dir, "mcpb", fmt.Sprintf("patchbay_%s_%s_%s.mcpb", r.Version, p.os, p.arch))
}

// bundle writes the bundle of a platform: a zip of the manifest, the binary and the licence.
func (r release) bundle(p platform, binary string) (err error) {
	path := r.bundlePath(p)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	file, err := os.Create(path)
	if err != nil {
		return err
	}
	defer func() {
		if wrong := file.Close(); err == nil {
			err = wrong
		}
	}()
	m := r.bundleManifest(p)
	manifest, err := marshal(m)
	if err != nil {
		return err
	}
	z := zip.NewWriter(file)
	w, err := entry(z, "manifest.json", 0o644)
	if err != nil {
		return err
	}
	if _, err := w.Write(manifest); err != nil {
		return err
	}
	for _, add := range []struct {
		from, to string
		mode     os.FileMode
	}{{binary, m.Server.EntryPoint, 0o755}, {"LICENSE", "LICENSE", 0o644}} {
		if w, err = entry(z, add.to, add.mode); err != nil {
			return err
		}
		if err := copyInto(w, add.from); err != nil {
			return err
		}
	}
	return z.Close()
}

func entry(z *zip.Writer, name string, mode os.FileMode) (io.Writer, error) {
	h := &zip.FileHeader{Name: name, Method: zip.Deflate}
	h.SetMode(mode)
	return z.CreateHeader(h)
}

func copyInto(w io.Writer, from string) error {
	in, err := os.Open(from)
	if err != nil {
		return err
	}
	defer func() { _ = in.Close() }()
	_, err = io.Copy(w, in)
	return err
}
