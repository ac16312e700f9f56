package app

import (
	"context"
	"errors"
	"testing"

	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/internal/config"
	"github.com/patchbay-mcp/patchbay/internal/execution"
	"github.com/patchbay-mcp/patchbay/internal/execution/runs"
	"github.com/patchbay-mcp/patchbay/run"
)

// elsewhere is a runtime that finds nothing, and notes what it was made of.
type elsewhere struct {
	runs.Remote
	options runs.Options
	worked  runs.Role
}

func (e *elsewhere) List(run.Filter) ([]run.Summary, *diag.Fault) { return nil, nil }
func (e *elsewhere) Close(context.Context)                        {}
func (e *elsewhere) Examine(context.Context) []runs.Finding {
	return []runs.Finding{{What: "no worker"}}
}
func (e *elsewhere) Work(_ context.Context, r runs.Role) error { e.worked = r; return nil }

func onTemporal() *config.Config {
	cfg := &config.Config{Project: "shop"}
	cfg.Runtime.Temporal = config.Temporal{Address: "127.0.0.1:7233", Namespace: "of-shop"}
	return cfg
}

// The runs of a configuration with a runtime are those of the runtime.
func TestRuntimeExecutesRuns(t *testing.T) {
	var e elsewhere
	pb, err := Open(t.Context(), onTemporal(), Setup{Runtime: func(cfg *config.Config) (func(runs.Options) runs.Remote, error) {
		if cfg.Runtime.Temporal.Namespace != "of-shop" {
			t.Errorf("opened for %+v", cfg.Runtime)
		}
		return func(o runs.Options) runs.Remote { e.options = o; return &e }, nil
	}})
	if err != nil {
		t.Fatal(err)
	}
	defer pb.Close()
	if e.options.Project != "shop" || e.options.Compile == nil || e.options.Calls == nil {
		t.Errorf("it is made of %+v", e.options)
	}
	if _, fault := pb.Runs(t.Context(), execution.RunsInput{}); fault != nil {
		t.Error(fault)
	}
	if err := pb.Work(t.Context(), runs.Role{Call: true}); err != nil || e.worked != (runs.Role{Call: true}) {
		t.Errorf("%v, worked as %+v", err, e.worked)
	}
	if found := pb.ExamineRuntime(t.Context()); len(found) != 1 {
		t.Errorf("found %v", found)
	}
}

func TestRuntimeThatIsMissing(t *testing.T) {
	_, err := Open(t.Context(), onTemporal(), Setup{})
	if f, ok := errors.AsType[*diag.Fault](err); !ok || f.Code != "no-runtime" {
		t.Errorf("it opens with %v", err)
	}
	pb, err := Open(t.Context(), onTemporal(), Setup{Lenient: true})
	if err != nil {
		t.Fatal(err)
	}
	defer pb.Close()
	if f := pb.NoRuntime(); f == nil || len(pb.ExamineRuntime(t.Context())) > 0 {
		t.Errorf("a lenient App says %v", f)
	}
	_, err = Open(t.Context(), onTemporal(), Setup{Runtime: func(*config.Config) (func(runs.Options) runs.Remote, error) {
		return nil, errors.New("no certificate")
	}})
	if err == nil || err.Error() != "no certificate" {
		t.Errorf("it opens with %v", err)
	}
}
