package app

import (
	"encoding/json"
	"testing"
)

// TestOperation calls the operation that docs/adding.md adds, by its declaration.
func TestOperation(t *testing.T) {
	pb := New(Options{})
	t.Cleanup(pb.Close)
	source := json.RawMessage(`{"name":"greet","nodes":[{"id":"entry","type":"entry","next":"exit"},{"id":"exit","type":"exit","result":1}]}`)
	for range 2 {
		if r, fault := pb.Run(t.Context(), RunInput{GraphInput: GraphInput{Graph: source}}); fault != nil || r.Failed() {
			t.Fatalf("%+v %v", r, fault)
		}
	}
	for graph, want := range map[string]string{"greet": `{"runs":{"succeeded":2}}`, "other": `{"runs":{}}`} {
		in := countRuns.NewInput()
		if err := json.Unmarshal([]byte(`{"graph":"`+graph+`"}`), in); err != nil {
			t.Fatal(err)
		}
		out, fault := countRuns.Call(t.Context(), pb, in)
		if got, err := json.Marshal(out); fault != nil || err != nil || string(got) != want {
			t.Errorf("%s: %s, %v, %v", graph, got, fault, err)
		}
	}
	if f := countRuns.Fields(); len(f) != 1 || f[0].Name != "graph" || f[0].Flag != "graph-name" || f[0].Meaning == "" {
		t.Errorf("fields: %+v", f)
	}
}
