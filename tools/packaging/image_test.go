package main

import (
	"bufio"
	"encoding/json"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// An imageFile is what a Dockerfile says of the image.
type imageFile struct {
	From, Workdir   string
	Copied          map[string]string // sources by their places
	Labels          map[string]string
	Entrypoint, Cmd []string
}

// readImage reads a Dockerfile of one stage.
func readImage(path string) (f imageFile, err error) {
	file, err := os.Open(path)
	if err != nil {
		return f, err
	}
	defer func() { _ = file.Close() }()
	f.Copied, f.Labels = map[string]string{}, map[string]string{}
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
		case "LABEL":
			name, value, _ := strings.Cut(rest, "=")
			f.Labels[name] = strings.Trim(value, `"`)
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

// TestImage: the image is labelled with what the product says of itself, and the MCP registry
// finds the label that it looks for. What is published is for platforms that are built.
func TestImage(t *testing.T) {
	root := filepath.Join("..", "..")
	f, err := readImage(filepath.Join(root, "packaging", "Dockerfile"))
	if err != nil {
		t.Fatal(err)
	}
	const about = "org.opencontainers.image."
	want := map[string]string{
		about + "source": declared(t).about().Homepage, about + "description": declared(t).about().Description, about + "licenses": declared(t).about().License, about + "version": "$VERSION",
		"io.modelcontextprotocol.server.name": registryName,
	}
	if !maps.Equal(f.Labels, want) {
		t.Errorf("the labels are %v, want %v", f.Labels, want)
	}
	publish, err := os.ReadFile(filepath.Join(root, ".ci", "publish"))
	if err != nil {
		t.Fatal(err)
	}
	platforms := regexp.MustCompile(`--platform (\S+)`).FindSubmatch(publish)
	if !strings.Contains(string(publish), "\nimage="+image+"\n") || platforms == nil {
		t.Fatalf("server.json names %s, .ci/publish publishes something else", image)
	}
	all := declaredPlatforms(t)
	for p := range strings.SplitSeq(string(platforms[1]), ",") {
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
