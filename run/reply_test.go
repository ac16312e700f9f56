package run_test

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/run"
)

// parkedRun is the record of a run that waits for the answer to the question of its node ask.
func parkedRun() *run.Record {
	detail := run.DetailOf(run.Question{
		Message: "Send it?", Graphs: map[string]string{"pay": "r1"},
		Schema: json.RawMessage(`{"type":"object","properties":{"sure":{"type":"boolean"}},"required":["sure"]}`),
	})
	return &run.Record{
		ID: "run_1", Status: run.Interrupted, Fault: &diag.Fault{Code: run.NeedsAnswer},
		Steps:   []*run.StepRecord{{Index: 0, Node: "ask", Key: "ask#0", Started: noon}},
		Intents: []run.Intent{{Key: "ask#0/question", Step: "ask#0", Kind: run.IntentAsk, At: noon, Until: noon.Add(time.Hour), Detail: detail}},
	}
}

func TestReplies(t *testing.T) {
	for _, test := range []struct {
		step    string
		answer  run.Answer
		after   time.Duration
		outcome string // or the code of the refusal
	}{
		{"", run.Answer{Action: "accept", Content: json.RawMessage(`{"sure":true}`)}, 0, `{"action":"accept","content":{"sure":true}}`},
		{"ask#0", run.Answer{Action: "decline", Content: json.RawMessage(`{"sure":true}`)}, 0, `{"action":"decline"}`},
		{"", run.Answer{Action: "accept"}, 0, "bad-argument"},
		{"", run.Answer{Action: "accept", Content: json.RawMessage(`{"sure":1}`)}, 0, "bad-argument"},
		{"", run.Answer{Action: "accept", Content: json.RawMessage(`[]`)}, 0, "bad-argument"},
		{"", run.Answer{Action: "accept", Content: json.RawMessage(`{`)}, 0, "bad-argument"},
		{"", run.Answer{Action: "agree"}, 0, "bad-argument"},
		{"other#0", run.Answer{Action: "decline"}, 0, "not-asked"},
		{"", run.Answer{Action: "decline"}, 2 * time.Hour, "too-late"},
		{"", run.Answer{Action: "timeout"}, 2 * time.Hour, `{"action":"timeout"}`},
	} {
		rec := parkedRun()
		in, fault := rec.Reply(test.step, test.answer, noon.Add(test.after))
		got := ""
		if fault != nil {
			got = fault.Code
		} else {
			got = string(in.Outcome)
		}
		if got != test.outcome {
			t.Errorf("%+v gives %s (%v), want %s", test.answer, got, fault, test.outcome)
		}
		if left := rec.Asked(""); fault == nil && left != nil {
			t.Errorf("%+v: the question is still open", test.answer)
		}
	}
	rec := parkedRun()
	rec.Intents = nil
	if _, f := rec.Reply("", run.Answer{Action: "accept"}, noon); f == nil || f.Code != "not-asked" || !strings.Contains(f.Hint, "run_1") {
		t.Errorf("a run without a question gives %v", f)
	}
}

func TestAQuestionKnowsTheGraphsThatItWasAskedAbout(t *testing.T) {
	in := parkedRun().Asked("ask#0")
	if got := in.ChangedGraphs(map[string]string{"pay": "r1"}); got != nil {
		t.Errorf("changed are %q", got)
	}
	if got := in.ChangedGraphs(map[string]string{"pay": "r2", "new": "r1"}); !slices.Equal(got, []string{"new", "pay"}) {
		t.Errorf("changed are %q", got)
	}
}

// While a run executes, its questions are those that its calls wait for.
func TestQuestionsOfCallsInProgress(t *testing.T) {
	rec := parkedRun()
	rec.Status, rec.Started = run.Running, noon
	rec.Intents = append(rec.Intents, run.Intent{Key: "call#0/1", Step: "call#0", Kind: run.IntentHeld, Detail: json.RawMessage(`{"message":"Which one?"}`)})
	if got := rec.Questions(); len(got) != 1 || got[0].Key != "call#0/1" {
		t.Fatalf("the questions are %+v", got)
	}
	if s := run.Summarize(rec); s.Code != run.NeedsAnswer || !strings.Contains(s.Message, "Which one?") {
		t.Errorf("the summary is %+v", s)
	}
	if rec.Answer("call#0/2", json.RawMessage(`{}`)) || !rec.Answer("call#0/1", json.RawMessage(`{}`)) || len(rec.Questions()) != 0 {
		t.Error("the answer is not that of the question")
	}
	rec.Intents = append(rec.Intents, run.Intent{Key: "call#0/3", Kind: run.IntentHeld})
	if rec.CloseQuestions(); len(rec.Questions()) != 0 || len(rec.Intents) != 2 {
		t.Errorf("the intents are %+v", rec.Intents)
	}
}

