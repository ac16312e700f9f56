package policy

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"net/url"
	"slices"

	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/internal/config"
	"github.com/patchbay-mcp/patchbay/run"
)

// Permit returns nil if a call may be made. For some a person is asked first: the error
// then parks the run, or says that no person can be asked or that the person does not permit
// the call.
func (pol *Policy) Permit(ctx context.Context, c run.Call) error {
	if !pol.Policies.asks(&c) {
		return nil
	}
	beyond := pol.beyond(&c)
	if beyond != nil && pol.permissions.Has(*beyond) {
		return nil
	}
	return pol.askToPermit(ctx, c, beyond)
}

var (
	codeCallNotPermitted = diag.DefineFault("call-not-permitted", diag.FailsAttempt, "a person was asked whether a tool may be called, and declined", "ask the person what to do instead; a new run asks again")
	codeNeedsPermission  = diag.DefineFault("needs-permission", diag.FailsAttempt, "a person must permit the call of a tool that passes through the gateway, and the client cannot ask one; or a call of a [test](tests.md#tests), which permits nothing", "through the gateway: call it with `run_node`, which waits for the answer; in a test: give the output in `pins`, or approve the saved graph; for both: set [`calls.allow`](security.md#destructive-tools)")
)

func (pol *Policy) askToPermit(ctx context.Context, c run.Call, beyond *run.Permission) error {
	tool := c.Server + "/" + c.Tool
	if c.Server == run.HTTPServer {
		tool = c.Tool + " " + origin(c.Args)
	}
	if c.Marked { // what is permitted of the calls of the graph's author does not count
		tool += " by a model"
	}
	if c.Ask == nil {
		return pol.unconfirmed(c)
	}
	answer, err := c.Ask.Ask(ctx, c, run.Question{Permits: tool, Beyond: beyond, Message: pol.permitMessage(c), Schema: AllowSchema(allowed(&c, beyond))})
	switch {
	case run.Parked(err), ctx.Err() != nil, err != nil && run.AsFault(err).Code == diag.CodeGraphChanged:
		return err
	case err != nil:
		return pol.unconfirmed(c)
	case answer.Allows() != "":
		return nil
	}
	return diag.Faultf(codeCallNotPermitted, "a person did not permit calls of %s (%s)", tool, answer.Action).
		WithHint("do not try again in another way: ask the person what to do instead")
}

// maxAsked is how much of its arguments a question about a call shows, in bytes.
const maxAsked = 1000

// permitMessage asks a person about a call.
func (pol *Policy) permitMessage(c run.Call) string {
	why := "Its server declares that it may destroy something."
	if pol.Policies.table.Load().rules.Of(c.Server, c.Tool) == config.PolicyConfirm {
		why = "The configuration asks you about it (calls.confirm)."
	}
	if c.Marked {
		why = "What a model has answered decides that or how it is called."
	}
	calls := "The arguments"
	if c.Items > 1 {
		calls = fmt.Sprintf("It is called for %d items; the arguments of the first call", c.Items)
	}
	args := slices.Clone(c.Args)
	if pol.process.Redact != nil {
		args = pol.process.Redact(args)
	}
	shown := cmp.Or(diag.Visible(diag.Cut(string(args), maxAsked)), "{}")
	holds := ""
	if c.Key != "" {
		holds = " Unless you choose otherwise, your answer holds for all calls of this tool in this run."
	}
	what := fmt.Sprintf("calls of the tool %s of the server %s", diag.Visible(c.Tool), c.Server)
	if c.Server == run.HTTPServer {
		what = "requests " + c.Tool + " " + origin(c.Args)
	}
	return fmt.Sprintf("Allow %s? %s %s: %s.%s", what, why, calls, shown, holds)
}

// origin is where a request of an http node goes to.
func origin(args json.RawMessage) string {
	var request struct {
		URL string `json:"url"`
	}
	_ = json.Unmarshal(args, &request) // the node has checked it
	u, err := url.Parse(request.URL)
	if err != nil {
		return diag.Excerpt(request.URL)
	}
	return diag.Visible(u.Scheme + "://" + u.Host)
}

// PermitInTest is permit for the runs of tests: whoever has written a test is not asked, and
// its answer is not a person's to a question about a call. No model is asked. A call of a test that is not the
// user's own is one that an agent could have sent.
func (pol *Policy) PermitInTest(own bool, c run.Call) error {
	c.Sent, c.Marked = c.Sent || !own, false
	if !pol.Policies.asks(&c) {
		return nil
	}
	return diag.Faultf(codeNeedsPermission, "%s/%s needs a person's permission, and a test cannot give it", c.Server, c.Tool).
		WithHint("give the output of the node in pins; or a person permits the calls: with patchbay graphs approve NAME those of a saved graph by tests in the user's own folder of saved graphs, with calls.allow in the configuration all of the tool")
}

// unconfirmed is the fault of a call outside of a run when no person can be asked.
func (pol *Policy) unconfirmed(c run.Call) *diag.Fault {
	return diag.Faultf(codeNeedsPermission, "%s/%s needs a person's permission, and your client cannot ask for it", c.Server, c.Tool).
		WithHint(fmt.Sprintf("run_node {\"id\": \"mcp:%s/%s\", \"arguments\": {…}} waits until a person has answered with patchbay runs answer; the operator can allow the tool in calls.allow", c.Server, c.Tool))
}
