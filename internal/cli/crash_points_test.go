package cli

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/patchbay-mcp/patchbay/internal/tests/golden"
	"github.com/patchbay-mcp/patchbay/run"
)

const pointGraph = `
nodes:
  - {id: entry, type: entry, next: call}
  - {id: call, type: mcp, server: s, tool: TOOL, args: {n: 1}, next: wait}
  - {id: wait, type: wait, ms: 1, next: ask}
  - {id: ask, type: ask, message: Go on?, next: exit}
  - {id: exit, type: exit, result: {expr: '{"n": $.call.n, "said": $.ask.action}'}}
`

const (
	tableStart = "<!-- crash points: TestCrashPoints writes this table -->\n"
	tableEnd   = "<!-- end of the crash points -->\n"
)

// TestCrashPoints kills the process at each point of a run's life, and continues
// with the run. What is seen is the table of docs/measured/reliability.md.
func TestCrashPoints(t *testing.T) {
	var table strings.Builder
	table.WriteString("| crash point | what is known after | what happens on resume |\n|---|---|---|\n")
	for _, point := range []struct{ at, tool, where string }{
		{"begin", "write", "before the run is stored"},
		{"begun", "write", "when the run is stored"},
		{"intend", "write", "before the intent of a call is stored"},
		{"intended", "write", "after the intent of a call that is not repeatable, before the call"},
		{"call", "write", "while that call executes"},
		{"replied", "write", "after its reply, before the reply is stored"},
		{"call", "read", "while a repeatable call executes"},
		{"replied", "read", "after the reply to such a call, before the reply is stored"},
		{"kept", "write", "when the output of a step is stored"},
		{"sleep", "write", "during a wait"},
		{"asked", "write", "when a question is stored, before the run has parked"},
		{"parked", "write", "while the run waits for an answer"},
		{"answered", "write", "when the answer is stored, before the run continues"},
		{"end", "write", "before the result is stored"},
		{"ended", "write", "after the result is stored"},
	} {
		s := newCrashSite(t, strings.ReplaceAll(pointGraph, "TOOL", point.tool))
		s.crashAt(point.at)
		known := s.load("run")
		fmt.Fprintf(&table, "| %s | %s | %s |\n", point.where, whatIsKnown(known, point.tool), s.goOn(known, point.at+" "+point.tool))
	}
	const path = "../../docs/measured/reliability.md"
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	head, rest, ok := strings.Cut(string(b), tableStart)
	_, tail, closed := strings.Cut(rest, tableEnd)
	if !ok || !closed {
		t.Fatalf("%s has no place for the table", path)
	}
	golden.Check(t, path, head+tableStart+table.String()+tableEnd+tail)
}

// crashAt starts a run, or answers its question, in a process that ends there.
func (s *crashSite) crashAt(at string) {
	s.t.Helper()
	switch at {
	case "answered", "end", "ended":
		s.finish()
		s.finish("-do", "answer", "-at", at)
	default:
		s.finish("-at", at)
	}
}

// finish lets a process continue until it ends.
func (s *crashSite) finish(args ...string) {
	s.t.Helper()
	cmd, lines := s.start(args...)
	for lines.Scan() {
		if strings.HasPrefix(lines.Text(), "error:") {
			s.t.Fatal(lines.Text())
		}
	}
	killed := cmd.Wait() != nil
	if wanted := strings.Contains(strings.Join(args, " "), "-at"); killed != wanted {
		s.t.Fatalf("%q: killed %v", args, killed)
	}
}

func whatIsKnown(rec *run.Record, tool string) string {
	if rec == nil {
		return "nothing"
	}
	if rec.Status == run.Succeeded {
		return "the result, and every step"
	}
	intents := map[run.IntentKind]*run.Intent{}
	for i := range rec.Intents {
		intents[rec.Intents[i].Kind] = &rec.Intents[i]
	}
	ask, sleep, call := intents[run.IntentAsk], intents[run.IntentSleep], intents[run.IntentCall]
	done := map[string]bool{}
	for i := range rec.Steps {
		done[rec.Steps[i].Node] = rec.Steps[i].Done()
	}
	switch {
	case done["ask"]:
		return "every step, including the answer"
	case ask != nil && ask.Outcome != nil:
		return "the steps before it, and the answer"
	case ask != nil:
		return "the steps before it, and the question"
	case sleep != nil:
		return "the steps before it, and when the wait ends"
	case done["call"]:
		return "its output, and the steps before it"
	case call != nil && tool == "write":
		return "that the call was about to be made, but not whether it was made, nor its result"
	}
	return "the run, its graph and arguments; the call's step has not ended"
}

// goOn resumes the run until it is done, and says what that did first.
func (s *crashSite) goOn(rec *run.Record, point string) string {
	s.t.Helper()
	if rec != nil && rec.Status == run.Succeeded {
		return "nothing: the run has ended"
	}
	key := idempotencyOf("run", "call#0")
	before := len(s.made()[key])
	waits := rec != nil && rec.Fault != nil && rec.Fault.Code == run.NeedsAnswer
	if waits {
		s.finish("-do", "answer")
	} else {
		s.finish()
	}
	calls := len(s.made()[key]) - before
	after := s.load("run")
	var said []string
	switch {
	case rec == nil:
		said = append(said, "there is nothing to resume; the client starts the run again")
	case after.Fault != nil && after.Fault.Code == run.OutcomeUnknown && calls == 0:
		said = append(said, "the run is interrupted (outcome-unknown): retry, skip or pin decides")
		s.finish("-do", "pin", "-step", "call#0", "-pin", `{"n":1}`)
		after = s.load("run")
	case calls == 1 && before == 0:
		said = append(said, "the call is made")
	case calls == 1:
		said = append(said, "the call is made again, with the same idempotency key")
	case calls == 0:
		said = append(said, "the call is not made again")
	}
	for _, was := range intentsOf(rec) {
		for _, is := range intentsOf(after) {
			if was.Key == is.Key && was.Kind == run.IntentSleep && is.Until.Equal(was.Until) && after.Fault != nil && !waits && len(intentsOf(rec)) == 2 {
				said = append(said, "the wait ends when it would have")
			}
			if was.Key == is.Key && was.Kind == run.IntentAsk && is.At.Equal(was.At) && is.Outcome == nil {
				said = append(said, "the question stays open, and is not asked twice")
			}
		}
	}
	if after.Status == run.Interrupted && after.Fault.Code == run.NeedsAnswer {
		s.finish("-do", "answer")
	} else if rec != nil && after.Status == run.Succeeded {
		if point == "end write" {
			said = append(said, "the run ends with its result")
		} else {
			said = append(said, "the run continues with the answer and completes")
		}
	}
	if after = s.load("run"); after.Status != run.Succeeded || resultText(after) != `{"n":1,"said":"accept"}` {
		s.t.Errorf("%s: in the end %s, %s", point, after.Status, resultText(after))
	}
	if made := len(s.made()[key]); made > 1 && strings.HasSuffix(point, "write") || made < 1 && !strings.HasPrefix(point, "intended") {
		s.t.Errorf("%s: the call was made %d times", point, made)
	}
	return strings.Join(said, "; ")
}

func intentsOf(rec *run.Record) []run.Intent {
	if rec == nil {
		return nil
	}
	return rec.Intents
}
