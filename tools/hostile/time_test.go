//go:build linux

package hostile

import (
	"context"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/patchbay-mcp/patchbay/internal/app"
	"github.com/patchbay-mcp/patchbay/internal/config"
	"github.com/patchbay-mcp/patchbay/internal/execution"
	"github.com/patchbay-mcp/patchbay/internal/execution/runs"
	"github.com/patchbay-mcp/patchbay/internal/library"
	"github.com/patchbay-mcp/patchbay/internal/plans"
	"github.com/patchbay-mcp/patchbay/internal/request"
	"github.com/patchbay-mcp/patchbay/run"
)

const (
	// brief is a configuration that names the graph to start, and how few runs to keep.
	brief = "graphs: graphs\nschedules: [{graph: quiet, cron: '0 * * * *'}]\nlinks: {notify: quiet}\nruns: {keepDays: 1, keepMB: 1}\n"
	quiet = "name: quiet\ndescription: POISON\nnodes:\n  - {id: entry, type: entry, next: exit}\n  - {id: exit, type: exit, result: 1}\n"
	asks  = "name: asks\ninputSchema: {type: object, properties: {}}\nnodes:\n  - {id: entry, type: entry, next: ask}\n  - {id: ask, type: ask, message: Go on?, schema: {type: object, properties: {}}, next: exit}\n  - {id: exit, type: exit}\n"
	large = "name: large\ninputSchema: {type: object, properties: {}}\nnodes:\n  - {id: entry, type: entry, next: exit}\n  - {id: exit, type: exit, result: {expr: '$join([1..400000].$string($), \",\")'}}\n"
)

// within opens what the user has in a folder, calls f, and closes it.
func (c *clone) within(dir string, trust *config.Trust, f func(pb *app.App)) {
	c.t.Helper()
	environ := func(name string) (string, bool) { return c.home, name == "HOME" }
	if trust == nil {
		trust = config.OpenTrust(environ)
	}
	cfg, found, err := config.Load(config.Options{Dir: dir, Environ: environ, Trust: trust})
	if err != nil || found.HasErrors() {
		c.t.Fatal(err, found)
	}
	cfg.Servers, cfg.Workspace = nil, false // time stands still while a process answers
	pb, err := app.Open(c.t.Context(), cfg, app.Setup{})
	if err != nil {
		c.t.Fatal(err)
	}
	defer pb.Close()
	pb.Start(c.t.Context())
	f(pb)
}

func (c *clone) person() context.Context {
	return request.WithActor(c.t.Context(), run.Actor{Operator: true, Principal: "local"})
}

// count returns how many runs there are of a graph, in all projects.
func (c *clone) count(pb *app.App, graph string) int {
	c.t.Helper()
	r, fault := pb.Runs(c.person(), execution.RunsInput{Graph: graph, AllProjects: true})
	if fault != nil {
		c.t.Fatal(fault)
	}
	return len(r.Runs)
}

// TestNothingStartsOverTime lets five days pass: no schedule of a clone and no question of the
// user starts a graph that came with it, before the user has trusted the file and approved
// the graph. No run of another project of the user's is deleted because the clone says so.
func TestNothingStartsOverTime(t *testing.T) {
	w := &world{server: httptest.NewServer(nil)}
	t.Cleanup(w.server.Close)
	for name, try := range map[string]struct{ trusts, approves bool }{"untrusted": {}, "trusted": {trusts: true}, "approved": {true, true}} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				root := t.TempDir()
				c := &clone{world: w, t: t, dir: filepath.Join(root, "clone"), home: filepath.Join(root, "home")}
				other := filepath.Join(root, "other")
				c.write(other, map[string]string{"README": ""}, nil)
				c.write(c.dir, map[string]string{"patchbay.yaml": brief, "graphs/quiet.yaml": quiet}, nil)
				start := func(pb *app.App, text string) {
					t.Helper()
					if _, fault := pb.Run(request.WithClient(c.person(), runs.Client{Wait: time.Hour}), execution.RunInput{GraphInput: plans.GraphInput{Text: text}}); fault != nil {
						t.Fatal(fault)
					}
				}
				c.within(other, nil, func(pb *app.App) { start(pb, large); start(pb, safeNamed) })
				trust := config.OpenTrust(func(name string) (string, bool) { return c.home, name == "HOME" })
				if try.trusts {
					if err := trust.Add(config.AsConfiguration, filepath.Join(c.dir, "patchbay.yaml"), brief); err != nil {
						t.Fatal(err)
					}
				}
				c.within(c.dir, trust, func(pb *app.App) {
					pb.Links.ListensAt("http://127.0.0.1:1")
					if try.approves {
						if _, fault := pb.ApproveGraph(c.person(), library.ApproveGraphInput{Names: []string{"quiet"}}); fault != nil {
							t.Fatal(fault)
						}
					}
					pb.RunSchedules()
					start(pb, asks)
					synctest.Wait()
					if told := c.count(pb, "quiet"); told > 0 != try.approves {
						t.Errorf("links.notify has started %d runs", told)
					}
					time.Sleep(5 * 24 * time.Hour)
					synctest.Wait()
					if n := c.count(pb, "quiet"); n > 100 != try.approves || n > 0 && !try.approves {
						t.Errorf("the schedule has started %d runs", n)
					}
					pb.ResumeRuns(t.Context())
					time.Sleep(time.Minute)
					synctest.Wait()
					if n := c.count(pb, "safe"); n != 1 {
						t.Errorf("%d runs of the user's other project are left", n)
					}
					if n := c.count(pb, "large"); n == 0 != try.trusts {
						t.Errorf("%d large runs are left", n)
					}
				})
			})
		})
	}
}

// safeNamed is the safe graph as a document of its own.
var safeNamed = strings.TrimSpace("name: safe\n" + safe)
