package app_test

import (
	"os"
	"path/filepath"
	"testing"
	"testing/synctest"
	"time"

	"github.com/patchbay-mcp/patchbay/internal/app"
	"github.com/patchbay-mcp/patchbay/internal/config"
	"github.com/patchbay-mcp/patchbay/internal/execution"
	"github.com/patchbay-mcp/patchbay/internal/execution/schedules"
	"github.com/patchbay-mcp/patchbay/internal/library"
	"github.com/patchbay-mcp/patchbay/internal/plans"
	"github.com/patchbay-mcp/patchbay/internal/request"
	"github.com/patchbay-mcp/patchbay/run"
)

func scheduled(t *testing.T, name, cron string) schedules.Schedule {
	t.Helper()
	s, err := schedules.Parse(cron, "UTC")
	if err != nil {
		t.Fatal(err)
	}
	s.Name, s.Graph, s.Arguments = name, "double", []byte(`{"n":21}`)
	return s
}

const doubled = `name: double
description: Doubles a number
inputSchema: {type: object, properties: {n: {type: number}}, required: [n]}
outputSchema: {type: object}
nodes:
  - {id: entry, type: entry, next: exit}
  - {id: exit, type: exit, result: {expr: '{"twice": $.entry.n * 2}'}}
`

// Saved graphs are started by the clock as runs of the local user, and a changed configuration
// changes the schedules without a restart.
func TestScheduledRuns(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		dir := t.TempDir()
		if err := os.WriteFile(filepath.Join(dir, "double.yaml"), []byte(`name: double
inputSchema: {type: object, properties: {n: {type: number}}, required: [n]}
nodes:
  - {id: entry, type: entry, next: exit}
  - {id: exit, type: exit, result: {expr: '{"twice": $.entry.n * 2}'}}
`), 0o600); err != nil {
			t.Fatal(err)
		}
		cfg := config.Config{GraphsDir: dir, Runs: config.Runs{Memory: true}, Schedules: []schedules.Schedule{scheduled(t, "hourly", "0 * * * *")}}
		pb, err := app.Open(t.Context(), &cfg, app.Setup{})
		if err != nil {
			t.Fatal(err)
		}
		defer pb.Close()
		pb.Start(t.Context())
		pb.RunSchedules()
		runs := func(wait time.Duration, want int) {
			t.Helper()
			time.Sleep(wait)
			synctest.Wait()
			r, fault := pb.Runs(request.WithActor(t.Context(), run.Actor{Principal: "local"}), execution.RunsInput{Graph: "double", Status: "succeeded"})
			if fault != nil || len(r.Runs) != want {
				t.Fatalf("runs: %+v, %v, want %d", r, fault, want)
			}
		}
		runs(150*time.Minute, 2)
		next := cfg
		next.Schedules = []schedules.Schedule{scheduled(t, "other", "*/10 * * * *")}
		if r := pb.Reload(&next); r.Restart {
			t.Error("changed schedules need a restart")
		}
		runs(time.Hour, 8)
		// What an agent has changed waits for a person.
		if r, fault := pb.Save(t.Context(), library.SaveInput{GraphInput: plans.GraphInput{Graph: text(doubled)}, Overwrite: true}); fault != nil || r.Status != "saved" {
			t.Fatalf("%+v, %v", r, fault)
		}
		runs(time.Hour, 8)
		if _, fault := pb.ApproveGraph(operator(t), library.ApproveGraphInput{Names: []string{"double"}}); fault != nil {
			t.Fatal(fault)
		}
		runs(time.Hour, 14)
		next.Schedules = nil
		pb.Reload(&next)
		runs(24*time.Hour, 14)
	})
}
