package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"go.yaml.in/yaml/v4"
)

// TestCompose: the example of a deployment on Temporal refers to what it has. Images have a
// version, what others wait for says when it is healthy or ends, and workers share the folder
// of large values.
func TestCompose(t *testing.T) {
	dir := filepath.Join("..", "..", "packaging", "temporal")
	text, err := os.ReadFile(filepath.Join(dir, "compose.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	var site struct {
		Services map[string]struct {
			Image   string
			Build   *struct{ Context, Dockerfile string }
			Command []string
			Volumes []string
			Restart string
			Depends map[string]struct{ Condition string } `yaml:"depends_on"`
			Health  *struct{ Test []string }              `yaml:"healthcheck"`
		}
		Volumes map[string]any
	}
	if err := yaml.Unmarshal(text, &site); err != nil {
		t.Fatal(err)
	}
	for name, s := range site.Services {
		if _, tag, _ := strings.Cut(s.Image, ":"); (s.Image == "") == (s.Build == nil) || s.Build == nil && (tag == "" || tag == "latest") {
			t.Errorf("%s is of the image %q", name, s.Image)
		}
		if s.Build != nil {
			if _, err := os.Stat(filepath.Join(dir, s.Build.Context, s.Build.Dockerfile)); err != nil {
				t.Error(err)
			}
		}
		for _, v := range s.Volumes {
			from, _, _ := strings.Cut(v, ":")
			if _, declared := site.Volumes[from]; !declared && !strings.HasPrefix(from, "./") {
				t.Errorf("%s uses the volume %s, which is not declared", name, from)
			}
		}
		for other, on := range s.Depends {
			on, to := on.Condition, site.Services[other]
			healthy := on == "service_healthy" && to.Health != nil && len(to.Health.Test) > 1
			ends := on == "service_completed_successfully" && to.Health == nil && to.Restart == ""
			if !healthy && !ends {
				t.Errorf("%s waits for %s, which neither says when it is healthy nor ends", name, other)
			}
		}
	}
	worker := site.Services["worker"]
	if len(worker.Command) != 1 || worker.Command[0] != "worker" || !strings.Contains(strings.Join(worker.Volumes, " "), "blobs:/blobs") {
		t.Errorf("the workers execute %v with %v", worker.Command, worker.Volumes)
	}
}
