package patchbay

import (
	"context"

	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/internal/around"
	"github.com/patchbay-mcp/patchbay/internal/author"
	"github.com/patchbay-mcp/patchbay/internal/discover"
	"github.com/patchbay-mcp/patchbay/internal/execution"
	"github.com/patchbay-mcp/patchbay/internal/library"
	"github.com/patchbay-mcp/patchbay/internal/plans"
	"github.com/patchbay-mcp/patchbay/internal/request"
	"github.com/patchbay-mcp/patchbay/internal/servers"
	"github.com/patchbay-mcp/patchbay/run"
)

// The inputs and results of the operations. Each is what the MCP tool takes and
// returns as JSON, and docs/reference describes it.
//
//nolint:revive // one comment for all of them
type (
	SearchInput     = discover.SearchInput
	SearchResult    = discover.SearchResult
	TypesInput      = discover.TypesInput
	TypesResult     = discover.TypesResult
	DetailsInput    = discover.DetailsInput
	DetailsResult   = discover.DetailsResult
	NodeRef         = plans.NodeRef
	GraphInput      = plans.GraphInput
	ValidateInput   = author.ValidateInput
	ValidateResult  = author.ValidateResult
	EditInput       = library.EditInput
	EditResult      = library.EditResult
	ExportInput     = author.ExportInput
	ExportResult    = author.ExportResult
	RunInput        = execution.RunInput
	RunResult       = execution.RunResult
	RunCase         = execution.RunCase
	CasesResult     = execution.CasesResult
	RunNodeInput    = execution.RunNodeInput
	RunNodeResult   = execution.RunNodeResult
	EvaluateInput   = author.EvaluateInput
	EvaluateResult  = author.EvaluateResult
	RunsInput       = execution.RunsInput
	RunsResult      = execution.RunsResult
	GetRunInput     = execution.GetRunInput
	GetRunResult    = execution.GetRunResult
	RunLogInput     = execution.RunLogInput
	RunLogResult    = execution.RunLogResult
	ResumeRunInput  = execution.ResumeRunInput
	AnswerInput     = execution.AnswerInput
	CancelRunInput  = execution.CancelRunInput
	CancelRunResult = execution.CancelRunResult
	DebugRunInput   = execution.DebugRunInput
	DebugResult     = execution.DebugResult
	DebugListInput  = execution.DebugListInput
	DebugListResult = execution.DebugListResult
	ReplayRunInput  = execution.ReplayRunInput
	ReplayResult    = execution.ReplayResult
	SaveTestInput   = library.SaveTestInput
	SaveTestResult  = library.SaveTestResult
	PruneInput      = execution.PruneInput
	PruneResult     = execution.PruneResult
	AdoptRunsInput  = execution.AdoptRunsInput
	AdoptRunsResult = execution.AdoptRunsResult
	SaveInput       = library.SaveInput
	SaveResult      = library.SaveResult
	GetGraphInput   = library.GetGraphInput
	GetGraphResult  = library.GetGraphResult
	RestoreInput    = library.RestoreInput
	GraphsInput     = library.GraphsInput
	GraphsResult    = library.GraphsResult
	DeleteInput     = library.DeleteInput
	DeleteResult    = library.DeleteResult
	ServersResult   = discover.ServersResult

	WorkflowsResult     = around.WorkflowsResult
	WorkflowInput       = around.WorkflowInput
	WorkflowText        = around.WorkflowText
	EnableInput         = around.EnableInput
	DisableInput        = around.DisableInput
	WorkflowSwitched    = around.WorkflowSwitched
	TestWorkflowsInput  = around.TestWorkflowsInput
	TestWorkflowsResult = around.TestWorkflowsResult
	ImportInput         = around.ImportInput
	ImportResult        = around.ImportResult
	ExportedWorkflow    = around.ExportedWorkflow
	ServerInput         = plans.ServerInput
	ServerResult        = plans.ServerResult
	SyncInput           = plans.SyncInput
	SyncResult          = plans.SyncResult
	ApproveInput        = library.ApproveInput
	ApproveGraphInput   = library.ApproveGraphInput
	ApproveGraphResult  = library.ApproveGraphResult
	FixGraphsInput      = library.FixGraphsInput
	FixGraphsResult     = library.FixGraphsResult
	ApproveResult       = library.ApproveResult
	AddServersInput     = plans.AddServersInput
	AddServersResult    = plans.AddServersResult
	LoginInput          = plans.LoginInput
	LoginResult         = plans.LoginResult
	LogsInput           = plans.LogsInput
	LogsResult          = plans.LogsResult
)

