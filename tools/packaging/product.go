package main

import (
	"fmt"
	"os"
	"strings"
	"text/template"

	"go.yaml.in/yaml/v4"
)

// Names that packages are published under.
const (
	npmScope     = "@patchbay-mcp"
	npmPackage   = npmScope + "/patchbay"
	registryName = "io.github.patchbay-mcp/patchbay"
	image        = "ghcr.io/patchbay-mcp/patchbay"
)

// keywords are what catalogs of packages find the product by.
var keywords = []string{"mcp", "model-context-protocol", "workflow", "agents", "gateway"}

// A product is what .goreleaser.yaml declares, as far as packages need it: of the builds,
// that of patchbay.
type product struct {
	Version string
	Builds  []struct {
		ID                           string
		Main                         string
		Env, Flags, Ldflags, Gcflags []string
		Goos, Goarch                 []string
	}
	Nfpms []deb
}

// A deb is an entry of nfpms. What it says of the product, other packages say, too.
type deb struct {
	PackageName                                        string `yaml:"package_name"`
	Vendor, Maintainer, Description, Homepage, License string
	Section, Bindir                                    string
	Contents                                           []map[string]string
}

// about is what the product says of itself.
func (p *product) about() *deb { return &p.Nfpms[0] }

// readProduct reads the declaration.
func readProduct(path, version string) (*product, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	p := &product{}
	if err := yaml.Unmarshal(text, p); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	p.Version = version
	for i, b := range p.Builds {
		if b.ID == "patchbay" {
			p.Builds = p.Builds[i : i+1]
			break
		}
	}
	if len(p.Builds) != 1 || len(p.Nfpms) != 1 || len(p.Builds[0].Ldflags) != 1 {
		return nil, fmt.Errorf("%s: one build with the id patchbay and one ldflags and one entry of nfpms are expected", path)
	}
	return p, nil
}

// expand fills a template of goreleaser; it knows .Version.
func (p *product) expand(text string) (string, error) {
	t, err := template.New("value").Option("missingkey=error").Parse(text)
	if err != nil {
		return "", err
	}
	var b strings.Builder
	err = t.Execute(&b, p)
	return b.String(), err
}

// platforms are those of the release.
func (p *product) platforms() (all []platform) {
	for _, goos := range p.Builds[0].Goos {
		for _, goarch := range p.Builds[0].Goarch {
			all = append(all, platform{goos, goarch})
		}
	}
	return all
}

// A platform is a system and a processor, in the words of Go.
type platform struct{ os, arch string }

// node is the platform in the words of Node.js: its process.platform and process.arch.
func (p platform) node() (system, processor string) {
	system, processor = p.os, p.arch
	if system == "windows" {
		system = "win32"
	}
	if processor == "amd64" {
		processor = "x64"
	}
	return system, processor
}

// program is the name of the binary.
func (p platform) program() string {
	if p.os == "windows" {
		return "patchbay.exe"
	}
	return "patchbay"
}

// npm is the name of the package with the platform's binary.
func (p platform) npm() string {
	system, processor := p.node()
	return npmScope + "/" + system + "-" + processor
}
