package app_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/patchbay-mcp/patchbay/graph"
	"github.com/patchbay-mcp/patchbay/internal/app"
	"github.com/patchbay-mcp/patchbay/internal/discover"
	"github.com/patchbay-mcp/patchbay/internal/library"
	"github.com/patchbay-mcp/patchbay/internal/library/graphfiles"
	"github.com/patchbay-mcp/patchbay/internal/plans"
)

// chain is a graph that calls tools one after another; the last has an error handler.
const chain = `name: NAME
description: calls tools
inputSchema: {type: object}
outputSchema: {type: object}
nodes:
  - {id: entry, type: entry, next: get}
  - {id: get, type: mcp, server: github, tool: get_issue, args: {owner: a, repo: b, issue_number: 1}, next: then}
  - {id: then, type: NEXT, next: exit}
  - {id: failed, type: transform, transform: {expr: '1'}, next: exit}
  - {id: exit, type: exit}
`

// The details of a node name what follows it in saved graphs, most often first, and in the
// examples of the catalog; what is not in the catalog is not named.
func TestFollowedBy(t *testing.T) {
	graphs, err := graphfiles.OpenGraphs(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	pb := overWith(t, app.Options{Graphs: graphs}, offered)
	follow := func(id string) []string { return details(t, pb, discover.DetailsInput{}, id).Nodes[0].FollowedBy }
	const issue = "mcp:github/get_issue"
	if got := follow(issue); got != nil {
		t.Errorf("without a graph, %s is followed by %q", issue, got)
	}
	save := func(name, next string) {
		t.Helper()
		text := replaced(chain, "NAME", name, "NEXT", next)
		if r, fault := pb.Save(t.Context(), library.SaveInput{GraphInput: plans.FromText(name, text, "")}); fault != nil || r.Status != "saved" {
			t.Fatalf("%s: %v, %+v", name, fault, r)
		}
	}
	const mail = `mcp, server: mail, tool: send_email, args: {to: [a], subject: b, body: c}, onError: failed`
	save("one", `wait, ms: 1`)
	save("two", mail)
	save("three", mail)
	if got, want := follow(issue), []string{"mcp:mail/send_email", "wait"}; !slices.Equal(got, want) {
		t.Errorf("%s is followed by %q, want %q", issue, got, want)
	}
	if got := follow("mcp:mail/send_email"); got != nil {
		t.Errorf("what follows a failure or ends the run is named: %q", got)
	}
	if got := follow("entry"); len(got) == 0 || len(got) > 3 || got[0] != issue {
		t.Errorf("entry is followed by %q, want %s first and at most three", got, issue)
	}
	for _, name := range []string{"two", "three"} {
		if _, fault := pb.Delete(t.Context(), library.DeleteInput{Name: name}); fault != nil {
			t.Fatal(fault)
		}
	}
	if got, want := follow(issue), []string{"wait"}; !slices.Equal(got, want) {
		t.Errorf("after deletion, %s is followed by %q, want %q", issue, got, want)
	}
	if got := follow("switch"); !slices.Contains(got, "transform") {
		t.Errorf("in the examples, a switch is followed by %q", got)
	}
	if full := details(t, pb, discover.DetailsInput{Detail: discover.Full}, issue).Nodes[0].FollowedBy; !slices.Equal(full, []string{"wait"}) {
		t.Errorf("the full details have %q", full)
	}
	pb.Catalog().Replace("built-in", nil)
	if got := follow(issue); got != nil {
		t.Errorf("a node that is not in the catalog is named: %q", got)
	}
}

// The operator's documents count as saved graphs do.
func TestFollowedByInDocuments(t *testing.T) {
	doc, found := graph.Parse("document", replaced(chain, "NAME", "one", "NEXT", "wait, ms: 1"))
	if found.HasErrors() {
		t.Fatal(found)
	}
	pb := overWith(t, app.Options{Documents: []*graph.Document{doc}}, offered)
	if got := details(t, pb, discover.DetailsInput{}, "mcp:github/get_issue").Nodes[0].FollowedBy; !slices.Equal(got, []string{"wait"}) {
		t.Errorf("it is followed by %q", got)
	}
}

func replaced(text string, pairs ...string) string {
	return strings.NewReplacer(pairs...).Replace(text)
}
