package policy

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/internal/config"
	"github.com/patchbay-mcp/patchbay/internal/library/graphfiles"
	"github.com/patchbay-mcp/patchbay/internal/request"
	"github.com/patchbay-mcp/patchbay/run"
)

// Allowances say what each choice of a person means, in the order in which they are offered.
var Allowances = []struct{ Name, Means string }{
	{run.AllowOnce, "for this step"},
	{run.AllowRun, "for all calls of the tool in this run"},
	{run.AllowSession, "for all calls of the tool that this client sends in this session"},
	{run.AllowAlways, "for all calls of the tool that clients send, until you revoke it"},
}

// beyond is the permission that would let a call be made without a question, nil if none does:
// calls.confirm always asks, and so do graphs for which no person answers, and calls that a model decides.
func (pol *Policy) beyond(c *run.Call) *run.Permission {
	tool := pol.Policies.table.Load().special[c.Server][c.Tool]
	if tool.definition == "" || tool.policy == config.PolicyConfirm || !c.Sent || c.Unreviewed || c.Marked {
		return nil
	}
	return &run.Permission{Config: pol.process.Config().RealFile(), Server: c.Server, Tool: c.Tool, Definition: tool.definition, Session: c.Session}
}

// allowed are what a person can choose in the question about a call.
func allowed(c *run.Call, beyond *run.Permission) []string {
	offered := []string{run.AllowOnce}
	if c.Key != "" { // a call of a gateway is in no run
		offered = append(offered, run.AllowRun)
	}
	if beyond != nil && beyond.Session != "" {
		offered = append(offered, run.AllowSession)
	}
	if beyond != nil && beyond.Config != "" && c.Key != "" {
		offered = append(offered, run.AllowAlways)
	}
	return offered
}

// AllowSchema is the form of a question about a call.
func AllowSchema(offered []string) json.RawMessage {
	var means []string
	for _, a := range Allowances {
		if slices.Contains(offered, a.Name) {
			means = append(means, a.Name+": "+a.Means)
		}
	}
	initial := run.AllowOnce
	if slices.Contains(offered, run.AllowRun) {
		initial = run.AllowRun
	}
	names, _ := json.Marshal(offered)                  // of texts
	text, _ := json.Marshal(strings.Join(means, "; ")) // a text
	return fmt.Appendf(nil, `{"type":"object","properties":{"allow":{"type":"string","title":"Allow","description":%s,"enum":%s,"default":%q}}}`, text, names, initial)
}

var CodeAskAPerson = diag.DefineFault("ask-a-person", diag.RefusesRequest, "only a person may do this", "`patchbay runs answer`")

// KeepPermission keeps what the answer to a question permits beyond the run.
//
// Faults: ask-a-person, not-saved.
func (pol *Policy) KeepPermission(ctx context.Context, id string, question *run.Intent) *diag.Fault {
	var asked struct {
		Beyond *run.Permission `json:"beyond"`
	}
	var answer run.Answer
	if json.Unmarshal(question.Detail, &asked) != nil || asked.Beyond == nil || json.Unmarshal(question.Outcome, &answer) != nil {
		return nil
	}
	if answer.Allows() == run.AllowAlways && !request.ActorFrom(ctx).Operator {
		return diag.Faultf(CodeAskAPerson, "only a person at the terminal, in the UI or with a link can permit the calls of a tool for good").
			At("/content/allow").WithHint(fmt.Sprintf("choose once, run or session; or a person types: patchbay runs answer %s accept allow=always", id))
	}
	return pol.PermitBeyond(*asked.Beyond, answer.Allows())
}

// PermitBeyond keeps a permission for the time that a person has chosen.
func (pol *Policy) PermitBeyond(p run.Permission, allows string) *diag.Fault {
	switch {
	case allows == run.AllowAlways && p.Config != "":
		p.Session = ""
	case allows != run.AllowSession || p.Session == "":
		return nil
	}
	if err := pol.permissions.Add(p, time.Now()); err != nil {
		return diag.Faultf(graphfiles.CodeNotSaved, "the permission cannot be stored: %w", err)
	}
	return nil
}