func TestPermissions(t *testing.T) {
	for content, want := range map[string]string{`{"allow":"always"}`: run.AllowAlways, `{"allow":"once"}`: run.AllowOnce, `{}`: run.AllowRun, `1`: run.AllowRun} {
		a := run.Answer{Action: "accept", Content: json.RawMessage(content)}
		if got := a.Allows(); got != want {
			t.Errorf("%s permits for %s, want %s", content, got, want)
		}
		outcome, _ := json.Marshal(a)
		in := run.Intent{Step: "a#0", Outcome: outcome}
		if in.AllowedOther("a#0") || in.AllowedOther("b#0") != (want == run.AllowOnce) {
			t.Errorf("%s permits another step: %v", content, in.AllowedOther("b#0"))
		}
	}
	if got := (&run.Answer{Action: "decline"}).Allows(); got != "" {
		t.Errorf("a refusal permits for %s", got)
	}
	first, second := run.PermitKey("nodes: …", "mail/send", 0), run.PermitKey("nodes: …", "mail/send", 1)
	if first == second || first == run.PermitKey("nodes: ….", "mail/send", 0) || !strings.HasSuffix(first, "/mail/send") {
		t.Errorf("the keys are %s and %s", first, second)
	}
}

// A corrected document asks again, but what a person has permitted stays in the record.
func TestAPermissionOutlivesARetry(t *testing.T) {
	rec := stoppedRun()
	rec.Intents = append(rec.Intents, run.Intent{Key: run.PermitKey("d", "mail/send", 0), Step: "mail#0", Kind: run.IntentAsk, Outcome: json.RawMessage(`{"action":"accept"}`)})
	if f := rec.Decide(run.Decision{Do: "retry", Step: "mail#0"}, noon); f != nil {
		t.Fatal(f)
	}
	if len(rec.Intents) != 2 || rec.Intents[1].Kind != run.IntentAsk {
		t.Errorf("the intents are %+v", rec.Intents)
	}
}

func TestServerQuestions(t *testing.T) {
	q, err := run.ServerQuestion("shop", "buy", json.RawMessage(`{"message":"Which\u202e one?","requestedSchema":{"type":"object","properties":{"n":{"type":"integer","title":"a\u200bb"}}}}`))
	if err != nil || !strings.HasPrefix(q.Message, "The server shop asks, for a call of its tool buy: Which") || strings.Contains(q.Message, "\u202e") || strings.Contains(string(q.Schema), "\u200b") {
		t.Errorf("the question is %+v, %v", q, err)
	}
	if q, err = run.ServerQuestion("shop", "buy", json.RawMessage(`{"message":"Go on?"}`)); err != nil || q.Schema != nil {
		t.Errorf("without a schema it is %+v, %v", q, err)
	}
	for params, want := range map[string]string{
		`[`: "cannot be read", `{"mode":"url","url":"https://x"}`: "can only show forms",
		`{"requestedSchema":{"type":"string"}}`:                                               "not that of an object",
		`{"requestedSchema":{"type":"object","title":"` + strings.Repeat("x", 70_000) + `"}}`: "more than",
	} {
		if _, err := run.ServerQuestion("shop", "buy", json.RawMessage(params)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%.60s gives %v, want %q", params, err, want)
		}
	}
}

func TestOutcomesOfCalls(t *testing.T) {
	refused := &run.CallError{Outcome: run.CallRefused, Err: errors.New("no")}
	if run.OutcomeOf(refused) != run.CallRefused || run.OutcomeOf(errors.Join(refused)) != run.CallUnknown || refused.Error() != "no" || !errors.Is(refused, refused.Err) {
		t.Error("the outcome of a call is that of its own error")
	}
	for err, want := range map[error]string{context.Canceled: "cancelled", errors.New("x"): "node-failed", run.Ended(): "cancelled", run.Abandoned(refused): "cancelled"} {
		if got := run.AsFault(err).Code; got != want {
			t.Errorf("%v is %s, want %s", err, got, want)
		}
	}
	if long := run.AsFault(&diag.Fault{Code: "x", Message: strings.Repeat("long ", 10_000)}); len(long.Message) > 5000 || long.Code != "x" {
		t.Errorf("a message has %d bytes", len(long.Message))
	}
	if got := string(run.JSONOrText([]byte("{bad"))); got != `"{bad"` {
		t.Errorf("text is kept as %s", got)
	}
	if run.JSONOrText(nil) != nil || string(run.JSONOrText([]byte(`{"a":1}`))) != `{"a":1}` {
		t.Error("JSON is kept as it is, and nothing as nothing")
	}
	if run.AnyJSON(nil) != nil || string(run.AnyJSON(1)) != "1" || !strings.HasPrefix(string(run.AnyJSON(func() {})), `"0x`) {
		t.Error("what a fault has becomes JSON")
	}
}
