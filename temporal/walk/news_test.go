package walk_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/patchbay-mcp/patchbay/run"
	"github.com/patchbay-mcp/patchbay/temporal/wire"
)

// Whoever has seen a part of a run gets what has happened since, with the steps that are in
// progress and how many items there are.
func TestNews(t *testing.T) {
	tries := map[string]int{}
	s := &site{tools: map[string]func(context.Context, run.Call) (*run.Result, error){"read": func(_ context.Context, c run.Call) (*run.Result, error) {
		n := string(c.Args) // of the item, which fails n-1 times
		if tries[n]++; fmt.Sprintf(`{"n":%d}`, tries[n]) < n {
			return nil, errors.New("it is too early")
		}
		return structured(c.Args), nil
	}}}
	e := newTrial(t, graphOf("each", "{id: each, type: mcp, server: s, tool: read, args: {n: {expr: $item}}, foreach: {items: [1, 2, 6]}, retry: {maxAttempts: 9, initialMs: 3600000, maxMs: 3600000}, next: exit}"), s, nil)
	looks := 0
	news := func(seen wire.Seen) (n wire.News) {
		v, err := e.QueryWorkflow(wire.QueryNews, seen)
		if err != nil {
			t.Fatal(err)
		}
		if err := v.Get(&n); err != nil {
			t.Fatal(err)
		}
		return n
	}
	e.RegisterDelayedCallback(func() {
		looks++
		all := news(wire.Seen{}).Record
		if got := keys(&all); got != "entry#0 each#0 each#0[0] each#0[1]" {
			t.Errorf("after ten minutes: %s", got)
		}
		seen := wire.Seen{}.And(all.Steps)
		again := news(seen)
		if got := keys(&again.Record); got != "each#0 each#0[1]" || again.Items["each#0"] != 3 {
			t.Errorf("in progress are %s, of %v items", got, again.Items)
		}
		e.RegisterDelayedCallback(func() {
			looks++
			late := news(seen).Record
			if got := keys(&late); got != "each#0 each#0[1] each#0[2]" || late.Steps[1].Ended == 0 {
				t.Errorf("two hours later: %s, %+v", got, late.Steps[1])
			}
		}, 110*time.Minute)
	}, 10*time.Minute)
	if rec := e.run(); rec.Status != run.Succeeded || looks != 2 {
		t.Errorf("the run is %s: %v, after %d looks", rec.Status, rec.Fault, looks)
	}
}

func keys(rec *wire.Record) string {
	list := make([]string, len(rec.Steps))
	for i, s := range rec.Steps {
		list[i] = s.Key
	}
	return strings.Join(list, " ")
}