//nolint:revive // one comment for all of them
type (
	StatesInput       = execution.StatesInput
	StatesResult      = execution.StatesResult
	DeleteStateInput  = execution.DeleteStateInput
	DeleteStateResult = execution.DeleteStateResult
)

//nolint:revive // one comment for all of them
type (
	DebugContinueInput = execution.DebugContinueInput
	DebugEvaluateInput = author.DebugEvaluateInput
)

//nolint:revive // one comment for all of them
type (
	ModelsResult    = servers.ModelsResult
	TestModelInput  = servers.TestModelInput
	TestModelResult = servers.TestModelResult

	HookModulesResult  = around.HookModulesResult
	HookModuleInput    = around.HookModuleInput
	HookModuleResult   = around.HookModuleResult
	AddHookModuleInput = around.AddHookModuleInput
)

// FromText is the input of a graph document's text. The name is what messages call
// it; tool is the one of its tools that is meant, "" if it has one.
func FromText(name, text, tool string) GraphInput { return plans.FromText(name, text, tool) }

// The operations report an author's faults in their results, as diagnostics, and a
// caller's or the machine's as the error, a [*diag.Fault].

// Search finds nodes by what they do.
func (a *App) Search(ctx context.Context, in SearchInput) (*SearchResult, error) {
	return result(a.app.Search(operator(ctx), in))
}

// Types lists node types and their subtypes.
func (a *App) Types(ctx context.Context, in TypesInput) (*TypesResult, error) {
	return result(a.app.Types(operator(ctx), in))
}

// Details describes nodes: parameters, ports, a skeleton, examples.
func (a *App) Details(ctx context.Context, in DetailsInput) (*DetailsResult, error) {
	return result(a.app.Details(operator(ctx), in))
}

// Validate checks a graph, and repairs it if asked to.
func (a *App) Validate(ctx context.Context, in ValidateInput) (*ValidateResult, error) {
	return result(a.app.Validate(operator(ctx), in))
}

// Edit changes a graph by operations.
func (a *App) Edit(ctx context.Context, in EditInput) (*EditResult, error) {
	return result(a.app.Edit(operator(ctx), in))
}

// Export draws a graph as Mermaid or Graphviz.
func (a *App) Export(ctx context.Context, in ExportInput) (*ExportResult, error) {
	return result(a.app.Export(operator(ctx), in))
}

// Run checks a graph and runs it.
func (a *App) Run(ctx context.Context, in RunInput) (*RunResult, error) {
	return result(a.app.Run(operator(ctx), in))
}

// RunNode runs one downstream tool or saved graph.
func (a *App) RunNode(ctx context.Context, in RunNodeInput) (*RunNodeResult, error) {
	return result(a.app.RunNode(operator(ctx), in))
}

// Evaluate evaluates an expression.
func (a *App) Evaluate(ctx context.Context, in EvaluateInput) (*EvaluateResult, error) {
	return result(a.app.Evaluate(operator(ctx), in))
}

// Runs lists the runs of the project that are kept, the latest first.
func (a *App) Runs(ctx context.Context, in RunsInput) (*RunsResult, error) {
	return result(a.app.Runs(operator(ctx), in))
}

// GetRun returns what a run did.
func (a *App) GetRun(ctx context.Context, in GetRunInput) (*GetRunResult, error) {
	return result(a.app.GetRun(operator(ctx), in))
}

// RunLog returns the events of a run so far.
func (a *App) RunLog(ctx context.Context, in RunLogInput) (*RunLogResult, error) {
	return result(a.app.RunLog(operator(ctx), in))
}

// ResumeRun resumes a run at the step where it stopped.
func (a *App) ResumeRun(ctx context.Context, in ResumeRunInput) (*RunResult, error) {
	return result(a.app.ResumeRun(operator(ctx), in))
}

// Answer answers the question of a run and resumes it.
func (a *App) Answer(ctx context.Context, in AnswerInput) (*RunResult, error) {
	return result(a.app.Answer(operator(ctx), in))
}

// CancelRun ends a run that is running or waiting.
func (a *App) CancelRun(ctx context.Context, in CancelRunInput) (*CancelRunResult, error) {
	return result(a.app.CancelRun(operator(ctx), in))
}

// DebugRun starts a run that pauses before nodes. A program that is itself the debugger
// sets [RunInput.Debugger] instead.
func (a *App) DebugRun(ctx context.Context, in DebugRunInput) (*DebugResult, error) {
	return result(a.app.DebugRun(operator(ctx), in))
}

