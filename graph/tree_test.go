package graph

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

const treeSource = `version: "1.0"
executionLimits: {maxNodeExecutions: 5}
tools:
  - name: a
    title: A
    inputSchema: {type: object}
    nodes:
      - {id: entry, type: entry, next: choose}
      - id: choose
        type: switch
        conditions:
          - {rule: {"==": [{var: $.entry.n}, 1]}, next: fork}
          - {rule: true, target: exit}
          - text
        next: [exit]
      - {id: fork, type: parallel, branches: [one, two, 3], join: exit, onError: exit}
      - {id: one, type: mcp, args: {x: {expr: $.entry.n}, y: $.entry.m, z: entry.n}, next: exit}
      - exit
  - {name: b, nodes: {exit: {type: exit}}}
`

func TestTree(t *testing.T) {
	d := parse(t, treeSource)
	tree := d.Tree()
	if tree != d.Tree() || &tree.Tools[0].Nodes[0] != &d.Tools()[0].Nodes[0] {
		t.Error("the document is read twice")
	}
	if tree.Version.Text() != "1.0" || tree.ExecutionLimits.Path() != "/executionLimits" || tree.MCPServers.Exists() || d.Tree().Bare() {
		t.Errorf("the head is %+v", tree)
	}
	a, b := tree.Tools[0], tree.Tools[1]
	if a.Name.Text() != "a" || a.Title.Text() != "A" || a.InputSchema.Path() != "/tools/0/inputSchema" || a.Description.Exists() {
		t.Errorf("the first tool is %+v", a)
	}
	if !b.NodeList.Is(Object) || b.Nodes != nil {
		t.Errorf("nodes that are not a list are read as %v", b.Nodes)
	}
	var got []string
	for _, n := range a.Nodes {
		line := []string{n.ID.Text(), n.Type.Text()}
		for e := range n.Edges() {
			line = append(line, fmt.Sprintf("[%s]%s", e.Label, e.Target.Text()))
		}
		for _, c := range n.Conditions {
			line = append(line, fmt.Sprintf("(%s %v)", c.Next.Path(), c.Older))
		}
		for _, x := range n.Reads() {
			line = append(line, x.Path())
		}
		got = append(got, strings.Join(line, " "))
	}
	const at = "/tools/0/nodes"
	want := []string{
		"entry entry []choose",
		"choose switch []exit [0]fork [1]exit (" + at + "/1/conditions/0/next false) (" + at + "/1/conditions/1/target true) ( false) " + at + "/1/conditions/0/rule/==/0/var",
		"fork parallel [onError]exit [join]exit [branches/0]one [branches/1]two",
		"one mcp []exit " + at + "/3/args/x/expr " + at + "/3/args/y",
		" ",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if next := a.Nodes[1].Next; !next.Is(Array) {
		t.Errorf("next of the switch is %s", next.Kind())
	}
}

func TestBareTree(t *testing.T) {
	for src, bare := range map[string]bool{
		"nodes: []\n": true, "name: x\nnodes:\n": true, "nodes: []\ntools: []\n": false, "tools: [{nodes: []}]\n": false, "[]": false, "steps: []\n": false,
	} {
		d, _ := Parse("x", src)
		if d.Tree().Bare() != bare || bare && d.Tools()[0].Value != d.Root {
			t.Errorf("%q is bare: %v", strings.TrimSpace(src), d.Tree().Bare())
		}
	}
}
