package engine_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/engine"
	"github.com/patchbay-mcp/patchbay/graph"
)

// firstRelease is a document as mcpGraph's first releases had it: one list of nodes for
// all tools.
const firstRelease = `version: "1.0"
server: {name: sums, version: 1.0.0, description: Sums}
tools:
  - name: twice
    description: Doubles a number
    inputSchema: {type: object, properties: {n: {type: number}}, required: [n]}
    outputSchema: {type: object, properties: {n: {type: number}}}
%TWICE%  - name: thrice
    description: Triples a number
    inputSchema: {type: object, properties: {n: {type: number}}, required: [n]}
    outputSchema: {type: object, properties: {n: {type: number}}}
%THRICE%nodes:
  # doubles
  - {id: in_2, type: entry, tool: twice, next: double}
  - id: double
    type: transform
    transform:
      expr: |
        {"n": $.input.n * 2}

    next: out_2
  - {id: out_2, type: exit, tool: twice}
  # triples
  - {id: in_3, type: entry, tool: thrice, next: triple}
  - {id: triple, type: transform, transform: {expr: '{"n": $.in_3.n * 3}'}, next: out_3}
  - {id: out_3, type: exit, tool: thrice}
`

// TestFirstReleaseDocuments: the fixes of a document of mcpGraph's first releases make
// a valid one that runs, with the tools' ends named in either of its ways, as YAML and
// as JSON.
func TestFirstReleaseDocuments(t *testing.T) {
	ends := strings.NewReplacer("%TWICE%", "    entryNode: in_2\n    exitNode: out_2\n", "%THRICE%", "    entryNode: in_3\n    exitNode: out_3\n", ", tool: twice", "", ", tool: thrice", "")
	byTool := strings.NewReplacer("%TWICE%", "", "%THRICE%", "").Replace(firstRelease)
	doc, _ := graph.Parse("first.yaml", byTool)
	asJSON, err := json.Marshal(json.RawMessage(doc.Root.JSON()))
	if err != nil {
		t.Fatal(err)
	}
	for name, src := range map[string]string{"entryNode": ends.Replace(firstRelease), "tool": byTool, "JSON": string(asJSON)} {
		fixed := src
		for range 10 {
			doc, l := graph.Parse("first", fixed)
			_, more := engine.CompileAll(doc, engine.Env{})
			after, applied := diag.Apply(fixed, append(l, more...).Sort())
			if applied == 0 {
				break
			}
			fixed = after
		}
		doc, l := graph.Parse("first", fixed)
		plans, more := engine.CompileAll(doc, engine.Env{})
		if len(plans) != 2 || plans[0] == nil || plans[1] == nil {
			t.Errorf("%s: not valid:\n%s\n%s", name, fixed, diag.Format("first", fixed, append(l, more...)))
			continue
		}
		for i, want := range []string{`{"n":14}`, `{"n":21}`} {
			if got := runPlan(t, plans[i], nil, `{"n":7}`); got != want {
				t.Errorf("%s: %s gives %s, want %s", name, plans[i].Name, got, want)
			}
		}
		if name != "JSON" && (strings.Count(fixed, "# doubles") != 1 || strings.Count(fixed, "# triples") != 1) {
			t.Errorf("%s: a comment is lost:\n%s", name, fixed)
		}
	}
}

// TestSharedNodesOfManyTools: tools that share more nodes than a graph may have cannot
// be converted, and finding that out takes no longer than reading them.
func TestSharedNodesOfManyTools(t *testing.T) {
	var b strings.Builder
	b.WriteString(`{"tools":[`)
	for range 200 {
		b.WriteString(`{"name":"a","entryNode":"n0"},`)
	}
	b.WriteString(`{"name":"b"}],"nodes":[`)
	for range 200 {
		b.WriteString(`{"id":"n0","type":"entry","next":"n0"},`)
	}
	b.WriteString(`{"id":"n0","type":"exit"}]}`)
	doc, _ := graph.Parse("many.json", b.String())
	if _, l := engine.CompileAll(doc, engine.Env{}); !l.HasErrors() {
		t.Error("no error")
	}
	many := strings.Repeat(`{"name":"a","entryNode":"n0"},`, 10_001)
	doc, _ = graph.Parse("more.json", `{"tools":[`+strings.TrimSuffix(many, ",")+`],"nodes":[{"id":"n0","type":"entry","next":"n0"}]}`)
	_, l := engine.CompileAll(doc, engine.Env{})
	found := false
	for _, d := range l {
		found = found || d.Code == "nodes-beside-tools" && len(d.Fixes) == 0
	}
	if !found {
		t.Errorf("no nodes-beside-tools without a fix in %v", codesOf(l)[:min(5, len(l))])
	}
}