// DebugList lists the runs of DebugRun that have not ended, and where they are paused.
func (a *App) DebugList(ctx context.Context, in DebugListInput) (*DebugListResult, error) {
	return result(a.app.DebugList(operator(ctx), in))
}

// DebugContinue lets a paused run continue, or step.
func (a *App) DebugContinue(ctx context.Context, in DebugContinueInput) (*DebugResult, error) {
	return result(a.app.DebugContinue(operator(ctx), in))
}

// DebugEvaluate computes an expression on what the node sees before which a run is paused.
func (a *App) DebugEvaluate(ctx context.Context, in DebugEvaluateInput) (*EvaluateResult, error) {
	return result(a.app.DebugEvaluate(operator(ctx), in))
}

// ReplayRun does a run again with its recorded results and reports the differences.
// Nothing outside is touched.
func (a *App) ReplayRun(ctx context.Context, in ReplayRunInput) (*ReplayResult, error) {
	return result(a.app.ReplayRun(operator(ctx), in))
}

// SaveTest turns a run into a test for patchbay test.
func (a *App) SaveTest(ctx context.Context, in SaveTestInput) (*SaveTestResult, error) {
	return result(a.app.SaveTest(operator(ctx), in))
}

// PruneRuns deletes old runs. The zero PruneInput deletes every run of the project that
// is neither running nor interrupted.
func (a *App) PruneRuns(ctx context.Context, in PruneInput) (*PruneResult, error) {
	return result(a.app.PruneRuns(operator(ctx), in))
}

// AdoptRuns makes the runs of another project those of this one.
func (a *App) AdoptRuns(ctx context.Context, in AdoptRunsInput) (*AdoptRunsResult, error) {
	return result(a.app.AdoptRuns(operator(ctx), in))
}

// States lists what graphs have stored for their later runs.
func (a *App) States(ctx context.Context, in StatesInput) (*StatesResult, error) {
	return result(a.app.States(operator(ctx), in))
}

// DeleteState deletes what a graph has stored.
func (a *App) DeleteState(ctx context.Context, in DeleteStateInput) (*DeleteStateResult, error) {
	return result(a.app.DeleteState(operator(ctx), in))
}

// Models lists the configured models. None is asked.
func (a *App) Models(ctx context.Context) (*ModelsResult, error) {
	return result(a.app.Models(operator(ctx), servers.ModelsInput{}))
}

// TestModel asks a configured model for a short reply.
func (a *App) TestModel(ctx context.Context, in TestModelInput) (*TestModelResult, error) {
	return result(a.app.TestModel(operator(ctx), in))
}

// HookModules lists the hook modules and what is wrong with each.
func (a *App) HookModules(ctx context.Context) (*HookModulesResult, error) {
	return result(a.app.HookModules(operator(ctx), around.HookModulesInput{}))
}

// HookModule returns the text of a hook module.
func (a *App) HookModule(ctx context.Context, in HookModuleInput) (*HookModuleResult, error) {
	return result(a.app.HookModule(operator(ctx), in))
}

// AddHookModule makes a script a hook module.
func (a *App) AddHookModule(ctx context.Context, in AddHookModuleInput) (*HookModuleResult, error) {
	return result(a.app.AddHookModule(operator(ctx), in))
}

// RemoveHookModule removes a hook module that no workflow uses.
func (a *App) RemoveHookModule(ctx context.Context, in HookModuleInput) (*HookModuleResult, error) {
	return result(a.app.RemoveHookModule(operator(ctx), in))
}

// ResumeRuns resumes, in the background, the runs that an earlier process left in
// the store.
func (a *App) ResumeRuns(ctx context.Context) { a.app.ResumeRuns(ctx) }

// Save keeps a valid graph as a tool.
func (a *App) Save(ctx context.Context, in SaveInput) (*SaveResult, error) {
	return result(a.app.Save(operator(ctx), in))
}

// Restore saves a former text of a graph again, also of one that was deleted.
func (a *App) Restore(ctx context.Context, in RestoreInput) (*SaveResult, error) {
	return result(a.app.Restore(operator(ctx), in))
}

// ApproveGraph accepts the tools that a saved graph uses as they are now.
func (a *App) ApproveGraph(ctx context.Context, in ApproveGraphInput) (*ApproveGraphResult, error) {
	return result(a.app.ApproveGraph(operator(ctx), in))
}

