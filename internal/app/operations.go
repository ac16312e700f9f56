package app

import (
	"github.com/patchbay-mcp/patchbay/internal/policy/access"
)

// Operations lists what the product does, in the order of the reference.
func Operations() []Operation {
	return []Operation{
		define(Operation{
			Tool: "search_nodes", Title: "Search nodes", Command: "search", Summary: "Find nodes by what they do",
			Sought:      "find a tool for a task",
			Description: "Find tools of MCP servers, saved graphs and node types by words, such as \"ask a person for approval\", or by type: has and wants.",
			Scope:       access.Read, Hints: Hints{ReadOnly: true, Idempotent: true},
		}, (*App).Search),
		define(Operation{
			Tool: "get_node_types", Title: "List node types", Command: "types", Summary: "List node types and their subtypes",
			Description: "List node types and their subtypes, a page at a time.",
			Scope:       access.Read, Hints: Hints{ReadOnly: true, Idempotent: true},
		}, (*App).Types),
		define(Operation{
			Tool: "get_node_details", Title: "Show nodes", Command: "show", Summary: "Show parameters, schemas and examples of nodes",
			Description: "Get what calls of up to 50 nodes need: typed signatures and skeletons to copy. detail full adds schemas, ports and examples.",
			Scope:       access.Read, Hints: Hints{ReadOnly: true, Idempotent: true},
		}, (*App).Details),
		define(Operation{
			Tool: "validate_graph", Title: "Check a graph", Command: "validate", Summary: "Check graphs; --fix repairs them",
			Description: "Check a graph without running anything. valid: true means that it can run, unless runnable is false. Returns a draft handle to send instead.",
			Scope:       access.Read, Hints: Hints{ReadOnly: true, Idempotent: true},
		}, (*App).Validate),
		define(Operation{
			Tool: "edit_graph", Title: "Edit a graph", Command: "edit", Summary: "Edit a graph file with a list of operations",
			Description: "Edit a graph, draft or saved graph and check it. Returns the diff and a draft handle.",
			Scope:       access.Write, Hints: Hints{Destructive: true, Idempotent: true},
		}, (*App).Edit),
		define(Operation{
			Command: "export", Summary: "Draw a graph, or write functions for tools and saved graphs",
			Scope: access.Read, Hints: Hints{ReadOnly: true, Idempotent: true},
		}, (*App).Export),
		define(Operation{
			Tool: "evaluate", Title: "Evaluate an expression", Command: "eval", Summary: "Evaluate JSONata or JSON Logic",
			Description: "Evaluate JSONata or JSON Logic on a context, or on the outputs of a recorded run.",
			Scope:       access.Read, Hints: Hints{ReadOnly: true, Idempotent: true},
		}, (*App).Evaluate),
		define(Operation{
			Tool: "run_graph", Title: "Run a graph", Command: "run", Summary: "Run a graph file or a saved graph",
			Sought:      "run several tool calls as one",
			Description: "Run several tool calls as a graph, or a draft or saved graph. Returns the result, or the failed node and its input.",
			Scope:       access.Run, Hints: Hints{Destructive: true, OpenWorld: true},
		}, (*App).Run),
		define(Operation{
			Tool: "run_node", Title: "Run one node", Command: "call", Summary: "Run one downstream tool or saved graph",
			Sought:      "call one tool of a connected server",
			Description: "Call one downstream tool or saved graph. Returns its output as later expressions see it.",
			Scope:       access.Run, Hints: Hints{Destructive: true, OpenWorld: true},
		}, (*App).RunNode),
		define(Operation{
			Command: "runs list", Summary: "List the recorded runs of this project, latest first",
			Scope: access.Run, Hints: Hints{ReadOnly: true, Idempotent: true},
		}, (*App).Runs),
		define(Operation{
			Tool: "get_run", Title: "Show a run", Command: "runs show", Summary: "Show a run as a table and a timeline",
			Description: "Get the trace of a run, the input and output of one execution, or a JSONata projection of them.",
			Scope:       access.Run, Hints: Hints{ReadOnly: true, Idempotent: true},
		}, (*App).GetRun),
		define(Operation{
			Command: "runs logs", Summary: "Print what happened in a run; -f follows it",
			Scope: access.Run, Hints: Hints{ReadOnly: true, Idempotent: true},
		}, (*App).RunLog),
		define(Operation{
			Tool: "resume_run", Title: "Resume a run", Command: "runs resume", Summary: "Resume a failed, cancelled or interrupted run",
			Description: "Resume a failed, cancelled or interrupted run where it stopped. Completed steps are not repeated; a corrected graph must leave them unchanged.",
			Scope:       access.Run, Hints: Hints{Destructive: true, OpenWorld: true},
		}, (*App).ResumeRun),
		define(Operation{ // not a tool: an agent must not answer for a person
			Command: "runs answer", Summary: "Answer a run's question to a person, and resume the run",
			Hints: Hints{Destructive: true, OpenWorld: true},
		}, (*App).Answer),
		define(Operation{
			Tool: "cancel_run", Title: "Cancel a run", Command: "runs cancel", Summary: "Cancel a running or waiting run of any process",
			Description: "Cancel a running or waiting run.",
			Scope:       access.Run, Hints: Hints{Destructive: true, Idempotent: true},
		}, (*App).CancelRun),
		define(Operation{
			Tool: "debug_run", Title: "Debug a graph", Debug: true,
			Description: "Run a graph, a draft or a saved graph that pauses before nodes. Returns what it is paused before and what that node sees, or the result. cancel_run aborts it. A run that is paused for 10 minutes without any debug tool is cancelled.",
			Scope:       access.Run, Hints: Hints{Destructive: true, OpenWorld: true},
		}, (*App).DebugRun),
		define(Operation{
			Tool: "debug_list", Title: "List paused runs", Debug: true,
			Description: "List the runs that are being debugged, where they are paused and what the nodes there see.",
			Scope:       access.Run, Hints: Hints{ReadOnly: true, Idempotent: true},
		}, (*App).DebugList),
		define(Operation{
			Tool: "debug_continue", Title: "Continue a paused run", Debug: true,
			Description: "Continue a paused run until the next breakpoint, or step until the next node. Returns what debug_run does.",
			Scope:       access.Run, Hints: Hints{Destructive: true, OpenWorld: true},
		}, (*App).DebugContinue),
		define(Operation{
			Tool: "debug_evaluate", Title: "Evaluate in a paused run", Debug: true,
			Description: "Evaluate JSONata or JSON Logic on what the node sees before which a run is paused.",
			Scope:       access.Run, Hints: Hints{ReadOnly: true, Idempotent: true},
		}, (*App).DebugEvaluate),
		define(Operation{
			Command: "runs replay", Summary: "Replay a run with its recorded results and report differences",
			Scope: access.Run, Hints: Hints{ReadOnly: true, Idempotent: true},
		}, (*App).ReplayRun),
		define(Operation{
			Command: "runs save-test", Summary: "Write a run as a test for patchbay test",
			Scope: access.Run, Hints: Hints{ReadOnly: true, Idempotent: true},
		}, (*App).SaveTest),
		define(Operation{
			Command: "runs prune", Summary: "Delete old runs of this project",
			Hints: Hints{Destructive: true, Idempotent: true},
		}, (*App).PruneRuns),
		define(Operation{ // not a tool: which runs belong together is the operator's decision
			Command: "runs adopt", Summary: "Move the runs of a folder that was moved to this project",
			Hints: Hints{Idempotent: true},
		}, (*App).AdoptRuns),
		define(Operation{ // not a tool: state belongs to the operator's graphs
			Command: "state list", Summary: "List what graphs have stored for their later runs",
			Hints: Hints{ReadOnly: true, Idempotent: true},
		}, (*App).States),
		define(Operation{
			Command: "state delete", Summary: "Delete what a graph has stored",
			Hints: Hints{Destructive: true, Idempotent: true},
		}, (*App).DeleteState),
		define(Operation{ // not tools: endpoints are the operator's
			Command: "models list", Summary: "List the models that graphs can ask",
			Hints: Hints{ReadOnly: true, Idempotent: true},
		}, (*App).Models),
		define(Operation{
			Command: "models test", Summary: "Ask a model for a short reply",
			Hints: Hints{ReadOnly: true, OpenWorld: true},
		}, (*App).TestModel),
		define(Operation{ // not tools: scripts around calls are the operator's
			Command: "hooks list", Summary: "List the hook modules",
			Hints: Hints{ReadOnly: true, Idempotent: true},
		}, (*App).HookModules),
		define(Operation{
			Command: "hooks show", Summary: "Print a hook module",
			Hints: Hints{ReadOnly: true, Idempotent: true},
		}, (*App).HookModule),
		define(Operation{
			Command: "hooks add", Summary: "Check a script and make it a hook module",
			Hints: Hints{Idempotent: true},
		}, (*App).AddHookModule),
		define(Operation{
			Command: "hooks remove", Summary: "Remove a hook module that no workflow uses",
			Hints: Hints{Destructive: true, Idempotent: true},
		}, (*App).RemoveHookModule),
		define(Operation{
			Command: "graphs list", Summary: "List saved graphs",
			Scope: access.Read, Hints: Hints{ReadOnly: true, Idempotent: true},
		}, (*App).Graphs),
		define(Operation{
			Tool: "get_graph", Title: "Get a saved graph", Command: "graphs show", Summary: "Print a saved graph, or a former revision",
			Description: "Get the text of a saved graph or one of its last 20 revisions, or what has changed since.",
			Scope:       access.Read, Hints: Hints{ReadOnly: true, Idempotent: true},
		}, (*App).GetGraph),
		define(Operation{
			Tool: "save_graph", Title: "Save a graph as a tool", Command: "graphs save", Summary: "Save a valid graph as a tool, or draft one from calls",
			Description: "Save a valid graph as a node and a tool of this server. It needs name, description, inputSchema and outputSchema.",
			Scope:       access.Write, Hints: Hints{Idempotent: true},
		}, (*App).Save),
		define(Operation{
			Command: "graphs restore", Summary: "Save a former revision of a graph again",
			Hints: Hints{Idempotent: true},
		}, (*App).Restore),
		define(Operation{ // not a tool: an agent must not accept that
			Command: "graphs approve", Summary: "Approve saved graphs and the tools that they use, as they are now",
			Hints: Hints{Idempotent: true},
		}, (*App).ApproveGraph),
		define(Operation{ // not a tool: the text is the operator's
			Command: "graphs fix", Summary: "Write the present names of tools of APIs into saved graphs",
			Hints: Hints{Idempotent: true},
		}, (*App).FixGraphs),
		define(Operation{
			Tool: "delete_graph", Title: "Delete a saved graph", Command: "graphs delete", Summary: "Delete a saved graph",
			Description: "Delete a saved graph and its tool.",
			Scope:       access.Write, Hints: Hints{Destructive: true, Idempotent: true},
		}, (*App).Delete),
		define(Operation{ // not tools: what happens around calls is the operator's decision
			Command: "workflow list", Summary: "List the workflows around calls",
			Hints: Hints{ReadOnly: true, Idempotent: true},
		}, (*App).Workflows),
		define(Operation{
			Command: "workflow show", Summary: "Print a workflow",
			Hints: Hints{ReadOnly: true, Idempotent: true},
		}, (*App).WorkflowText),
		define(Operation{
			Command: "workflow enable", Summary: "Turn a workflow on",
			Hints: Hints{Idempotent: true},
		}, (*App).EnableWorkflow),
		define(Operation{
			Command: "workflow disable", Summary: "Turn a workflow off",
			Hints: Hints{Idempotent: true},
		}, (*App).DisableWorkflow),
		define(Operation{
			Command: "workflow test", Summary: "Run the tests of workflows",
		}, (*App).TestWorkflows),
		define(Operation{
			Command: "workflow import", Summary: "Save the workflow of a visual editor, WorkflowDefinition JSON",
			Hints: Hints{Idempotent: true},
		}, (*App).ImportWorkflow),
		define(Operation{
			Command: "workflow export", Summary: "Write a workflow as WorkflowDefinition JSON",
			Hints: Hints{ReadOnly: true, Idempotent: true},
		}, (*App).ExportWorkflow),
		define(Operation{
			Command: "mcp list", Summary: "List the downstream servers and their state",
			Hints: Hints{ReadOnly: true, Idempotent: true},
		}, (*App).Servers),
		define(Operation{
			Command: "mcp info", Summary: "Show a server, its tools and their hashes, and changes that wait for approval",
			Hints: Hints{ReadOnly: true, Idempotent: true},
		}, (*App).Server),
		define(Operation{
			Command: "mcp sync", Summary: "List the tools of servers again and show what has changed",
			Hints: Hints{Idempotent: true},
		}, (*App).Sync),
		define(Operation{ // not a tool: an agent must not accept what a server has changed
			Command: "mcp approve", Summary: "Accept changed definitions of a server's tools",
			Hints: Hints{Idempotent: true},
		}, (*App).Approve),
		define(Operation{ // not tools: what is started and reached is the operator's decision
			Command: "mcp add", Summary: "Add servers to patchbay.yaml",
			Local: true,
		}, (*App).AddServers),
		define(Operation{
			Command: "mcp login", Summary: "Log in to a remote server that asks for OAuth",
			Local: true, Hints: Hints{Idempotent: true, OpenWorld: true},
		}, (*App).Login),
		define(Operation{
			Command: "mcp logs", Summary: "Show what a server has written to stderr",
			Hints: Hints{ReadOnly: true, Idempotent: true},
		}, (*App).Logs),
	}
}

// toolScopes are the scopes of the tools among some operations, by their names.
func toolScopes(operations []Operation) map[string]string {
	scopes := map[string]string{}
	for _, o := range operations {
		if o.Tool != "" {
			scopes[o.Tool] = o.Scope
		}
	}
	return scopes
}
