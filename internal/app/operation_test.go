package app

import (
	"encoding/json"
	"reflect"
	"testing"

	"github.com/patchbay-mcp/patchbay/internal/execution"
	"github.com/patchbay-mcp/patchbay/internal/plans"
)

// TestOperation calls the operation that docs/adding.md adds, by its declaration.
func TestOperation(t *testing.T) {
	pb := New(Options{})
	t.Cleanup(pb.Close)
	source := json.RawMessage(`{"name":"greet","nodes":[{"id":"entry","type":"entry","next":"exit"},{"id":"exit","type":"exit","result":1}]}`)
	for range 2 {
		if r, fault := pb.Run(t.Context(), execution.RunInput{GraphInput: plans.GraphInput{Graph: source}}); fault != nil || r.Failed() {
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

// A list that a result always has is [] where nothing is in it, never null.
func TestListsOfResultsAreNeverNull(t *testing.T) {
	lists := 0
	for _, o := range Operations() {
		out := reflect.New(o.Result())
		fillLists(out.Elem())
		b, err := json.Marshal(out.Interface())
		var members map[string]json.RawMessage
		if err != nil || json.Unmarshal(b, &members) != nil {
			t.Fatalf("%s: %s, %v", o.Result(), b, err)
		}
		for f := range o.Result().Fields() {
			if got, there := members[f.Tag.Get("json")]; there && f.Type.Kind() == reflect.Slice && f.Type != reflect.TypeFor[json.RawMessage]() {
				lists++
				if string(got) != "[]" {
					t.Errorf("%s of %s is %s", f.Name, o.Result(), got)
				}
			}
		}
	}
	if lists < 10 {
		t.Errorf("only %d lists were looked at", lists)
	}
}
