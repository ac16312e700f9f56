package app_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/patchbay-mcp/patchbay/catalog"
	"github.com/patchbay-mcp/patchbay/graph/edit"
	"github.com/patchbay-mcp/patchbay/internal/app"
	"github.com/patchbay-mcp/patchbay/internal/author"
	"github.com/patchbay-mcp/patchbay/internal/discover"
	"github.com/patchbay-mcp/patchbay/internal/execution"
	"github.com/patchbay-mcp/patchbay/internal/library"
	"github.com/patchbay-mcp/patchbay/internal/packs"
	"github.com/patchbay-mcp/patchbay/internal/plans"
)

func withPack(t *testing.T) *app.App {
	t.Helper()
	pack, found, err := packs.LoadPack("../../examples/packs/automation")
	if err != nil || packs.HasErrors(found) {
		t.Fatal(err, found)
	}
	cat := catalog.New()
	cat.Replace("pack:"+pack.Name, pack.Specs)
	return app.New(app.Options{Catalog: cat})
}

const foreign = `nodes:
  - {id: start, type: TRIGGER_NODE, subtype: MANUAL, next: a}
  - {id: a, type: ACTION_NODE, subtype: SET_FIELDS, parameters: {assign: {paid: true}}, next: call}
  - id: call
    type: ACTION_NODE
    subtype: HTTP_REQUEST
    parameters: {method: GET, url: https://rates.example/latest}
    next: {main: code, error: b}
  - {id: b, type: ACTION_NODE, subtype: SET_FIELDS, parameters: {assign: {failed: true}}}
  - {id: code, type: ACTION_NODE, subtype: RUN_CODE, parameters: {language: python, code: 'return []'}}
`

func TestPackNodesAreCheckedAgainstTheirSpecs(t *testing.T) {
	pb := withPack(t)
	tests := []struct {
		name, old, new string
		want           []string
	}{
		{"as it is", "", "", nil},
		{"unknown subtype", "subtype: HTTP_REQUEST", "subtype: HTTP_REQEST", []string{`ACTION_NODE has no subtype "HTTP_REQEST"`}},
		{"missing parameter", "url: https://rates.example/latest", "body: x", []string{`ACTION_NODE:HTTP_REQUEST needs the parameter "url"`}},
		{"misspelt parameter", "url: https", "urll: https", []string{`ACTION_NODE:HTTP_REQUEST has no parameter "urll"`}},
		{"value outside the enum", "method: GET", "method: FETCH", []string{`parameter "method" of ACTION_NODE:HTTP_REQUEST is "FETCH", expected one of "GET", "POST", "PUT", "PATCH", "DELETE"`}},
		{"wrong type", "assign: {paid: true}", "assign: 5", []string{`parameter "assign" of ACTION_NODE:SET_FIELDS is a number, expected object`}},
		{"pattern", "url: https://", "url: ftp://", []string{`parameter "url" of ACTION_NODE:HTTP_REQUEST does not match ^https?://`}},
		{"unknown port", "main: code", "mian: code", []string{`ACTION_NODE:HTTP_REQUEST has no output port "mian"`}},
		{"too many connections", "parameters: {assign: {failed: true}}}", "parameters: {assign: {failed: true}}, next: call}", []string{`2 connections lead to the input port "main" of "call", which takes 1`}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			r, fault := pb.Validate(t.Context(), author.ValidateInput{GraphInput: plans.FromText("g", strings.Replace(foreign, tt.old, tt.new, 1), "")})
			if fault != nil {
				t.Fatal(fault)
			}
			var got []string
			for _, d := range r.Errors {
				got = append(got, d.Message)
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("errors (-want +got):\n%s", diff)
			}
		})
	}
}

