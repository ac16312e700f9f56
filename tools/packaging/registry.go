package main

import (
	"crypto/sha256"
	"encoding/hex"
	"io"
	"os"
	"path/filepath"
)

// registryEntry is the server.json of the MCP registry.
type registryEntry struct {
	Schema      string            `json:"$schema"`
	Name        string            `json:"name"`
	Title       string            `json:"title"`
	Description string            `json:"description"`
	Version     string            `json:"version"`
	Repository  map[string]string `json:"repository"`
	Packages    []registryPackage `json:"packages"`
}

type registryPackage struct {
	Type        string              `json:"registryType"`
	Identifier  string              `json:"identifier"`
	Version     string              `json:"version,omitempty"`
	SHA256      string              `json:"fileSha256,omitempty"`
	RuntimeHint string              `json:"runtimeHint,omitempty"`
	Runtime     []map[string]string `json:"runtimeArguments,omitempty"`
	Arguments   []map[string]string `json:"packageArguments,omitempty"`
	Transport   map[string]string   `json:"transport"`
}

// registryEntry lists the packages of the version: npm, the image, and the bundles that
// are in build.
func (r release) registryEntry() (registryEntry, error) {
	stdio := map[string]string{"type": "stdio"}
	serve := []map[string]string{{"type": "positional", "value": "serve"}}
	e := registryEntry{
		Schema: "https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json",
		Name:   registryName, Title: "Patchbay", Description: r.about().Description, Version: r.Version,
		Repository: map[string]string{"url": r.about().Homepage, "source": "github"},
		Packages: []registryPackage{
			{Type: "npm", Identifier: npmPackage, Version: r.Version, RuntimeHint: "npx", Arguments: serve, Transport: stdio},
			{Type: "oci", Identifier: image + ":" + r.Version, RuntimeHint: "docker", Arguments: serve, Transport: stdio},
		},
	}
	for _, p := range r.platforms() {
		path := r.bundlePath(p)
		sum, err := sumOf(path)
		if os.IsNotExist(err) {
			continue // a build of some platforms
		}
		if err != nil {
			return e, err
		}
		at := r.about().Homepage + "/releases/download/v" + r.Version + "/" + filepath.Base(path)
		e.Packages = append(e.Packages, registryPackage{Type: "mcpb", Identifier: at, SHA256: sum, Transport: stdio})
	}
	return e, nil
}

func sumOf(path string) (string, error) {
	in, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer func() { _ = in.Close() }()
	h := sha256.New()
	_, err = io.Copy(h, in)
	return hex.EncodeToString(h.Sum(nil)), err
}
