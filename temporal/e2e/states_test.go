package e2e_test

import (
	"context"
	"net"
	"os"
	"strings"
	"testing"
	"time"

	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/worker"
	"go.temporal.io/sdk/workflow"
)

// A shown is what runs show says about a run.
type shown struct {
	Status string `json:"status"`
	Error  struct {
		Code    string `json:"code"`
		Message string `json:"message"`
		Hint    string `json:"hint"`
	} `json:"error"`
}

func (s *site) show(id string) (r shown) {
	s.t.Helper()
	s.read(&r, "runs", "show", id)
	return r
}

// says reports that each command fails with a code and words.
func (s *site) says(code, words string, commands ...[]string) {
	s.t.Helper()
	for _, args := range commands {
		began := time.Now()
		if said := s.output(args...); !strings.Contains(said, `"`+code+`"`) || !strings.Contains(said, words) {
			s.t.Errorf("%s says after %s: %s", strings.Join(args, " "), time.Since(began), said)
		}
	}
}

func TestNoServer(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0") //nolint:noctx // it listens at once
	if err != nil {
		t.Fatal(err)
	}
	_ = l.Close()
	s := siteAt(t, server, l.Addr().String(), asking)
	s.says("runtime-unreachable", "Temporal at "+s.address+" does not answer",
		[]string{"runs", "show", "run_01JABCDEF"}, []string{"runs", "list"}, []string{"run", "graph.yaml"})
}

func TestWrongNamespace(t *testing.T) {
	s := newSite(t, asking)
	s.work()
	o := <-s.run()
	s.configure("patchbay.yaml", true, "other")
	s.says("runtime-unreachable", `has no namespace \"other\"`,
		[]string{"runs", "show", o.RunID}, []string{"runs", "list"}, []string{"run", "graph.yaml"})
	s.configure("patchbay.yaml", true, namespace)
	if o = s.do("runs", "answer", o.RunID, "accept"); o.Status != "succeeded" {
		t.Errorf("%s %s", o.Status, o.Error)
	}
}

// A run waits for a worker that has the server which it calls.
func TestNoWorkerHasTheServer(t *testing.T) {
	s := newSite(t, timer)
	s.configure("without.yaml", false, namespace)
	first := s.work("--config", "without.yaml")
	done := s.run()
	s.until("the run waits", func() bool { return len(s.ids()) == 1 && s.show(s.ids()["timer"]).Error.Code == "needs-server" })
	id := s.ids()["timer"]
	if r := s.show(id); r.Status != "running" || !strings.Contains(r.Error.Message, "counter/note") {
		t.Errorf("%+v", r)
	}
	s.work()
	s.kill(first)
	if o := <-done; o.Status != "succeeded" || len(s.calls()) != 2 {
		t.Errorf("%s %s, calls %v", o.Status, o.Error, s.calls())
	}
	s.record("missing: the downstream server of a run at the only worker; then another worker has it", s.audit(id), "running, with `needs-server`; then succeeded")
}

