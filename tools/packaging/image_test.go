package main

import (
	"bufio"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"go.yaml.in/yaml/v4"
)

// An imageFile is what a Dockerfile says of the image.
type imageFile struct {
	From, Workdir   string
	Copied          map[string]string // sources by their places
	Entrypoint, Cmd []string
}

// readImage reads a Dockerfile of one stage.
func readImage(path string) (f imageFile, err error) {
	file, err := os.Open(path)
	if err != nil {
		return f, err
	}
	defer func() { _ = file.Close() }()
	f.Copied = map[string]string{}
	lines := bufio.NewScanner(file)
	for lines.Scan() {
		instruction, rest, _ := strings.Cut(lines.Text(), " ")
		switch instruction {
		case "FROM":
			f.From = rest
		case "WORKDIR":
			f.Workdir = rest
		case "COPY":
			from, to, _ := strings.Cut(rest, " ")
			f.Copied[to] = from
		case "ENTRYPOINT":
			err = json.Unmarshal([]byte(rest), &f.Entrypoint)
		case "CMD":
			err = json.Unmarshal([]byte(rest), &f.Cmd)
		}
		if err != nil {
			return f, err
		}
	}
	return f, lines.Err()
}

// TestImage: the image that goreleaser declares and the Dockerfile fit together, and the MCP
// registry finds the label that it looks for.
func TestImage(t *testing.T) {
	root := filepath.Join("..", "..")
	text, err := os.ReadFile(filepath.Join(root, ".goreleaser.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	var declared struct {
		Images []struct {
			Dockerfile              string
			Images, Tags, Platforms []string
			Labels                  map[string]string
		} `yaml:"dockers_v2"`
	}
	if err := yaml.Unmarshal(text, &declared); err != nil || len(declared.Images) != 1 {
		t.Fatalf("%v: %+v", err, declared)
	}
	d := declared.Images[0]
	f, err := readImage(filepath.Join(root, filepath.FromSlash(d.Dockerfile)))
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(d.Images, []string{image}) || !slices.Contains(d.Tags, "{{ .Version }}") || d.Labels["io.modelcontextprotocol.server.name"] != registryName {
		t.Errorf("server.json names %s of %s, the image is %+v", image, registryName, d)
	}
	for name, value := range d.Labels {
		if !strings.Contains(name, ".") || value == "" {
			t.Errorf("the label %s is %q", name, value)
		}
	}
	all := declaredPlatforms(t)
	for _, p := range d.Platforms {
		if !slices.Contains(all, p) {
			t.Errorf("an image is for %s, which is not built", p)
		}
	}
	if !strings.Contains(f.From, "/distroless/static") || !strings.HasSuffix(f.From, ":nonroot") {
		t.Errorf("the image is from %s", f.From)
	}
	if len(f.Entrypoint) != 1 || f.Copied[f.Entrypoint[0]] != "$TARGETPLATFORM/patchbay" || !slices.Equal(f.Cmd, []string{"serve"}) {
		t.Errorf("the image has %v and starts %v %v", f.Copied, f.Entrypoint, f.Cmd)
	}
}

func declaredPlatforms(t *testing.T) (all []string) {
	t.Helper()
	for _, p := range declared(t).platforms() {
		all = append(all, p.os+"/"+p.arch)
	}
	return all
}
