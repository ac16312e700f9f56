package execution

import (
	"context"
	"encoding/json"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/internal/execution/runs"
	"github.com/patchbay-mcp/patchbay/internal/policy"
	"github.com/patchbay-mcp/patchbay/internal/reply"
	"github.com/patchbay-mcp/patchbay/internal/request"
	"github.com/patchbay-mcp/patchbay/run"
)

// Records are the runs that are kept, as their callers see them.
type Records struct{ execution *Execution }

// An Ask is a question of an interrupted run, or one with which a call of a run waits.
type Ask struct {
	Step    string          `json:"step"`
	Message string          `json:"message"`
	Server  string          `json:"server,omitempty"`  // the downstream server that asks
	Permits string          `json:"permits,omitempty"` // the tool whose calls the answer permits, as server/tool
	Schema  json.RawMessage `json:"schema,omitempty"`
	Until   string          `json:"until,omitempty"` // then the answer is timeout
	Link    string          `json:"link,omitempty"`  // to a page where a person answers; only the operator is shown it
	Asked   time.Time       `json:"-"`               // when the run stopped for it
}

// asksFor are the open questions of a run as the actor of ctx is shown them.
func (rs *Records) asksFor(ctx context.Context, rec *run.Record) []Ask {
	list := Asks(rec)
	if !request.ActorFrom(ctx).Operator {
		return list
	}
	for i, q := range rec.Questions() {
		if i < len(list) {
			list[i].Link = rs.execution.Links.linkTo(rec, q)
		}
	}
	return list
}

// AsksOf returns the questions that a run waits with, or calls of it.
func AsksOf(rec *run.Record) []Ask { return Asks(rec) }

// Asks are the open questions of a run.
func Asks(rec *run.Record) []Ask {
	if rec.Status != run.Interrupted && rec.Status != run.Running {
		return nil
	}
	var list []Ask
	for _, in := range rec.Questions() {
		a := Ask{Step: in.Step, Asked: in.At}
		_ = json.Unmarshal(in.Detail, &a)
		if !in.Until.IsZero() {
			a.Until = in.Until.UTC().Format(time.RFC3339)
		}
		list = append(list, a)
	}
	return list
}

// unknownCalls are the calls of a run that has stopped which only a decision makes
// again, with arguments of at most maxStepBytes.
func unknownCalls(rec *run.Record) []run.Called {
	if rec.Status == run.Succeeded || rec.Status == run.Running {
		return nil
	}
	calls := rec.InDoubt()
	for i := range calls {
		if len(calls[i].Arguments) > reply.MaxStepBytes {
			calls[i].Arguments = json.RawMessage(diag.CutJSON(calls[i].Arguments, reply.MaxStepBytes))
		}
	}
	return calls
}

// RunsInput asks for the runs that are kept.
type RunsInput struct {
	Graph  string        `json:"graph,omitempty" flag:"graph-name" jsonschema:"only runs of this graph"`
	Status string        `json:"status,omitempty" jsonschema:"only runs with this status: running, succeeded, failed, cancelled or interrupted"`
	Since  time.Duration `json:"since,omitempty" jsonschema:"only runs that started at most this long ago, such as 2h"`
	Limit  int           `json:"limit,omitempty" default:"50" jsonschema:"maximum number of runs; 0 for all"`

	Workflows   bool `json:"workflows,omitempty" jsonschema:"also runs of workflows around calls"`
	ByGraph     bool `json:"by_graph,omitempty" jsonschema:"per graph instead of per run: completed runs, and the calls and tokens that they kept out of the model"`
	AllProjects bool `json:"all_projects,omitempty" jsonschema:"runs of every project, with the project of each"`
}

// RunsResult is a list of runs, the latest first.
type RunsResult struct {
	Runs   []run.Summary `json:"runs"`
	Graphs []GraphUse    `json:"graphs,omitempty"` // with ByGraph, instead of Runs
	Hint   string        `json:"hint,omitempty"`   // where there are others, if there are none
}

// Runs lists the caller's runs, those of its project unless AllProjects is set.
func (rs *Records) Runs(ctx context.Context, in RunsInput) (*RunsResult, *diag.Fault) {
	if fault := knownStatus(in.Status); fault != nil {
		return nil, fault
	}
	if in.Limit < 0 {
		return nil, diag.BadArgument("/limit", "0 is for all runs", "limit is %d, expected 0 or more", in.Limit)
	}
	f := run.Filter{Actor: request.ActorFrom(ctx), Graph: in.Graph, Status: run.Status(in.Status), Project: rs.execution.projects(in.AllProjects), Limit: in.Limit, Ordinary: !in.Workflows && in.Graph == ""}
	if in.Since > 0 {
		f.Since = time.Now().Add(-in.Since)
	}
	if in.ByGraph {
		if in.Status != "" {
			return nil, diag.BadArgument("/status", "leave it out", "completed runs are counted, not those with the status %q", in.Status)
		}
		return rs.usesByGraph(f)
	}
	list, fault := rs.execution.Runner.List(f)
	if fault != nil {
		return nil, fault
	}
	rs.execution.Links.addLinks(ctx, list)
	r := &RunsResult{Runs: list}
	if len(list) == 0 && f.Project != "" {
		f.Project, f.Limit = "", 1
		if others, fault := rs.execution.Runner.List(f); fault == nil && len(others) > 0 {
			r.Hint = "no runs in the project " + rs.execution.process.Project + "; patchbay runs list --all-projects shows those of other projects"
		}
	}
	return r, nil
}

