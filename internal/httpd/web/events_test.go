package web

import (
	"bufio"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/patchbay-mcp/patchbay/internal/execution"
	"github.com/patchbay-mcp/patchbay/run"
)

const waiting = `name: waiting
nodes:
  - {id: entry, type: entry, next: wait}
  - {id: wait, type: mcp, server: shop, tool: wait, args: {}, next: exit}
  - {id: exit, type: exit}
`

// A stream is one of events, as a page reads it.
type stream struct {
	t    *testing.T
	resp *http.Response
	text *bufio.Scanner
}

func (b *browser) stream(query string) *stream {
	b.t.Helper()
	req, err := http.NewRequestWithContext(b.t.Context(), http.MethodGet, b.url+"/ui/api/events"+query, nil)
	if err != nil {
		b.t.Fatal(err)
	}
	req.Header.Set(pageHeader, b.key)
	resp, err := b.client.Do(req) //nolint:bodyclose // at the end of the test
	if err != nil {
		b.t.Fatal(err)
	}
	s := &stream{b.t, resp, bufio.NewScanner(resp.Body)}
	s.text.Buffer(nil, 1<<20)
	b.t.Cleanup(s.close)
	return s
}

func (s *stream) close() { _ = s.resp.Body.Close() }

// next returns the next event of a name. The test waits for as long as it takes.
func (s *stream) next(name string) string {
	s.t.Helper()
	event := ""
	for s.text.Scan() {
		if e, ok := strings.CutPrefix(s.text.Text(), "event: "); ok {
			event = e
		}
		if data, ok := strings.CutPrefix(s.text.Text(), "data: "); ok && event == name {
			return data
		}
	}
	s.t.Fatalf("the stream has ended before %s: %v", name, s.text.Err())
	return ""
}

// until collects the events of a run until one of a type.
func (s *stream) until(last run.NoticeType) (types []string) {
	s.t.Helper()
	for {
		var events []run.Notice
		if data := s.next("node"); json.Unmarshal([]byte(data), &events) != nil {
			s.t.Fatal(data)
		}
		for _, e := range events {
			types = append(types, strings.TrimSpace(string(e.Type)+" "+e.Node))
			if e.Type == last {
				return types
			}
		}
	}
}

// start starts a graph and returns its run.
func (b *browser) start(text string) string {
	b.t.Helper()
	var reply struct {
		Result struct {
			RunID string `json:"run_id"`
		}
	}
	if err := json.Unmarshal([]byte(b.do("run_graph", `{"graph":`+quoted(text)+`,"background":true}`)), &reply); err != nil {
		b.t.Fatal(err)
	}
	return reply.Result.RunID
}

// TestEvents: a page is told of the runs, and of all that happens in the one it watches, also
// of what happened before it came.
func TestEvents(t *testing.T) {
	s := serve(t, nil)
	b := s.operator()
	all := b.stream("")
	all.next("ready")
	id := b.start(waiting)
	if got := all.next("run"); !strings.Contains(got, id) {
		t.Errorf("the list changes: %s", got)
	}
	if !s.app.Watchers.Has(id) {
		t.Error("the run does not tell of itself")
	}
	one := b.stream("?run=" + id)
	if one.resp.StatusCode != http.StatusOK || one.resp.Header.Get("Content-Type") != "text/event-stream" {
		t.Fatal(one.resp.StatusCode, one.resp.Header)
	}
	close(s.release)
	want := "nodeStarted entry,nodeCompleted entry,nodeStarted wait,nodeCompleted wait,nodeStarted exit,nodeCompleted exit,ended"
	if got := strings.Join(one.until(run.RunEnded), ","); got != want {
		t.Errorf("%s\nwant %s", got, want)
	}
	for { // the list is told of it too
		if got := all.next("run"); strings.Contains(got, `"status":"succeeded"`) {
			break
		}
	}
	if got := strings.Join(b.stream("?run="+id).until(run.RunEnded), ","); got != want {
		t.Errorf("afterwards: %s", got)
	}
}

