package main

import "github.com/patchbay-mcp/patchbay/diag"

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
