package main

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"go.yaml.in/yaml/v4"
)

// TestWorkflows: what the workflows run exists: targets of make, scripts and packages. The
// actions and the tools that they download have a version.
func TestWorkflows(t *testing.T) {
	root := filepath.Join("..", "..")
	makefile, err := os.ReadFile(filepath.Join(root, "Makefile"))
	if err != nil {
		t.Fatal(err)
	}
	targets := map[string]bool{}
	for _, m := range regexp.MustCompile(`(?m)^([a-z-]+):`).FindAllSubmatch(makefile, -1) {
		targets[string(m[1])] = true
	}
	files, err := filepath.Glob(filepath.Join(root, ".github", "workflows", "*.yml"))
	if err != nil || len(files) == 0 {
		t.Fatal(err, files)
	}
	makes, paths := regexp.MustCompile(`\bmake((?: [a-z-]+)+)`), regexp.MustCompile(`(?:^|\s)(\./[\w/-]+|\.ci/\w+)`)
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		var w struct {
			Jobs map[string]struct {
				Steps []struct{ Uses, Run string }
			}
		}
		if err := yaml.Unmarshal(text, &w); err != nil {
			t.Fatal(err)
		}
		for name, job := range w.Jobs {
			for _, step := range job.Steps {
				if step.Uses != "" && !regexp.MustCompile(`@v\d`).MatchString(step.Uses) {
					t.Errorf("%s, %s: %s has no version", file, name, step.Uses)
				}
				for _, m := range makes.FindAllStringSubmatch(step.Run, -1) {
					for target := range strings.FieldsSeq(m[1]) {
						if !targets[target] {
							t.Errorf("%s, %s: there is no target %s", file, name, target)
						}
					}
				}
				for _, m := range paths.FindAllStringSubmatch(step.Run, -1) {
					if _, err := os.Stat(filepath.Join(root, filepath.FromSlash(m[1]))); err != nil {
						t.Errorf("%s, %s: %v", file, name, err)
					}
				}
				if strings.Contains(step.Run, "latest/download") || strings.Contains(step.Run, "@latest") {
					t.Errorf("%s, %s: %s downloads what may change", file, name, step.Run)
				}
			}
		}
	}
}