// A history that workers cannot replay blocks its run, and runs show says so. The run
// continues when a worker can.
func TestPoisonedHistory(t *testing.T) {
	s := newSite(t, asking)
	ctx := context.Background()
	c, err := client.DialContext(ctx, client.Options{HostPort: s.address, Namespace: namespace, Logger: quiet{}})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	// Workers of another version, whose walker decides otherwise.
	began, continued := make(chan bool, 1), make(chan bool, 1)
	otherVersion := func() worker.Worker {
		w := worker.New(c, s.queue(), worker.Options{})
		w.RegisterWorkflowWithOptions(func(ctx workflow.Context, _ any) (any, error) {
			for _, past := range []struct {
				time.Duration
				it chan<- bool
			}{{time.Millisecond, began}, {8 * time.Second, continued}} {
				if err := workflow.Sleep(ctx, past.Duration); err != nil {
					return nil, err
				}
				if !workflow.IsReplaying(ctx) {
					past.it <- true
				}
			}
			workflow.GetSignalChannel(ctx, "never").Receive(ctx, nil)
			return nil, nil
		}, workflow.RegisterOptions{Name: "patchbay.run"})
		if err := w.Start(); err != nil {
			t.Fatal(err)
		}
		return w
	}
	other := otherVersion()
	done := s.run()
	<-began
	other.Stop()
	first := s.work()
	id := ""
	s.until("the run is blocked", func() bool {
		id = s.ids()["asking"]
		return id != "" && s.show(id).Error.Code == "run-blocked"
	})
	if r := s.show(id); r.Status != "running" || !strings.Contains(r.Error.Hint, "the version that began it") {
		t.Errorf("%+v", r)
	}
	s.kill(first)
	defer otherVersion().Stop()
	<-continued
	if err := c.TerminateWorkflow(ctx, id, "", "the test is over"); err != nil {
		t.Error(err)
	}
	if o := <-done; o.Status != "cancelled" {
		t.Errorf("%s %s", o.Status, o.Error)
	}
}

// large calls for a text and passes it on.
const large = `name: large
inputSchema: {type: object, properties: {n: {type: integer}, with: {type: string}}, required: [n]}
nodes:
  - {id: entry, type: entry, next: text}
  - {id: text, type: mcp, server: counter, tool: text, args: {n: {expr: $.entry.n}}, next: again}
  - {id: again, type: transform, transform: {expr: '{"text": $.text.text & "y"}'}, next: ask}
  - {id: ask, type: ask, message: Continue?, next: exit}
  - {id: exit, type: exit, result: {expr: '{"n": $length($.again.text)}'}}
`

// Values that are larger than a history takes are in the folder, also where a run is
// stored with them and continues at another worker.
func TestValuesOverTheLimit(t *testing.T) {
	const size = 5 << 20
	s := newSite(t, large)
	first := s.work()
	s.write("args.json", `{"n":5242880,"with":"`+strings.Repeat("a", size)+`"}`)
	o := <-s.run("--args", "@args.json")
	if o.Status != "interrupted" {
		t.Fatalf("%s %s", o.Status, o.Error)
	}
	s.kill(first)
	s.work()
	if o = s.do("runs", "answer", o.RunID, "accept"); o.Status != "succeeded" || o.Result.N != size+1 {
		t.Fatalf("%s %s, %d", o.Status, o.Error, o.Result.N)
	}
	if r := s.show(o.RunID); r.Status != "succeeded" {
		t.Errorf("%+v", r)
	}
	s.record("too large for a history: 5 MB of arguments and 5 MB of a result, with the only worker killed while a person is asked", s.audit(o.RunID), "succeeded with the answer")
}

// A worker without the folder of large values blocks a run, and runs show says why.
func TestTheFolderOfLargeValuesIsMissing(t *testing.T) {
	s := newSite(t, large)
	s.write("args.json", `{"n":10,"with":"`+strings.Repeat("a", 1<<20)+`"}`)
	text, err := os.ReadFile(s.path("patchbay.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	s.write("other.yaml", strings.ReplaceAll(string(text), s.path("blobs"), s.path("elsewhere")))
	first := s.work("--config", "other.yaml")
	done := s.run("--args", "@args.json")
	id := ""
	s.until("the run is blocked", func() bool {
		id = s.ids()["large"]
		return id != "" && s.show(id).Error.Code == "run-blocked"
	})
	if r := s.show(id); r.Status != "running" || !strings.Contains(r.Error.Message, "cannot be read: the blob is not there") {
		t.Errorf("%+v", r)
	}
	s.kill(first)
	s.work()
	if o := <-done; o.Status != "interrupted" {
		t.Errorf("%s %s", o.Status, o.Error)
	}
	if o := s.do("runs", "answer", id, "accept"); o.Status != "succeeded" || o.Result.N != 11 {
		t.Errorf("%s %s", o.Status, o.Error)
	}
}
