package engine_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/patchbay-mcp/patchbay/engine"
)

func TestFlowAndPictures(t *testing.T) {
	plan := compile(t, loopGraph, engine.Env{})
	if diff := cmp.Diff("entry -> add{…} -> more?\nmore [0] -> add\nmore [default] -> exit", plan.Flow()); diff != "" {
		t.Errorf("flow (-want +got):\n%s", diff)
	}
	const mermaid = `flowchart TD
  n0(["entry"])
  n1["add"]
  n2{"more"}
  n3(["exit"])
  n0 --> n1
  n1 --> n2
  n2 -->|0| n1
  n2 -->|default| n3
`
	if diff := cmp.Diff(mermaid, plan.Mermaid()); diff != "" {
		t.Errorf("mermaid (-want +got):\n%s", diff)
	}
	const dot = `digraph "" {
  node [shape=box];
  n0 [label="entry", shape=oval];
  n1 [label="add{…}"];
  n2 [label="more?", shape=diamond];
  n3 [label="exit", shape=oval];
  n0 -> n1;
  n1 -> n2;
  n2 -> n1 [label="0"];
  n2 -> n3 [label="default"];
}
`
	if diff := cmp.Diff(dot, plan.Dot()); diff != "" {
		t.Errorf("dot (-want +got):\n%s", diff)
	}
}