// RunsVersion returns a text that is the same only as long as the lists of runs are the same,
// without reading them. It is not known where they must be read to tell.
func (rs *Records) RunsVersion() (version string, known bool) {
	if counts, ok := rs.execution.Runner.(interface{ Version() (string, bool) }); ok {
		return counts.Version()
	}
	return "", false
}

// RunLines returns the latest runs of the project, without their arguments and without links.
func (rs *Records) RunLines(ctx context.Context, limit int) ([]run.Summary, *diag.Fault) {
	list, fault := rs.execution.Runner.List(run.Filter{Actor: request.ActorFrom(ctx), Project: rs.execution.projects(false), Limit: limit, Ordinary: true, Brief: true})
	return list, fault
}

// knownStatus refuses what is not the status of a run.
func knownStatus(status string) *diag.Fault {
	var names []string
	for _, s := range run.Statuses {
		names = append(names, string(s))
	}
	if status == "" || slices.Contains(names, status) {
		return nil
	}
	f := diag.BadArgument("/status", "the statuses are "+diag.OneOf(names, 9), "unknown status %q", status)
	f.Suggestions = diag.Closer(status, names, 1)
	return f
}

// RunSource returns where a run's graph came from.
func (rs *Records) RunSource(ctx context.Context, id string) (run.Source, *diag.Fault) {
	rec, fault := rs.record(ctx, id)
	if fault != nil {
		return run.Source{}, fault
	}
	return rec.Source, nil
}

// CancelRunInput names the run to end.
type CancelRunInput struct {
	RunID string `json:"run_id" arg:"ID" jsonschema:"run ID"`
}

// CancelRunResult gives the status of the run after the call.
type CancelRunResult struct {
	RunID  string `json:"run_id"`
	Status string `json:"status"`
}

// CancelRun cancels a run of the caller's, in whichever process it runs. One that
// waits for somebody ends as well.
func (rs *Records) CancelRun(ctx context.Context, in CancelRunInput) (*CancelRunResult, *diag.Fault) {
	by := "cancel_run"
	if request.ActorFrom(ctx).Operator {
		by = "patchbay runs cancel"
	}
	status, fault := rs.execution.Runner.Cancel(ctx, request.ActorFrom(ctx), in.RunID, runs.Cancelled(by))
	if fault != nil {
		return nil, atRunID(fault)
	}
	return &CancelRunResult{RunID: in.RunID, Status: string(status)}, nil
}

// Allowances are for how long an answer can permit the calls that a question is about.
func (a Ask) Allowances() []string {
	var names []string
	for _, one := range policy.Allowances {
		if strings.Contains(string(a.Schema), strconv.Quote(one.Name)) {
			names = append(names, one.Name)
		}
	}
	return names
}

// AtClient returns the question as a client of MCP is asked it: only a person at the terminal,
// in the UI or with a link can permit calls for good.
func (a Ask) AtClient() Ask {
	if offered := a.Allowances(); a.Permits != "" && len(offered) > 0 {
		a.Schema = policy.AllowSchema(slices.DeleteFunc(offered, func(name string) bool { return name == run.AllowAlways }))
	}
	return a
}

// A GraphUse says what the completed runs of a graph have kept out of the model's
// context. Runs that ended before these figures were recorded count as uses only.
type GraphUse struct {
	Graph         string `json:"graph,omitempty"`
	Uses          int    `json:"uses"`
	CallsKeptOut  int    `json:"calls_kept_out"`  // calls of the runs, less the one of the graph
	TokensKeptOut int    `json:"tokens_kept_out"` // of the results of calls, less those of the runs' results: their bytes divided by 4
}

// bytesOfToken is how many bytes of JSON count as a token that a model does not read:
// about what English texts and JSON have. It is an estimate.
const bytesOfToken = 4

func graphUse(u run.Use) GraphUse {
	return GraphUse{Graph: u.Graph, Uses: u.Runs, CallsKeptOut: u.Calls - u.Counted, TokensKeptOut: int(u.Called-u.Replied) / bytesOfToken}
}

// GraphUse is the use of a graph by the caller in this project, nil if it is not known.
func (rs *Records) GraphUse(ctx context.Context, graph string) *GraphUse {
	uses, fault := rs.execution.Runner.Uses(run.Filter{Actor: request.ActorFrom(ctx), Graph: graph, Project: rs.execution.process.Project})
	if fault != nil {
		return nil
	}
	r := GraphUse{}
	if len(uses) > 0 {
		r = graphUse(uses[0])
		r.Graph = ""
	}
	return &r
}

// usesByGraph are the uses of graphs with a name, the most used graph first.
func (rs *Records) usesByGraph(f run.Filter) (*RunsResult, *diag.Fault) {
	uses, fault := rs.execution.Runner.Uses(f)
	if fault != nil {
		return nil, fault
	}
	r := &RunsResult{Runs: []run.Summary{}, Graphs: []GraphUse{}}
	for _, u := range uses {
		named := u.Graph != "" && u.Graph != OneCallName
		if named && (f.Limit <= 0 || len(r.Graphs) < f.Limit) {
			r.Graphs = append(r.Graphs, graphUse(u))
		}
	}
	return r, nil
}
