package app_test

import (
	"bytes"
	"encoding/json"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/patchbay-mcp/patchbay/internal/app"
	"github.com/patchbay-mcp/patchbay/internal/around"
	"github.com/patchbay-mcp/patchbay/internal/author"
	"github.com/patchbay-mcp/patchbay/internal/plans"
)

// scripted is a workflow with a script or module before and after the call.
func scripted(before, after string) string {
	quoted := func(hook string) string {
		b, _ := json.Marshal(hook)
		if name, isModule := strings.CutPrefix(hook, "module "); isModule {
			return "{module: " + name + "}"
		}
		return "{script: " + string(b) + "}"
	}
	return "name: w\nworkflow: {on: tools/call}\nnodes:\n" +
		"  - {id: start, type: start, next: before}\n" +
		"  - {id: before, type: hook, hook: " + quoted(before) + ", timeoutMs: 300, next: call}\n" +
		"  - {id: call, type: mcp-call, next: after}\n" +
		"  - {id: after, type: hook, hook: " + quoted(after) + ", timeoutMs: 300, next: end}\n" +
		"  - {id: end, type: end}\n"
}

const passes = `return {continue: true}`

func TestScriptsOfHooks(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "two.js"), []byte(`export default (context) => { context.request.params.arguments.a = 2; return {context} }`), 0o600); err != nil {
		t.Fatal(err)
	}
	for name, tt := range map[string]struct {
		before, after, want string
		calls               int64
	}{
		"pass":               {passes, passes, `"mail a@b.example write {\"a\":1}"`, 1},
		"change the request": {`async (context) => { await sleep(1); context.request.params.arguments.a = 2; return {request: context.request} }`, passes, `write {\"a\":2}`, 1},
		"return the context": {`function hook(context) { context.request.params.arguments.a = 3; return {continue: true, context} }`, passes, `write {\"a\":3}`, 1},
		"module":             {"module two", passes, `write {\"a\":2}`, 1},
		"change the answer":  {passes, `context.response.content[0].text = "other"; return {response: context.response}`, `"other"`, 1},
		"block":              {`return {continue: false, error: {code: "CLOSED", message: "not now"}}`, passes, "CLOSED: not now (hook before)", 0},
		"throw":              {`throw new Error("mine")`, passes, "SCRIPT_ERROR: Error: mine at 1:7", 0},
		"throw after":        {passes, `null.x`, "answer is withheld", 1},
		"never settle":       {`await new Promise(() => {})`, passes, "TIMEOUT", 0},
		"loop":               {`for (;;) {}`, passes, "TIMEOUT", 0},
		"take memory":        {`return new Uint8Array(1e9).fill(1).length`, passes, "(hook before)", 0},
		"change the method":  {`context.request.method = "tools/list"; return {request: context.request}`, passes, "must not change the method", 0},
		"return a cycle":     {`const a = {}; a.a = a; return a`, passes, "not JSON", 0},
		"return much":        {`context.request.params.arguments.a = "x".repeat(9 << 20); return {request: context.request}`, passes, "(hook before)", 0},
		"no context to take": {`return typeof secrets === "undefined" ? {continue: true} : {continue: false}`, passes, `write {\"a\":1}`, 1},
	} {
		t.Run(name, func(t *testing.T) {
			d := newDesk()
			got := write(t, withWorkflows(t, d, app.Options{Hooks: around.HookOptions{ModulesDir: dir}}, scripted(tt.before, tt.after)))
			if !strings.Contains(got, tt.want) || d.calls.Load() != tt.calls {
				t.Errorf("%s after %d calls, expected %s after %d", got, d.calls.Load(), tt.want, tt.calls)
			}
		})
	}
}

// A secret that the operator binds is seen by scripts, and masked in what they log and
// throw.
func TestSecretsOfScripts(t *testing.T) {
	var log bytes.Buffer
	d := newDesk()
	pb := withWorkflows(t, d, app.Options{
		Logger: slog.New(slog.NewTextHandler(&log, nil)),
		Hooks: around.HookOptions{Secrets: map[string]string{"TOKEN": "tops3cret"}, Redact: func(s string) string {
			return strings.ReplaceAll(s, "tops3cret", "***")
		}},
	}, scripted(`console.warn("it is", secrets.TOKEN); if (secrets.TOKEN === "tops3cret") throw new Error(secrets.TOKEN)`, passes))
	if got := write(t, pb); !strings.Contains(got, "Error: ***") || strings.Contains(got, "tops3cret") {
		t.Error(got)
	}
	pb.Close()
	if text := log.String(); !strings.Contains(text, `level=WARN msg="it is ***" hook=before`) || strings.Contains(text, "tops3cret") {
		t.Error(text)
	}
}

// The place of an error in a script is that in the document.
func TestScriptsAreChecked(t *testing.T) {
	pb := withWorkflows(t, newDesk(), app.Options{Hooks: around.HookOptions{ModulesDir: t.TempDir()}})
	text := `name: w
workflow: {on: tools/call}
nodes:
  - {id: start, type: start, next: check}
  - id: check
    type: hook
    hook:
      script: |
        function hook(context) {
          const é = ;
        }
    next: call
  - {id: call, type: mcp-call, next: other}
  - {id: other, type: hook, hook: {module: none}, next: end}
  - {id: end, type: end}
`
	r, fault := pb.Validate(operator(t), author.ValidateInput{GraphInput: plans.FromText("w.yaml", text, "")})
	if fault != nil {
		t.Fatal(fault)
	}
	var found []string
	for _, d := range r.Errors {
		found = append(found, d.Code)
		if d.Code == "bad-script" && (d.Range.Start.Line != 10 || d.Range.Start.Column != 21 || !strings.Contains(d.Message, "Unexpected token ;")) {
			t.Errorf("%+v %s", d.Range, d.Message)
		}
	}
	if got := strings.Join(found, " "); got != "bad-script unknown-hook-module" {
		t.Error(got, r.Errors)
	}
}
