package mcpserver

import (
	"context"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/internal/app"
)

// addTools publishes Patchbay's own tools.
func addTools(s *mcp.Server, pb *app.App) {
	add(s, tool{
		name: "search_nodes", readOnly: true, idempotent: true,
		description: "Find nodes by what they do: built-in node types, every tool of the connected MCP servers, saved graphs. Say in words what a step should do.",
	}, plainVerb(pb.Search))
	add(s, tool{
		name: "get_node_types", readOnly: true, idempotent: true,
		description: "List the node types of the catalog and their subtypes, a page at a time.",
	}, plainVerb(pb.Types))
	add(s, tool{
		name: "get_node_details", readOnly: true, idempotent: true,
		description: "Parameters, ports, schemas, a ready skeleton and examples of up to 20 nodes.",
	}, plainVerb(pb.Details))
	add(s, tool{
		name: "validate_graph", readOnly: true, idempotent: true,
		description: "Check a graph without running anything. valid: true means it will run. Each diagnostic says where, why and how to fix it. Replies with a draft handle to send instead of the graph.",
	}, plainVerb(pb.Validate))
	add(s, tool{
		name: "edit_graph", destructive: true, idempotent: true,
		description: "Change a graph, a draft or a saved graph by operations, and check the outcome. Only the diff comes back, and a draft handle of the edited graph.",
	}, plainVerb(pb.Edit))
	add(s, tool{
		name: "run_graph", destructive: true, openWorld: true,
		description: "Run a graph, a draft or a saved graph with arguments. The reply has the result, or the node that failed and what it was given.",
	}, func(ctx context.Context, in app.RunInput, req *mcp.CallToolRequest) (*conversation, *diag.Fault) {
		a := newAsker(ctx, pb, req)
		in.OnEvent = a.onEvent
		return a.converse(ctx, func() (*app.RunResult, *diag.Fault) { return pb.Run(ctx, in) })
	})
	add(s, tool{
		name: "resume_run", destructive: true, openWorld: true,
		description: "Go on with a run that failed or was interrupted, from its open step: what it completed is not done again, and must be the same in a corrected graph.",
	}, func(ctx context.Context, in app.ResumeRunInput, req *mcp.CallToolRequest) (*conversation, *diag.Fault) {
		a := newAsker(ctx, pb, req)
		in.OnEvent = a.onEvent
		return a.converse(ctx, func() (*app.RunResult, *diag.Fault) { return pb.ResumeRun(ctx, in) })
	})
	add(s, tool{
		name: "cancel_run", destructive: true, idempotent: true,
		description: "End a run that goes on or waits.",
	}, plainVerb(pb.CancelRun))
	add(s, tool{
		name: "run_node", destructive: true, openWorld: true,
		description: "Run one downstream tool or saved graph, to see the output that expressions after it will see.",
	}, plainVerb(pb.RunNode))
	add(s, tool{
		name: "evaluate", readOnly: true, idempotent: true,
		description: "Evaluate JSONata or JSON Logic on a context, or on the outputs of a recorded run.",
	}, plainVerb(pb.Evaluate))
	add(s, tool{
		name: "get_run", readOnly: true, idempotent: true,
		description: "What a run did: its trace, the input and output of one execution, or a JSONata projection of them.",
	}, plainVerb(pb.GetRun))
	add(s, tool{
		name: "save_graph", idempotent: true,
		description: "Keep a valid graph under its name, as a node of the catalog and a tool of this server. It needs name, description, inputSchema and outputSchema.",
	}, plainVerb(pb.Save))
	add(s, tool{
		name: "get_graph", readOnly: true, idempotent: true,
		description: "The text of a saved graph, with its revision.",
	}, plainVerb(pb.GetGraph))
	add(s, tool{
		name: "delete_graph", destructive: true, idempotent: true,
		description: "Delete a saved graph; its tool disappears.",
	}, plainVerb(pb.Delete))
}

// plainVerb adapts a verb that needs nothing of the request but its arguments.
func plainVerb[In, Out any](verb func(context.Context, In) (*Out, *diag.Fault)) func(context.Context, In, *mcp.CallToolRequest) (*Out, *diag.Fault) {
	return func(ctx context.Context, in In, _ *mcp.CallToolRequest) (*Out, *diag.Fault) { return verb(ctx, in) }
}
