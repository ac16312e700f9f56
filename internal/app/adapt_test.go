package app_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/patchbay-mcp/patchbay/internal/app"
	"github.com/patchbay-mcp/patchbay/internal/discover"
	"github.com/patchbay-mcp/patchbay/internal/library"
	"github.com/patchbay-mcp/patchbay/internal/library/graphfiles"
	"github.com/patchbay-mcp/patchbay/internal/policy/access"
	"github.com/patchbay-mcp/patchbay/internal/request"
	"github.com/patchbay-mcp/patchbay/internal/servers/downstream"
	"github.com/patchbay-mcp/patchbay/internal/tests/searchdata"
	"github.com/patchbay-mcp/patchbay/internal/tests/testenv"
)

// reportBug calls tools of servers that only another project has.
const reportBug = `# reports a bug and tells the team
name: report_bug
description: Opens a ticket for a bug and tells the team in the chat
inputSchema: {type: object, properties: {heading: {type: string}, room: {type: string}, text: {type: string}}, required: [heading, room, text]}
outputSchema: {type: object, properties: {ticket: {type: integer}}}
nodes:
  - {id: entry, type: entry, next: ticket}
  - {id: ticket, type: mcp, server: forge, tool: open_issue, args: {owner: ada, repo: engine, title: {expr: $.entry.heading}}, next: tell} # first
  - {id: tell, type: mcp, server: chat, tool: post_message, args: {channel: {expr: $.entry.room}, text: {expr: $.entry.text}, urgent: true}, next: member}
  - {id: member, type: mcp, server: github, tool: get_user, args: {username: ada}, next: paint}
  - {id: paint, type: mcp, server: plotter, tool: draw_circle, args: {radius: 2}, next: exit}
  - {id: exit, type: exit, result: {expr: '{"ticket": $.ticket.number}'}}
`

// withForeign is a Patchbay over the servers of typed.txt with a saved graph of another project.
func withForeign(t *testing.T, name, text string) *app.App {
	t.Helper()
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, name+".yaml"), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	graphs, err := graphfiles.OpenGraphs(dir)
	if err != nil {
		t.Fatal(err)
	}
	offered := map[string][]mcp.Tool{}
	for _, tool := range searchdata.TypedTools(t, "../../testdata/search/typed.txt") {
		offered[tool.Server] = append(offered[tool.Server], mcp.Tool{Name: tool.Name, Description: tool.Description, InputSchema: tool.Input, OutputSchema: tool.Output})
	}
	pb := overWith(t, app.Options{Graphs: graphs}, offered)
	if err := pb.AwaitServers(t.Context(), func(downstream.Status) time.Duration { return testenv.Limit(time.Minute) }); err != nil {
		t.Fatal(err)
	}
	return pb
}

// Tools are replaced by such as do the same with these arguments, or not at all.
func TestToolsInPlaceOfOthers(t *testing.T) {
	var text strings.Builder
	text.WriteString("name: calls\ndescription: Calls tools\ninputSchema: {type: object}\noutputSchema: {}\nnodes:\n  - {id: entry, type: entry, next: n0}\n")
	calls := []struct{ tool, args, want string }{
		{"search_people", `{query: a}`, "github/search_users"},
		{"create_ticket", `{title: a, body: b}`, "github/create_issue"},
		{"send_email", `{to: [a@b.example], subject: s, body: b}`, "mail/send_mail"},
		{"read_mail", `{id: m1}`, "mail/get_message"},
		{"list_meetings", `{calendar: c}`, "calendar/list_events"},
		{"translate_text", `{text: a, target_language: de}`, "media/translate"},
		{"run_sql", `{sql: select 1}`, "database/run_query"},
		{"post_comment", `{issue: 4, text: t}`, "github/add_issue_comment"},
		{"lookup_customer", `{email: e}`, "crm/find_customer"},
		{"get_invoice", `{id: i1}`, "billing/get_invoice"},
		{"list_channels", `{}`, "slack/list_channels"},
		{"delete_repository", `{owner: a, repo: b}`, ""},
		{"charge_card", `{amount: 3, customer: c}`, ""},
		{"upload_file", `{path: a, content: b}`, ""},
		{"set_thermostat", `{degrees: 3}`, ""},
		{"ping", `{}`, ""},
	}
	var want, open []string
	for i, c := range calls {
		fmt.Fprintf(&text, "  - {id: n%d, type: mcp, server: other, tool: %s, args: %s, next: n%d}\n", i, c.tool, c.args, i+1)
		if c.want != "" {
			want = append(want, fmt.Sprintf("n%d: mcp:%s in place of other/%s", i, c.want, c.tool))
		} else {
			open = append(open, c.tool)
		}
	}
	fmt.Fprintf(&text, "  - {id: n%d, type: exit}\n", len(calls))
	r, fault := withForeign(t, "calls", text.String()).Edit(t.Context(), library.EditInput{Adapt: "graph:calls"})
	if fault != nil {
		t.Fatal(fault)
	}
	if d := cmp.Diff(want, r.Adapted); d != "" {
		t.Error(d)
	}
	var got []string
	for _, p := range r.Placeholders {
		if p.Argument == "tool" {
			_, tool, _ := strings.Cut(p.Meaning, "other/")
			got = append(got, strings.TrimSuffix(tool, ", which is not here"))
		}
	}
	if d := cmp.Diff(open, got); d != "" {
		t.Error(d)
	}
}

