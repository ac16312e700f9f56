package walk_test

import (
	"context"
	"encoding/json"
	"strings"
	"sync"
	"testing"

	commonpb "go.temporal.io/api/common/v1"
	"go.temporal.io/sdk/converter"

	"github.com/patchbay-mcp/patchbay/internal/secrets"
	"github.com/patchbay-mcp/patchbay/run"
	"github.com/patchbay-mcp/patchbay/temporal/walk"
	"github.com/patchbay-mcp/patchbay/temporal/wire"
)

// written has what Temporal keeps of a run.
type written struct {
	converter.DataConverter

	mu   sync.Mutex
	text strings.Builder
}

func (w *written) note(list ...*commonpb.Payload) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, p := range list {
		w.text.Write(p.GetData())
	}
}

func (w *written) ToPayload(v any) (*commonpb.Payload, error) {
	p, err := w.DataConverter.ToPayload(v)
	w.note(p)
	return p, err
}

func (w *written) ToPayloads(v ...any) (*commonpb.Payloads, error) {
	list, err := w.DataConverter.ToPayloads(v...)
	w.note(list.GetPayloads()...)
	return list, err
}

// A run computes with the values of secrets, and its calls have them. What Temporal keeps
// of it has their names. A run that continues computes with the values of that time.
func TestSecretsAreNotInTheHistory(t *testing.T) {
	const first, second = "the-secret-of-the-shop", "the-next-secret-of-the-shop"
	current := first
	var got []string
	s := &site{tools: map[string]func(context.Context, run.Call) (*run.Result, error){"put": func(_ context.Context, c run.Call) (*run.Result, error) {
		got = append(got, string(c.Args))
		return structured(json.RawMessage(`{"said":"it is ` + current + `"}`)), nil
	}}}
	text := graphOf("a", "{id: a, type: mcp, server: s, tool: put, args: {token: {expr: $.entry.token}}, next: b}",
		"{id: b, type: mcp, server: s, tool: put, args: {token: {expr: $.a.said}}, next: exit}")
	in := inputOf(t, text, s)
	in.Record.Arguments = json.RawMessage(`{"token":"` + first + `"}`)
	var all strings.Builder
	for i, secret := range []string{first, second} {
		current = secret
		r := secrets.NewRedactor([]secrets.Secret{{Name: "SHOP_TOKEN", Value: secret}})
		c := &written{DataConverter: wire.Named(r.Refer, r.Restore)}
		e := newTrial(t, text, s, &walk.Options{Mask: r.Refer, Converter: c, MaxEvents: 6 + 100*i})
		e.SetDataConverter(c)
		e.SetFailureConverter(wire.Failures(c))
		e.in, e.reads = in, c
		rec, next := e.once()
		all.WriteString(c.text.String())
		if secret == second {
			if rec == nil || rec.Status != run.Succeeded {
				t.Fatalf("%+v", rec)
			}
			break
		}
		if next == nil {
			t.Fatal("the run does not continue")
		}
		b, err := json.Marshal(next)
		if err != nil {
			t.Fatal(err)
		}
		if err := json.Unmarshal([]byte(strings.ReplaceAll(string(b), first, second)), &in); err != nil {
			t.Fatal(err)
		}
	}
	history := all.String()
	if strings.Contains(history, first) || strings.Contains(history, second) || !strings.Contains(history, "SHOP_TOKEN") {
		t.Errorf("the history has a secret: %.4000s", history)
	}
	if len(got) != 2 || got[0] != `{"token":"`+first+`"}` || got[1] != `{"token":"it is `+second+`"}` {
		t.Errorf("the calls got %q", got)
	}
}
