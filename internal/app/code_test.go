package app_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/patchbay-mcp/patchbay/internal/author"
	"github.com/patchbay-mcp/patchbay/internal/execution"
	"github.com/patchbay-mcp/patchbay/internal/library"
	"github.com/patchbay-mcp/patchbay/internal/plans"
)

// The operations take a function where they take a graph, and a diagnostic names its lines.
func TestFunctionsAreGraphs(t *testing.T) {
	pb := product(t)
	text := func(body string) plans.GraphInput {
		b, err := json.Marshal("/*\ninputSchema: {type: object, properties: {n: {type: number}}, required: [n]}\n*/\nexport default async function twice(input) {\n" + body + "\n}")
		if err != nil {
			t.Fatal(err)
		}
		return plans.GraphInput{Graph: b}
	}
	checked, fault := pb.Validate(t.Context(), author.ValidateInput{GraphInput: text("  const i = await tools.github.get_issue({ owner: \"o\", repo: 5, issue_number: input.n });\n  return i.title;")})
	if fault != nil {
		t.Fatal(fault)
	}
	if checked.Valid || len(checked.Errors) != 1 || !strings.Contains(checked.Rendered, "graph:5:13: error:") || !strings.Contains(checked.Rendered, "await tools.github") {
		t.Errorf("a wrong argument is not shown where the call is:\n%s", checked.Rendered)
	}
	ran, fault := pb.Run(t.Context(), execution.RunInput{GraphInput: text("  if (input.n > 5) throw new Error(`too large: ${input.n}`);\n  return { twice: input.n * 2 };"), Arguments: json.RawMessage(`{"n":2}`)})
	if fault != nil || string(ran.Result) != `{"twice":4}` {
		t.Errorf("got %v %+v", fault, ran)
	}
}

// A function whose loop makes several calls is one tool: the graph that the loop calls is neither
// published nor found.
func TestPartsOfFunctionsAreNotPublished(t *testing.T) {
	pb := saving(t)
	code, err := json.Marshal(`/*
name: each
description: Adds one to each number
inputSchema: {type: object, properties: {xs: {type: array, items: {type: number}}}, required: [xs]}
outputSchema: {type: object}
*/
export default async function each(input) {
  return { all: await Promise.all(input.xs.map(async x => { await sleep(1); await sleep(2); return x + 1; })) };
}`)
	if err != nil {
		t.Fatal(err)
	}
	if r := saved(t, pb, library.SaveInput{GraphInput: plans.GraphInput{Graph: code}}); len(r.Tools) > 0 || strings.Contains(r.HowToCall, "each_1") {
		t.Errorf("the reply offers a part of the function: %v %s", r.Tools, r.HowToCall)
	}
	g, fault := pb.Saved.Get("each")
	if fault != nil || len(g.ToolNames()) != 2 {
		t.Fatalf("the loop has no graph of its own: %v, %v", g, fault)
	}
	text, err := json.Marshal(g.Src)
	if err != nil {
		t.Fatal(err)
	}
	ran, fault := pb.Run(t.Context(), execution.RunInput{GraphInput: plans.GraphInput{Graph: text}, Arguments: json.RawMessage(`{"xs":[1]}`)})
	if fault != nil || string(ran.Result) != `{"all":[2]}` {
		t.Errorf("the text of the graph runs only where a tool is named: %v %+v", fault, ran)
	}
	if list := pb.GraphTools.List(); len(list) != 1 || list[0].Name != "each" {
		t.Errorf("published: %+v", list)
	}
	if pb.Catalog().Snapshot().Spec("graph:each") == nil || pb.Catalog().Snapshot().Spec("graph:each_1") != nil {
		t.Error("the catalog has a part of the function, or lacks the function")
	}
}