func TestPackNodesDoNotRun(t *testing.T) {
	pb := withPack(t)
	r, fault := pb.Run(t.Context(), execution.RunInput{GraphInput: plans.FromText("g", foreign, "")})
	if fault != nil || r.Status != "rejected" || r.Error == nil || r.Error.Code != "not-runnable" {
		t.Fatalf("got %+v, %v", r, fault)
	}
	if !slices.Contains(r.Error.Suggestions, "transform") {
		t.Errorf("the nearest nodes that run: %v", r.Error.Suggestions)
	}

	// Whoever only checks or edits the graph is told the same.
	checked, fault := pb.Validate(t.Context(), author.ValidateInput{GraphInput: plans.FromText("g", foreign, "")})
	if fault != nil || !checked.Valid || checked.Runnable == nil || *checked.Runnable || checked.Why.Code != r.Error.Code || checked.Why.Message != r.Error.Message {
		t.Errorf("validate: %+v, %v", checked, fault)
	}
	edited, fault := pb.Edit(t.Context(), library.EditInput{GraphInput: plans.FromText("g", foreign, ""), Ops: []edit.Op{{Op: "set", Path: "/description", Value: json.RawMessage(`"edited"`)}}})
	if fault != nil || !edited.Valid || edited.Runnable == nil || *edited.Runnable || edited.Why.Code != r.Error.Code || edited.Why.Message != r.Error.Message {
		t.Errorf("edit: %+v, %v", edited, fault)
	}
}

// TestPackTypesNarrowSearches uses each type of the pack as a filter, and reads
// the knowledge of what it leaves.
func TestPackTypesNarrowSearches(t *testing.T) {
	pb := withPack(t)
	for _, name := range []string{"ACTION_NODE", "TRIGGER_NODE", "AI_AGENT_NODE", "FLOW_NODE", "TOOL_NODE", "MEMORY_NODE", "HUMAN_LOOP_NODE", "EXTERNAL_ACTION_NODE"} {
		names, fault := pb.Types(t.Context(), discover.TypesInput{TypeFilter: name})
		if fault != nil || len(names.Types) != 1 || len(names.Types[name]) == 0 {
			t.Errorf("%s: types %+v, %v", name, names, fault)
			continue
		}
		subtype := names.Types[name][0]
		ids, r := found(t, pb, discover.SearchInput{Query: strings.ReplaceAll(subtype, "_", " "), TypeFilter: name})
		if !slices.Contains(ids, name+":"+subtype) {
			t.Errorf("%s: a search for %s finds %v", name, subtype, ids)
		}
		for _, h := range r.Results {
			if h.NodeType != name || h.Runnable == nil || *h.Runnable {
				t.Errorf("%s: found %+v", name, h)
			}
		}
		d, fault := pb.Details(t.Context(), discover.DetailsInput{Nodes: []plans.NodeRef{{NodeType: name, Subtype: subtype}}})
		if fault != nil {
			t.Fatal(fault)
		}
		if n := d.Nodes[0]; n.Error != "" || len(n.Parameters) == 0 || len(n.InputPorts)+len(n.OutputPorts) == 0 || len(n.Examples) == 0 || n.Runnable == nil || *n.Runnable {
			t.Errorf("details of %s:%s: %+v", name, subtype, n)
		}
	}
	if _, r := found(t, pb, discover.SearchInput{Query: "send an email", RunnableOnly: true}); slices.ContainsFunc(r.Results, func(h discover.SearchHit) bool { return h.Runnable != nil }) {
		t.Error("runnable_only shows what cannot be run")
	}
}

// What every pack has something of is found first among the nodes that run.
func TestBuiltInKindsAreFoundAmongPacks(t *testing.T) {
	pb := withPack(t)
	for text, want := range map[string]string{"process data": "transform", "HTTP request": "ACTION_NODE:HTTP_REQUEST http"} {
		if ids, _ := found(t, pb, discover.SearchInput{Query: text}); len(ids) == 0 || !slices.Contains(strings.Fields(want), ids[0]) {
			t.Errorf("%q: found %v, want %s first", text, ids, want)
		}
	}
}
