package config_test

import (
	"path/filepath"
	"testing"

	"github.com/patchbay-mcp/patchbay/internal/config"
)

// TestWorkflowsNeedTrust uses the workflows next to a file only when it is trusted, also if
// nothing in the file needs trust.
func TestWorkflowsNeedTrust(t *testing.T) {
	dir := folder(t, map[string]string{
		"patchbay.yaml":    "limits: {maxRuns: 5}\n",
		"workflows/w.yaml": "name: w\n",
	})
	variables := map[string]string{"HOME": t.TempDir(), "XDG_STATE_HOME": t.TempDir()}
	trust := config.OpenTrust(func(name string) (string, bool) { v, ok := variables[name]; return v, ok })
	o := config.Options{Dir: dir, Trust: trust}
	cfg, _ := load(t, o, variables)
	if cfg.WorkflowsDir != "" || cfg.Untrusted == nil {
		t.Errorf("the workflows of a file that is not trusted are used: %q, %v", cfg.WorkflowsDir, cfg.Untrusted)
	}
	file := filepath.Join(dir, "patchbay.yaml")
	if err := trust.Add(config.AsConfiguration, file, "limits: {maxRuns: 5}\n"); err != nil {
		t.Fatal(err)
	}
	if cfg, _ = load(t, o, variables); cfg.WorkflowsDir != filepath.Join(dir, "workflows") || cfg.Untrusted != nil {
		t.Errorf("the workflows of a trusted file are not used: %q, %v", cfg.WorkflowsDir, cfg.Untrusted)
	}
}

func TestWorkflowsInTheFile(t *testing.T) {
	dir := folder(t, map[string]string{"patchbay.yaml": `
workflows:
  - {name: a, workflow: {on: tools/call}, nodes: []}
  - {workflow: {on: tools/call}, nodes: []}
  - {name: a, nodes: []}
  - text
`})
	cfg, list := load(t, config.Options{Dir: dir}, nil)
	if len(cfg.Workflows) != 1 || cfg.Workflows[0].Graph.Tools()[0].Name.Text() != "a" || len(list) != 3 {
		t.Errorf("%v, %v", cfg.Workflows, summary(list))
	}
}
