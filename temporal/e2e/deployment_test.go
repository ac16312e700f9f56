package e2e_test

import (
	"context"
	"strings"
	"testing"
	"time"

	enumspb "go.temporal.io/api/enums/v1"
	"go.temporal.io/sdk/client"
)

// versions remembers its runs, and asks.
const versions = `name: versions
inputSchema: {type: object, properties: {n: {type: integer}}, required: [n]}
nodes:
  - {id: entry, type: entry, next: add}
  - {id: add, type: state, key: runs, add: {expr: '[$.entry.n]'}, next: ask}
  - {id: ask, type: ask, message: Continue?, next: note}
  - {id: note, type: mcp, server: counter, tool: note, args: {n: {expr: $.add.count}}, next: exit}
  - {id: exit, type: exit, result: {expr: '{"n": $.note.n}'}}
`

// Workers of a deployment execute runs when their version is the current one, and runs stay
// on the version on which they began, also where they continue as new executions. The state of their graph is that of all versions.
func TestDeployment(t *testing.T) {
	s := newSite(t, versions)
	for _, build := range []string{"v1", "v2"} {
		s.configure(build+".yaml", true, namespace, ", deployment: {name: e2e, buildId: "+build+"}")
	}
	s.configure("patchbay.yaml", true, namespace, ", deployment: {name: e2e, buildId: v1}")
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Minute)
	defer cancel()
	c := s.dial(ctx)
	makeCurrent := func(build string) {
		t.Helper()
		s.work("--config", build+".yaml")
		var err error
		s.until("version "+build+" is current", func() bool {
			_, err = c.WorkerDeploymentClient().GetHandle("e2e").SetCurrentVersion(ctx, client.WorkerDeploymentSetCurrentVersionOptions{BuildID: build})
			return err == nil
		})
		if said := s.output("doctor"); !strings.Contains(said, build+" (current)") {
			t.Errorf("doctor says %s", said)
		}
	}
	pinned := func(id, build string) {
		t.Helper()
		d, err := c.DescribeWorkflowExecution(ctx, id, "")
		if err != nil {
			t.Fatal(err)
		}
		v := d.GetWorkflowExecutionInfo().GetVersioningInfo()
		if v.GetBehavior() != enumspb.VERSIONING_BEHAVIOR_PINNED || v.GetDeploymentVersion().GetDeploymentName() != "e2e" || v.GetDeploymentVersion().GetBuildId() != build {
			t.Errorf("the run is pinned to %v, want %s", v, build)
		}
	}
	answered := func(id, build string, n int) {
		t.Helper()
		o := s.do("runs", "answer", id, "accept")
		if o.Status != "succeeded" || o.Result.N != n {
			t.Errorf("%s %s, %d is not %d", o.Status, o.Error, o.Result.N, n)
		}
		pinned(id, build)
	}
	makeCurrent("v1")
	first := <-s.run("n=1")
	s.write("computing.yaml", computing)
	long := s.runFile("computing.yaml", "n=6")
	s.until("a call", func() bool { return len(s.calls()) > 0 })
	makeCurrent("v2")
	second := <-s.run("n=2")
	for _, o := range []outcome{first, second} {
		if o.Status != "interrupted" {
			t.Fatalf("%s %s", o.Status, o.Error)
		}
	}
	answered(second.RunID, "v2", 2)
	answered(first.RunID, "v1", 1)
	o := <-long
	if o.Status != "succeeded" || o.Result.N != 6 {
		t.Errorf("%s %s, %d is not 6", o.Status, o.Error, o.Result.N)
	}
	pinned(o.RunID, "v1")
	s.kill(0)
	third := <-s.run("n=3")
	answered(third.RunID, "v2", 3)
}
