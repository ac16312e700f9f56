package app

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/patchbay-mcp/patchbay/internal/library/graphfiles"

	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/internal/config"
	"github.com/patchbay-mcp/patchbay/run"
)

// allowances say what each choice of a person means, in the order in which they are offered.
var allowances = []struct{ name, means string }{
	{run.AllowOnce, "for this step"},
	{run.AllowRun, "for all calls of the tool in this run"},
	{run.AllowSession, "for all calls of the tool that this client sends in this session"},
	{run.AllowAlways, "for all calls of the tool that clients send, until you revoke it"},
}

// beyond is the permission that would let a call be made without a question, nil if none does:
// calls.confirm always asks, and so do graphs for which no person answers.
func (a *App) beyond(c *run.Call) *run.Permission {
	tool := a.policy.policies.table.Load().special[c.Server][c.Tool]
	if tool.definition == "" || tool.policy == config.PolicyConfirm || !c.Sent || c.Unreviewed {
		return nil
	}
	return &run.Permission{Config: a.Config().RealFile(), Server: c.Server, Tool: c.Tool, Definition: tool.definition, Session: c.Session}
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

// allowSchema is the form of a question about a call.
func allowSchema(offered []string) json.RawMessage {
	var means []string
	for _, a := range allowances {
		if slices.Contains(offered, a.name) {
			means = append(means, a.name+": "+a.means)
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

// Allowances are for how long an answer can permit the calls that a question is about.
func (a Ask) Allowances() []string {
	var names []string
	for _, one := range allowances {
		if strings.Contains(string(a.Schema), strconv.Quote(one.name)) {
			names = append(names, one.name)
		}
	}
	return names
}

// AtClient returns the question as a client of MCP is asked it: only a person at the terminal,
// in the UI or with a link can permit calls for good.
func (a Ask) AtClient() Ask {
	if offered := a.Allowances(); a.Permits != "" && len(offered) > 0 {
		a.Schema = allowSchema(slices.DeleteFunc(offered, func(name string) bool { return name == run.AllowAlways }))
	}
	return a
}

var codeAskAPerson = diag.DefineFault("ask-a-person", diag.RefusesRequest, "only a person may do this", "`patchbay runs answer`")

// keepPermission keeps what the answer to a question permits beyond the run.
//
// Faults: ask-a-person, not-saved.
func (a *App) keepPermission(ctx context.Context, id string, question *run.Intent) *diag.Fault {
	var asked struct {
		Beyond *run.Permission `json:"beyond"`
	}
	var answer run.Answer
	if json.Unmarshal(question.Detail, &asked) != nil || asked.Beyond == nil || json.Unmarshal(question.Outcome, &answer) != nil {
		return nil
	}
	if answer.Allows() == run.AllowAlways && !actor(ctx).Operator {
		return diag.Faultf(codeAskAPerson, "only a person at the terminal, in the UI or with a link can permit the calls of a tool for good").
			At("/content/allow").WithHint(fmt.Sprintf("choose once, run or session; or a person types: patchbay runs answer %s accept allow=always", id))
	}
	return a.permitBeyond(*asked.Beyond, answer.Allows())
}

// permitBeyond keeps a permission for the time that a person has chosen.
func (a *App) permitBeyond(p run.Permission, allows string) *diag.Fault {
	switch {
	case allows == run.AllowAlways && p.Config != "":
		p.Session = ""
	case allows != run.AllowSession || p.Session == "":
		return nil
	}
	if err := a.policy.permissions.Add(p, time.Now()); err != nil {
		return diag.Faultf(graphfiles.CodeNotSaved, "the permission cannot be stored: %w", err)
	}
	return nil
}
