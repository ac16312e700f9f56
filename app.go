package patchbay

import (
	"context"
	"encoding/json"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/internal/app"
	"github.com/patchbay-mcp/patchbay/internal/around/hooks"
	"github.com/patchbay-mcp/patchbay/internal/author"
	"github.com/patchbay-mcp/patchbay/internal/cli"
	"github.com/patchbay-mcp/patchbay/internal/plans"
	"github.com/patchbay-mcp/patchbay/mcpserver"
)

// An App is the product: a catalog of nodes, a checker, and an engine that runs
// graphs. It is safe for concurrent use, and must be closed.
type App struct{ app *app.App }

// Main is the whole command line, patchbay serve included, with what the options
// add to it: Servers, Kinds, Functions, Sources and OnEvent. The other options are
// the program's flags. It does not return.
func Main(o Options) {
	HookWorker()
	setup, err := o.setup()
	cli.Main(setup, o.secrets(), err)
}

// HookWorker is the first call of a program whose graphs or workflows have scripts, unless
// it calls [Main]: scripts execute in processes of the program's own binary. In such a
// process it does not return; in any other it does nothing else.
func HookWorker() { hooks.ServeIfWorker() }

// Close parks the runs in progress, so that they can be resumed where runs are kept
// on disk, ends the servers and returns when all is closed.
func (a *App) Close() { a.app.Close() }

// Shutdown is Close for a program that has time: calls that have left may return until
// ctx ends.
func (a *App) Shutdown(ctx context.Context) { a.app.Shutdown(ctx) }

// A Tool is a graph that can be called by its name: one of the document, or a saved
// one.
type Tool = plans.PublishedTool

// Tools returns the tools that [App.Call] can call and that [App.Serve] publishes.
func (a *App) Tools() []Tool { return a.app.GraphTools.List() }

// Call runs a tool and returns its result as JSON. The arguments are encoded as
// JSON. A run that fails, is cancelled or waits for a person is an error, a
// [*diag.Fault].
func (a *App) Call(ctx context.Context, tool string, args any) (json.RawMessage, error) {
	b, err := json.Marshal(args)
	if err != nil {
		return nil, err
	}
	r, fault := a.app.CallGraph(operator(ctx), tool, b)
	if fault != nil {
		return nil, fault
	}
	if r.Error != nil {
		return nil, r.Error
	}
	return r.Result, nil
}

// Check returns what is wrong with the text of a graph document, in order of
// position and 50 diagnostics at most. It can run if none has the severity error.
func (a *App) Check(ctx context.Context, doc string) (diag.List, error) {
	r, fault := a.app.Validate(operator(ctx), author.ValidateInput{GraphInput: plans.FromText("document", doc, "")})
	if fault != nil {
		return nil, fault
	}
	return append(append(diag.List{}, r.Errors...), r.Warnings...).Sort(), nil
}

// Serve serves the operations and the tools as an MCP server over a transport. It
// returns when the client leaves or ctx ends; the App stays open.
func (a *App) Serve(ctx context.Context, t mcp.Transport) error {
	o := mcpserver.Options{Loaded: a.app.Loaded()}
	if cfg := a.app.Config(); cfg != nil {
		o.Name, o.Title, o.Version, o.Instructions = cfg.Info.Name, cfg.Info.Title, cfg.Info.Version, cfg.Info.Instructions
		o.Redact, o.Wait = cfg.Redactor.RedactJSON, cfg.Runs.Wait
	}
	return mcpserver.New(a.app, o).Run(ctx, t)
}
