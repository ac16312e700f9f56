package e2e_test

import (
	"context"
	"encoding/json"
	"maps"
	"time"

	enumspb "go.temporal.io/api/enums/v1"
	historypb "go.temporal.io/api/history/v1"
	"go.temporal.io/sdk/client"
)

// counts are the calls that a downstream server got.
type counts struct {
	made      int // with a key each
	again     int // made once more, with the key of an earlier one
	completed int // of these, made although the history had the completion of the call
}

// audit counts the calls of a site, and compares them with the histories of its runs. It
// fails for a call that was made after its completion, and for one that is missing.
func (s *site) audit(runs ...string) (c counts) {
	s.t.Helper()
	seen := map[string]bool{}
	completed := map[string]time.Time{}
	for _, id := range runs {
		maps.Copy(completed, s.completions(id))
	}
	for _, call := range s.calls() {
		if !seen[call.key] {
			seen[call.key] = true
			continue
		}
		c.again++
		if at, done := completed[call.key]; done && call.at.After(at) {
			c.completed++
			s.t.Errorf("the call of %d was made %s after its completion", call.n, call.at.Sub(at))
		}
	}
	c.made = len(seen)
	for key := range completed {
		if !seen[key] {
			s.t.Errorf("the call with the key %s is completed and was not made", key)
		}
	}
	return c
}

// dial connects to the server of the site.
func (s *site) dial(ctx context.Context) client.Client {
	s.t.Helper()
	c, err := client.DialContext(ctx, client.Options{HostPort: s.server.address(), Namespace: namespace, Logger: quiet{}})
	if err != nil {
		s.t.Fatal(err)
	}
	s.t.Cleanup(c.Close)
	return c
}

// completions are when the history of a run got the results of its calls, by their
// idempotency keys.
func (s *site) completions(id string) map[string]time.Time {
	s.t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	c := s.dial(ctx)
	completed := map[string]time.Time{}
	for execution := s.events(ctx, c, id, "")[0].GetWorkflowExecutionStartedEventAttributes().GetFirstExecutionRunId(); execution != ""; {
		keys := map[int64]string{}
		events := s.events(ctx, c, id, execution)
		execution = ""
		for _, e := range events {
			if a := e.GetActivityTaskScheduledEventAttributes(); a != nil {
				var request struct{ Idempotency string }
				if err := json.Unmarshal(a.GetInput().GetPayloads()[0].GetData(), &request); err != nil || request.Idempotency == "" {
					s.t.Fatalf("the call of event %d cannot be read: %v", e.GetEventId(), err)
				}
				keys[e.GetEventId()] = request.Idempotency
			}
			if a := e.GetActivityTaskCompletedEventAttributes(); a != nil && made(a) {
				key := keys[a.GetScheduledEventId()]
				if _, twice := completed[key]; twice {
					s.t.Errorf("the call with the key %s is completed twice", key)
				}
				completed[key] = e.GetEventTime().AsTime()
			}
			if a := e.GetWorkflowExecutionContinuedAsNewEventAttributes(); a != nil {
				execution = a.GetNewExecutionRunId()
			}
		}
	}
	return completed
}

// made reports whether a worker has made a call: it has not where the call waits for
// another worker.
func made(a *historypb.ActivityTaskCompletedEventAttributes) bool {
	var reply struct{ Waits bool }
	_ = json.Unmarshal(a.GetResult().GetPayloads()[0].GetData(), &reply) // a large result is not here
	return !reply.Waits
}

// events is the history of one execution of a workflow.
func (s *site) events(ctx context.Context, c client.Client, id, execution string) (events []*historypb.HistoryEvent) {
	s.t.Helper()
	for i := c.GetWorkflowHistory(ctx, id, execution, false, enumspb.HISTORY_EVENT_FILTER_TYPE_ALL_EVENT); i.HasNext(); {
		e, err := i.Next()
		if err != nil {
			s.t.Fatal(err)
		}
		events = append(events, e)
	}
	return events
}
