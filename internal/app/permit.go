package app

import (
	"context"
	"fmt"
	"slices"

	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/internal/config"
	"github.com/patchbay-mcp/patchbay/run"
)

// permit returns nil if a call may be made. For some a person is asked first: the error
// then parks the run, or says that no person can be asked or that the person does not permit
// the call.
func (pb *App) permit(ctx context.Context, c run.Call) error {
	if !pb.policies.asks(&c) {
		return nil
	}
	beyond := pb.beyond(&c)
	if beyond != nil && pb.permissions.Has(*beyond) {
		return nil
	}
	return pb.askToPermit(ctx, c, beyond)
}

func (pb *App) askToPermit(ctx context.Context, c run.Call, beyond *run.Permission) error {
	tool := c.Server + "/" + c.Tool
	if c.Ask == nil {
		return pb.unconfirmed(c)
	}
	answer, err := c.Ask.Ask(ctx, c, run.Question{Permits: tool, Beyond: beyond, Message: pb.permitMessage(c), Schema: allowSchema(allowancesOf(&c, beyond))})
	switch {
	case run.Parked(err), ctx.Err() != nil, err != nil && run.AsFault(err).Code == "graph-changed":
		return err
	case err != nil:
		return pb.unconfirmed(c)
	case answer.Allows() != "":
		return nil
	}
	return diag.Faultf("call-not-permitted", "a person was asked about the calls of %s and did not permit them (%s)", tool, answer.Action).
		WithHint("do not try again in another way: ask the person what to do instead")
}

// maxAsked is how much of its arguments a question about a call shows, in bytes.
const maxAsked = 1000

// permitMessage asks a person about a call.
func (pb *App) permitMessage(c run.Call) string {
	why := "Its server declares that it may destroy something."
	if pb.policies.table.Load().rules.Of(c.Server, c.Tool) == config.PolicyConfirm {
		why = "The configuration asks you about it (calls.confirm)."
	}
	calls := "The arguments"
	if c.Items > 1 {
		calls = fmt.Sprintf("It is called for %d items; the arguments of the first call", c.Items)
	}
	args := slices.Clone(c.Args)
	if pb.redact != nil {
		args = pb.redact(args)
	}
	shown := diag.Visible(diag.Cut(string(args), maxAsked))
	if shown == "" {
		shown = "{}"
	}
	holds := ""
	if c.Key != "" {
		holds = " Unless you choose otherwise, your answer holds for all calls of this tool in this run."
	}
	return fmt.Sprintf("May the tool %s of the server %s be called? %s %s: %s.%s", diag.Visible(c.Tool), c.Server, why, calls, shown, holds)
}

// permitInTest is permit for the runs of tests: whoever has written a test is not asked, and
// its answer is not a person's to a question about a call. A call of a test that is not the
// user's own is one that an agent could have sent.
func (pb *App) permitInTest(own bool, c run.Call) error {
	c.Sent = c.Sent || !own
	if !pb.policies.asks(&c) {
		return nil
	}
	return diag.Faultf("needs-permission", "a person must permit the calls of %s/%s, and a test cannot", c.Server, c.Tool).
		WithHint("give the output of the node in pins; or a person permits the calls: with patchbay graphs approve NAME those of a saved graph by tests in the user's own folder of saved graphs, with calls.allow in the configuration all of the tool")
}

// unconfirmed is the fault of a call outside of a run when no person can be asked.
func (pb *App) unconfirmed(c run.Call) *diag.Fault {
	return diag.Faultf("needs-permission", "a person must permit the calls of %s/%s, and your client cannot ask one", c.Server, c.Tool).
		WithHint(fmt.Sprintf("run_node {\"id\": \"mcp:%s/%s\", \"arguments\": {…}} waits until a person has answered with patchbay runs answer; the operator can allow the tool in calls.allow", c.Server, c.Tool))
}

// agentReplaces refuses to let an agent replace or delete a file that is not a graph: the folder
// may be a link to one with other files.
func (pb *App) agentReplaces(ctx context.Context, name string) *diag.Fault {
	if actor(ctx).Operator {
		return nil
	}
	_, fault := pb.graphs.Get(name)
	if fault == nil || fault.Code != "broken-graph" {
		return nil
	}
	fault.Hint = "a person repairs or removes the file; save under another name"
	return fault
}