// FixGraphs writes the names that tools of APIs have now into saved graphs.
func (a *App) FixGraphs(ctx context.Context, in FixGraphsInput) (*FixGraphsResult, error) {
	return result(a.app.FixGraphs(operator(ctx), in))
}

// GetGraph returns a saved graph, or one of its last 20 revisions.
func (a *App) GetGraph(ctx context.Context, in GetGraphInput) (*GetGraphResult, error) {
	return result(a.app.GetGraph(operator(ctx), in))
}

// Graphs lists the saved graphs.
func (a *App) Graphs(ctx context.Context, in GraphsInput) (*GraphsResult, error) {
	return result(a.app.Graphs(operator(ctx), in))
}

// Delete deletes a saved graph.
func (a *App) Delete(ctx context.Context, in DeleteInput) (*DeleteResult, error) {
	return result(a.app.Delete(operator(ctx), in))
}

// Workflows lists the workflows around calls.
func (a *App) Workflows(ctx context.Context) (*WorkflowsResult, error) {
	return result(a.app.Workflows(operator(ctx), around.WorkflowsInput{}))
}

// WorkflowText returns a workflow as its author wrote it.
func (a *App) WorkflowText(ctx context.Context, in WorkflowInput) (*WorkflowText, error) {
	return result(a.app.WorkflowText(operator(ctx), in))
}

// EnableWorkflow turns a workflow on, in its file.
func (a *App) EnableWorkflow(ctx context.Context, in EnableInput) (*WorkflowSwitched, error) {
	return result(a.app.EnableWorkflow(operator(ctx), in))
}

// DisableWorkflow turns a workflow off, in its file.
func (a *App) DisableWorkflow(ctx context.Context, in DisableInput) (*WorkflowSwitched, error) {
	return result(a.app.DisableWorkflow(operator(ctx), in))
}

// TestWorkflows runs the tests that are kept with workflows.
func (a *App) TestWorkflows(ctx context.Context, in TestWorkflowsInput) (*TestWorkflowsResult, error) {
	return result(a.app.TestWorkflows(operator(ctx), in))
}

// ImportWorkflow saves the workflow of a visual editor.
func (a *App) ImportWorkflow(ctx context.Context, in ImportInput) (*ImportResult, error) {
	return result(a.app.ImportWorkflow(operator(ctx), in))
}

// ExportWorkflow writes a workflow as the definition of a visual editor.
func (a *App) ExportWorkflow(ctx context.Context, in WorkflowInput) (*ExportedWorkflow, error) {
	return result(a.app.ExportWorkflow(operator(ctx), in))
}

// Servers returns the state of each server, by name.
func (a *App) Servers(ctx context.Context) (*ServersResult, error) {
	return result(a.app.Servers(operator(ctx), discover.ServersInput{}))
}

// Server describes a server: its tools with the hashes of their definitions, and changes
// that wait for a person.
func (a *App) Server(ctx context.Context, in ServerInput) (*ServerResult, error) {
	return result(a.app.Server(operator(ctx), in))
}

// Sync lists the tools of servers again and reports what has changed.
func (a *App) Sync(ctx context.Context, in SyncInput) (*SyncResult, error) {
	return result(a.app.Sync(operator(ctx), in))
}

// Approve accepts changed definitions of a server's tools.
func (a *App) Approve(ctx context.Context, in ApproveInput) (*ApproveResult, error) {
	return result(a.app.Approve(operator(ctx), in))
}

// AddServers returns how the configuration changes if servers are added, and changes it if that is
// the change of the input.
func (a *App) AddServers(ctx context.Context, in AddServersInput) (*AddServersResult, error) {
	return result(a.app.AddServers(operator(ctx), in))
}

// Login begins a login to a remote server, and returns the address at which a person agrees.
func (a *App) Login(ctx context.Context, in LoginInput) (*LoginResult, error) {
	return result(a.app.Login(operator(ctx), in))
}

// Logs returns the last lines that a server has written to stderr.
func (a *App) Logs(ctx context.Context, in LogsInput) (*LogsResult, error) {
	return result(a.app.Logs(operator(ctx), in))
}

// result is what an operation returned, without a fault that is a nil pointer.
func result[T any](r T, fault *diag.Fault) (T, error) {
	if fault != nil {
		return r, fault
	}
	return r, nil
}

// operator marks a call as the program's own, which may see and do everything.
func operator(ctx context.Context) context.Context {
	return request.WithActor(ctx, run.Actor{Operator: true})
}