// A saved graph of another project is found by what it does and by what it takes and gives. A
// draft of it has the tools that are here, with their arguments, and names what is open.
func TestSavedGraphIsAdapted(t *testing.T) {
	pb := withForeign(t, "report_bug", reportBug)
	const id = "idiom:graph/report_bug"
	for name, in := range map[string]discover.SearchInput{
		"words": {Query: "how do I report a bug to the team"},
		"types": {Has: json.RawMessage(`{"heading": "", "room": "", "text": ""}`), Wants: json.RawMessage(`{"ticket": 7}`), TypeFilter: "idiom"},
	} {
		ids, r := found(t, pb, in)
		if len(ids) == 0 || ids[0] != id || !strings.Contains(r.Results[0].Hint, `edit_graph {"adapt": "idiom:graph/report_bug"}`) || len(r.Chains) > 0 {
			t.Errorf("by %s: %v, %+v", name, ids, r)
		}
	}
	if ids, _ := found(t, pb, discover.SearchInput{Wants: json.RawMessage(`{"ticket": 7}`)}); slices.Contains(ids, id) {
		t.Error("it is found as a node")
	}
	for _, name := range []string{id, "graph:report_bug"} {
		r, fault := pb.Edit(t.Context(), library.EditInput{Adapt: name})
		if fault != nil {
			t.Fatal(fault)
		}
		want := strings.NewReplacer(
			"server: forge, tool: open_issue", "server: github, tool: create_issue",
			"server: chat, tool: post_message, args: {channel: {expr: $.entry.room}, text: {expr: $.entry.text}, urgent: true}",
			"server: slack, tool: post_message, args: {channel_id: {expr: $.entry.room}, text: {expr: $.entry.text}}",
		).Replace(reportBug)
		if d := cmp.Diff(want, r.Graph); d != "" {
			t.Error(d)
		}
		if d := cmp.Diff([]string{"ticket: mcp:github/create_issue in place of forge/open_issue", "tell: mcp:slack/post_message in place of chat/post_message, without urgent"}, r.Adapted); d != "" {
			t.Error(d)
		}
		if len(r.Placeholders) != 1 || r.Placeholders[0].Node != "paint" || r.Placeholders[0].Argument != "tool" || !strings.Contains(r.Placeholders[0].Meaning, "plotter/draw_circle") {
			t.Errorf("open: %+v", r.Placeholders)
		}
		if r.Valid || r.Draft == "" || len(r.Errors) != 1 {
			t.Errorf("%+v", r)
		}
	}
}

// Who may not use a saved graph finds no idiom of it, and adapts none; tools that it may not use
// take no place.
func TestAdaptsWhatThePrincipalMayUse(t *testing.T) {
	pb := withForeign(t, "report_bug", reportBug)
	for _, allow := range [][]string{{"slack/*"}, {"slack/*", "graph:report_bug"}} {
		ctx := request.WithRights(t.Context(), &access.Rights{Scopes: []string{"read", "write"}, Allow: allow})
		r, fault := pb.Search(ctx, discover.SearchInput{Query: "report a bug to the team", TypeFilter: "idiom"})
		if fault != nil {
			t.Fatal(fault)
		}
		text, _ := json.Marshal(r)
		edited, fault := pb.Edit(ctx, library.EditInput{Adapt: "idiom:graph/report_bug"})
		if len(allow) == 1 {
			if strings.Contains(string(text), "report_bug") || fault == nil {
				t.Errorf("%s %+v", text, edited)
			}
			continue
		}
		if fault != nil || !strings.Contains(edited.Graph, "server: slack, tool: post_message") || strings.Contains(edited.Graph, "create_issue") {
			t.Errorf("%v %+v", fault, edited)
		}
	}
}

// Idioms and examples of nodes are adapted too; what has no graph is refused.
func TestIdiomIsAdapted(t *testing.T) {
	in := json.RawMessage(`{"type":"object","properties":{"file":{"type":"string"},"reason":{"type":"string","description":"why it goes"}},"required":["file","reason"]}`)
	pb := over(t, map[string][]mcp.Tool{"store": {{Name: "remove_file", Description: "Deletes a file", InputSchema: in}}})
	r, fault := pb.Edit(t.Context(), library.EditInput{Adapt: "idiom:ask-first"})
	if fault != nil {
		t.Fatal(fault)
	}
	if !r.Valid || r.Runnable == nil || !strings.Contains(r.Graph, `{id: delete, type: mcp, server: store, tool: remove_file, args: {file: {expr: $.entry.path}, reason: {$placeholder: why it goes}}, next: exit}`) {
		t.Errorf("%v %s", r.Errors, r.Graph)
	}
	if r, fault := pb.Edit(t.Context(), library.EditInput{Adapt: "transform"}); fault != nil || !r.Valid || len(r.Adapted)+len(r.Placeholders) > 0 {
		t.Errorf("an example of a node: %v %+v", fault, r)
	}
	for id, code := range map[string]string{"idiom:guide/limits": "bad-argument", "graph:no_such": "no-graphs-folder", "idiom:no_such": "unknown-node"} {
		if _, fault := pb.Edit(t.Context(), library.EditInput{Adapt: id}); fault == nil || fault.Code != code {
			t.Errorf("%s: %v", id, fault)
		}
	}
}
