package main

import (
	"os"
	"path/filepath"
	"strings"

	"github.com/patchbay-mcp/patchbay/diag"
)

// rulesIntro says what the rules are and what a reader may rely on.
const rulesIntro = `These are the diagnostics that ` + "`validate`" + ` and ` + "`packs lint`" + `, and Patchbay when it starts, can report. There are three severities:

- **error**: the graph or the file is refused, or the node of a knowledge pack is left out;
- **warning**: it runs, but probably not as intended;
- **note**: worth knowing.

From version 1.0 on, a code never changes its meaning and is never reused.

A document defines one or more tools; the nodes of each are its graph. In these pages, "the tool" of an argument is the tool that a node calls, and "a tool" of a document is one that it defines.

## What ` + "`valid: true`" + ` means

` + "`valid: true`" + ` means that no rule of severity error is broken: the checker knows of nothing that makes every run fail.

If there is also no warning [maybe-wrong-type](maybe-wrong-type.md), [maybe-missing](maybe-missing.md) or [maybe-not-run](maybe-not-run.md), and no note
[undeclared-field](undeclared-field.md), then no run fails because of a type: no operator, function, tool or outputSchema is given a value of a type that it refuses,
a string outside its enum, or an object without a required field.

Three things are decided only when the graph runs:

- values that no schema describes, such as the result of a tool without an outputSchema;
- values that have the right type and still fail, such as a string that is not a number, or one that does not match a pattern;
- how many items a list has, where an index or ` + "`minItems`" + ` needs more of them.

A warning names the place and the values that fail there. A run without such values succeeds.

## All rules
`

// rulesPages are the index of the rules and a page for each.
func rulesPages(fixtures string) ([]page, error) {
	shown, err := shownFaults(fixtures)
	if err != nil {
		return nil, err
	}
	index := newPage("Rules", rulesIntro)
	index.head("code", "severity", "summary")
	pages := []page{{}}
	for _, r := range diag.Rules() {
		index.row("["+r.Code+"]("+r.Code+".md)", string(r.Severity), summary(r.Doc))
		pages = append(pages, page{rulesDir + "/" + r.Code + ".md", rulePage(r, shown[r.Example()])})
	}
	pages[0] = page{rulesDir + "/README.md", index.page()}
	return pages, nil
}

// rulePage describes one rule by its text and a fixture that breaks it.
func rulePage(r *diag.Rule, f shownFault) string {
	w := newPage(r.Code, "**"+string(r.Severity)+"** · [all rules](README.md)")
	w.prose(r.Doc)
	if f.said == "" {
		return w.page()
	}
	w.line("## Example\n")
	if f.faulty != "" {
		w.fence(f.language, f.faulty)
		w.line("The checker reports:\n")
	}
	w.fence("text", f.said)
	if f.fixed != "" {
		w.line("After the first fix of each diagnostic:\n")
		w.fence(f.language, f.fixed)
	}
	return w.page()
}

// summary is the first sentence of a rule's text.
func summary(doc string) string {
	if i := strings.Index(doc, ". "); i > 0 {
		return doc[:i+1]
	}
	return doc
}

// A shownFault is a fixture: the faulty source and its language, what is reported
// about it, and the source after the fixes.
type shownFault struct {
	language, faulty, said, fixed string
}

// shownFaults are the fixtures of a folder by their names. A folder that is absent has
// none.
func shownFaults(dir string) (map[string]shownFault, error) {
	shown := map[string]shownFault{}
	for _, pattern := range []string{"*.out", "config/*.out", "packs/*.out"} {
		outs, err := filepath.Glob(filepath.Join(dir, filepath.FromSlash(pattern)))
		if err != nil {
			return nil, err
		}
		for _, path := range outs {
			said, err := os.ReadFile(path)
			if err != nil {
				return nil, err
			}
			name, _, _ := strings.Cut(filepath.Base(path), ".")
			source := strings.TrimSuffix(path, ".out")
			shown[name] = shownFault{language(source), textOf(source), string(said), textOf(source + ".fixed")}
		}
	}
	return shown, nil
}

// language is what a Markdown fence calls the text of a file.
func language(path string) string {
	switch ext := filepath.Ext(path); ext {
	case ".yaml", ".json", ".js":
		return ext[1:]
	default:
		return "text"
	}
}

// textOf is the text of a file, or "".
func textOf(path string) string {
	b, err := os.ReadFile(path)
	if err != nil {
		return ""
	}
	return string(b)
}

const faultsIntro = "A *fault* is the failure of a run, or of a call or command. A reply has it under `error: {code, message, node, hint}`, and the command line prints its code in brackets. " +
	"What is wrong in a document is a *diagnostic* instead; its codes are [rules](../rules/README.md)."

// faultEffects are the sections of the page of faults.
var faultEffects = []struct {
	effect       diag.Effect
	title, intro string
}{
	{diag.FailsAttempt, "A node or a run fails", "A node that fails with one of these is tried again by its `retry`, and continues at its `onError`, with the code in `$.<node>.error.code`."},
	{diag.FailsNode, "A node fails, whatever is tried", "`retry` does not repeat these; they continue at `onError`."},
	{diag.EndsRun, "The run ends", "Neither `retry` nor `onError` handles these: they [end the run](../runs.md#failure)."},
	{diag.ParksRun, "The run is parked", "The run has not failed: it continues after a decision."},
	{diag.RefusesRequest, "A call or a command is refused", "These refuse a request; no run has changed."},
}

func faultsPage() string {
	w := newPage("Faults", faultsIntro)
	for _, s := range faultEffects {
		w.line("## " + s.title + "\n")
		w.line(s.intro + "\n")
		w.head("code", "what happened", "what to do")
		for _, f := range diag.FaultKinds() {
			if f.Effect == s.effect {
				w.row("`"+f.Code+"`", fromReference(f.What), fromReference(f.Do))
			}
		}
		w.line("")
	}
	return w.page()
}
