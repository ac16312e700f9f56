package app_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/patchbay-mcp/patchbay/internal/app"
	"github.com/patchbay-mcp/patchbay/internal/around"
	"github.com/patchbay-mcp/patchbay/internal/config"
	"github.com/patchbay-mcp/patchbay/internal/library/graphfiles"
)

// Workflows and hook modules that come while the program runs have no effect until they are
// trusted; the former workflows stay. What the program writes is trusted.
func TestFilesThatComeLater(t *testing.T) {
	dir, state := t.TempDir(), t.TempDir()
	environ := func(name string) (string, bool) { return state, name == "XDG_STATE_HOME" || name == "LOCALAPPDATA" }
	put := func(name, text string) {
		t.Helper()
		path := filepath.Join(dir, name)
		err := os.MkdirAll(filepath.Dir(path), 0o755)
		if err == nil {
			err = os.WriteFile(path, []byte(text), 0o600)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	trust := config.OpenTrust(environ)
	trustAll := func() {
		t.Helper()
		if err := trust.Add(config.AsConfiguration, filepath.Join(dir, "patchbay.yaml"), ""); err != nil {
			t.Fatal(err)
		}
	}
	const guard = "workflows/guard.yaml"
	text := aroundCalls("name: guard\nworkflow: {on: tools/call, match: {tool: write}}\n", blocks, "")
	hooked := strings.Replace(text, "hook: {expr: '"+blocks+"'}", "hook: {module: m}", 1)
	put("patchbay.yaml", "")
	put(guard, text)
	put("hooks/m.js", `export default function (context) { return {continue: false, error: {code: "MODULE", message: "1"}} }`)
	trustAll()
	cfg, _, err := config.Load(config.Options{Dir: dir, Trust: trust, Environ: environ})
	if err != nil {
		t.Fatal(err)
	}
	files, err := graphfiles.OpenGraphs(cfg.WorkflowsDir)
	if err != nil {
		t.Fatal(err)
	}
	pb := withWorkflows(t, newDesk(), app.Options{WorkflowFiles: files, Beside: cfg.Beside, Hooks: around.HookOptions{ModulesDir: cfg.Hooks.ModulesDir}})
	expect := func(want string) {
		t.Helper()
		pb.Refresh()
		if got := write(t, pb); !strings.Contains(got, want) {
			t.Errorf("got %s, expected %s", got, want)
		}
	}
	expect("CLOSED")
	if err := os.Remove(filepath.Join(dir, guard)); err != nil {
		t.Fatal(err)
	}
	expect("CLOSED") // nobody has agreed to go without it
	put(guard, hooked)
	expect("CLOSED")
	if _, fault := pb.DisableWorkflow(operator(t), around.DisableInput{Name: "guard"}); fault == nil || fault.Code != "untrusted-file" {
		t.Errorf("%v", fault)
	}
	trustAll()
	expect("MODULE: 1")
	put("hooks/m.js", `export default function (context) { return {continue: true} }`)
	if got := write(t, pb); !strings.Contains(got, `the hook module "m" is new or has changed, and is not trusted`) {
		t.Error(got)
	}
	trustAll()
	expect("write")
	put("hooks/m.js", `export default function (context) { return {continue: false, error: {code: "MODULE", message: "2"}} }`)
	trustAll()
	if _, fault := pb.DisableWorkflow(operator(t), around.DisableInput{Name: "guard"}); fault != nil {
		t.Fatal(fault)
	}
	expect("write")
	if _, fault := pb.EnableWorkflow(operator(t), around.EnableInput{Name: "guard"}); fault != nil {
		t.Fatal(fault)
	}
	expect("MODULE: 2")
	if err := cfg.Beside.Carry(filepath.Join(dir, guard), func() error { put(guard, text); return nil }); err != nil {
		t.Fatal(err)
	}
	expect("CLOSED")
	put("workflows/guard.test.yaml", "[]")
	if _, fault := pb.TestWorkflows(operator(t), around.TestWorkflowsInput{}); fault == nil || !strings.Contains(fault.Message, "not trusted") {
		t.Errorf("%v", fault)
	}
}
