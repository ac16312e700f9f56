package main

import (
	"debug/buildinfo"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strings"
)

// An sbom is a list of what a binary consists of, by CycloneDX 1.6: the modules of Go that
// the linker has noted in it, and the packages of npm that the web UI is built from.
type sbom struct {
	Schema       string           `json:"$schema"`
	Format       string           `json:"bomFormat"`
	Spec         string           `json:"specVersion"`
	Version      int              `json:"version"`
	Metadata     sbomMetadata     `json:"metadata"`
	Components   []sbomComponent  `json:"components"`
	Dependencies []sbomDependency `json:"dependencies"`
}

type sbomMetadata struct {
	Component sbomComponent `json:"component"`
}

type sbomComponent struct {
	Type       string              `json:"type"`
	Ref        string              `json:"bom-ref"`
	Name       string              `json:"name"`
	Version    string              `json:"version"`
	Licenses   []map[string]string `json:"licenses,omitempty"` // SPDX expressions
	Hashes     []map[string]string `json:"hashes,omitempty"`
	PURL       string              `json:"purl"`
	Properties []map[string]string `json:"properties,omitempty"`
}

type sbomDependency struct {
	Ref       string   `json:"ref"`
	DependsOn []string `json:"dependsOn"`
}

// sbomPath is where the SBOM of a platform is written.
func (r release) sbomPath(p platform) string {
	return filepath.Join(r.dir, "sbom", fmt.Sprintf("patchbay_%s_%s_%s.cdx.json", r.Version, p.os, p.arch))
}

// sbom writes the SBOM of a platform.
func (r release) sbom(p platform, binary string) error {
	info, err := buildinfo.ReadFile(binary)
	if err != nil {
		return err
	}
	sum, err := sumOf(binary)
	if err != nil {
		return err
	}
	page, err := npmLocked(filepath.FromSlash("ui/app/package-lock.json"))
	if err != nil {
		return err
	}
	main := sbomComponent{
		Type: "application", Ref: "pkg:golang/" + info.Main.Path + "@v" + r.Version, Name: "patchbay", Version: r.Version,
		Licenses: expression(r.about().License), Hashes: []map[string]string{{"alg": "SHA-256", "content": sum}},
	}
	main.PURL = main.Ref
	list := sbom{
		Schema: "http://cyclonedx.org/schema/bom-1.6.schema.json", Format: "CycloneDX", Spec: "1.6", Version: 1,
		Metadata: sbomMetadata{main}, Components: append(goModules(info), page...),
	}
	all := sbomDependency{Ref: main.Ref}
	for _, c := range list.Components {
		all.DependsOn = append(all.DependsOn, c.Ref)
	}
	list.Dependencies = []sbomDependency{all}
	return writeJSON(r.sbomPath(p), list)
}

// goModules are the standard library and the modules that are linked into a binary.
func goModules(info *debug.BuildInfo) []sbomComponent {
	module := func(path, version, sum string) sbomComponent {
		c := sbomComponent{Type: "library", Name: path, Version: version, PURL: "pkg:golang/" + strings.ToLower(path) + "@" + url.PathEscape(version)}
		if c.Ref = c.PURL; sum != "" {
			c.Properties = []map[string]string{{"name": "go.sum", "value": sum}} // of a list of files, and so not a hash of one
		}
		return c
	}
	all := []sbomComponent{module("stdlib", strings.TrimPrefix(info.GoVersion, "go"), "")}
	for _, m := range info.Deps {
		if m.Replace != nil {
			m = m.Replace
		}
		all = append(all, module(m.Path, m.Version, m.Sum))
	}
	return all
}

// npmLocked are the packages in a package-lock.json that are not only for development.
func npmLocked(path string) ([]sbomComponent, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	var lock struct {
		Packages map[string]struct {
			Version, License, Integrity string
			Dev                         bool
		}
	}
	if err := json.Unmarshal(text, &lock); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	found := map[string]sbomComponent{} // a package may be installed at several places
	for place, p := range lock.Packages {
		_, name, installed := strings.Cut(place, "node_modules/")
		if i := strings.LastIndex(name, "node_modules/"); i >= 0 {
			name = name[i+len("node_modules/"):]
		}
		if !installed || p.Dev {
			continue
		}
		c := sbomComponent{Type: "library", Name: name, Version: p.Version, PURL: "pkg:npm/" + strings.Replace(name, "@", "%40", 1) + "@" + p.Version, Licenses: expression(p.License)}
		if sum, ok := strings.CutPrefix(p.Integrity, "sha512-"); ok {
			if b, err := base64.StdEncoding.DecodeString(sum); err == nil {
				c.Hashes = []map[string]string{{"alg": "SHA-512", "content": hex.EncodeToString(b)}}
			}
		}
		c.Ref = c.PURL
		found[c.Ref] = c
	}
	var all []sbomComponent
	for _, c := range found {
		all = append(all, c)
	}
	slices.SortFunc(all, func(a, b sbomComponent) int { return strings.Compare(a.Ref, b.Ref) })
	return all, nil
}

func expression(license string) []map[string]string {
	if license == "" {
		return nil
	}
	return []map[string]string{{"expression": license}}
}