// TestEventsOfUnwatchedRun: what nobody watched when it began is read from the store, as are
// the runs of other processes.
func TestEventsOfUnwatchedRun(t *testing.T) {
	s := serve(t, nil)
	b := s.operator()
	id := b.start(waiting)
	if s.app.Watchers.Has(id) {
		t.Error("a run tells of itself although nobody watches")
	}
	one := b.stream("?run=" + id)
	one.next("ready")
	close(s.release)
	one.until(run.RunEnded)
}

// TestEventsBeforeTheFirstLook: a run of another process that ends after its events were read,
// and before the list of runs is, has ended for who watches it.
func TestEventsBeforeTheFirstLook(t *testing.T) {
	s := serve(t, nil)
	id := s.operator().start(greeting)
	for {
		rec, fault := s.app.RunLog(t.Context(), execution.RunLogInput{RunID: id})
		if fault != nil {
			t.Fatal(fault)
		}
		if rec.Status == string(run.Succeeded) {
			break
		}
	}
	sent := httptest.NewRecorder()
	f := &follower{u: s.ui, ctx: t.Context(), run: id, out: writer{sent, s.ui.mask}, lines: map[string]run.Summary{}}
	if err := f.look(true); err != nil {
		t.Fatal(err)
	}
	if got := sent.Body.String(); !strings.Contains(got, `"type":"ended"`) || strings.Contains(got, "event: run") {
		t.Errorf("the first look sends %q", got)
	}
	first := sent.Body.Len()
	if err := f.look(false); err != nil || sent.Body.Len() > first {
		t.Errorf("the second look sends %q: %v", sent.Body.String()[first:], err)
	}
}

// TestEventsOfOthers: nobody is told of a run of another principal.
func TestEventsOfOthers(t *testing.T) {
	s := serve(t, nil)
	b := s.operator()
	id := b.start(greeting)
	other := s.browser()
	other.signIn("")
	if got := other.stream("?run=" + id); got.resp.StatusCode != http.StatusNotFound {
		t.Errorf("the run of another gives %d", got.resp.StatusCode)
	}
	if got := s.browser().stream(""); got.resp.StatusCode != http.StatusUnauthorized {
		t.Errorf("without a session: %d", got.resp.StatusCode)
	}
}

// TestStreamsAreBounded: a principal has so many streams, and those that end make room.
func TestStreamsAreBounded(t *testing.T) {
	s := serve(t, nil)
	b := s.operator()
	var open []*stream
	for range maxStreams {
		open = append(open, b.stream(""))
	}
	if got := b.stream(""); got.resp.StatusCode != http.StatusTooManyRequests {
		t.Errorf("one more gives %d", got.resp.StatusCode)
	}
	local := s.browser()
	local.signIn("")
	if got := local.stream(""); got.resp.StatusCode != http.StatusOK {
		t.Errorf("another principal gets %d", got.resp.StatusCode)
	}
	open[0].close()
	for b.stream("").resp.StatusCode != http.StatusOK { // until the server has noticed
	}
}

// TestEventsOfTheCatalogAndTheFile: a page is told that nodes or the file have changed.
func TestEventsOfTheCatalogAndTheFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "graph.yaml")
	b := serve(t, func(o *Options) { o.File = path }).operator()
	events := b.stream("")
	before := events.next("file") // as it is when the stream begins
	if events.next("ready") == "" {
		t.Error("the stream does not begin")
	}
	b.do("save_graph", `{"graph":`+quoted("description: Greets\ninputSchema: {type: object}\noutputSchema: {}\n"+greeting)+`}`)
	events.next("catalog")
	if err := os.WriteFile(path, []byte(greeting), 0o600); err != nil {
		t.Fatal(err)
	}
	if after := events.next("file"); after == before {
		t.Errorf("the file has changed, and its hash is still %s", after)
	}
}

// TestSlowStream: what a stream does not take is not kept without a bound.
func TestSlowStream(t *testing.T) {
	q := newQueue("run_1")
	for range maxQueued + 10 {
		q.add(run.Notice{Run: "run_1"})
	}
	q.add(run.Notice{Run: "run_2"})
	if c := q.take(); !c.full || len(c.events) > 0 {
		t.Errorf("%d events are kept, full: %v", len(c.events), c.full)
	}
}
