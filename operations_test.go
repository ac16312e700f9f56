package patchbay_test

import (
	"context"
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/patchbay-mcp/patchbay"
	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/internal/app"
)

// Every operation is a method of the library's App under the name of the method that
// does it, with the same input, which may be left out if it is empty, and the same
// result.
func TestEveryOperationIsAMethodOfTheLibrary(t *testing.T) {
	library := reflect.TypeFor[*patchbay.App]()
	for _, o := range app.Operations() {
		name := methodOf(o)
		if name == "" {
			t.Errorf("no method of internal/app takes %s and returns %s", o.Input(), o.Result())
			continue
		}
		want := signature([]reflect.Type{o.Input()}, o.Result(), reflect.TypeFor[error]())
		m, ok := library.MethodByName(name)
		if !ok {
			t.Errorf("the library has no method %s: write func (a *App) %s%s in operations.go, with an alias of each type", name, name, want)
			continue
		}
		inputs, results := slices.Collect(m.Type.Ins())[2:], slices.Collect(m.Type.Outs())
		if len(inputs) == 0 && o.Input().NumField() == 0 {
			inputs = []reflect.Type{o.Input()}
		}
		if len(results) != 2 || results[0].Kind() != reflect.Pointer || m.Type.In(1) != reflect.TypeFor[context.Context]() {
			t.Errorf("the library's %s is %s, want %s", name, m.Type, want)
		} else if got := signature(inputs, results[0].Elem(), results[1]); got != want {
			t.Errorf("the library's %s takes and returns %s, want %s", name, got, want)
		}
	}
}

// methodOf returns the name of the method of the application that does an operation:
// the one with its input and result; "" if there is none.
func methodOf(o app.Operation) string {
	methods := reflect.TypeFor[*app.App]()
	does := reflect.FuncOf(
		[]reflect.Type{methods, reflect.TypeFor[context.Context](), o.Input()},
		[]reflect.Type{reflect.PointerTo(o.Result()), reflect.TypeFor[*diag.Fault]()}, false)
	for m := range methods.Methods() {
		if m.Type == does {
			return m.Name
		}
	}
	return ""
}

func signature(inputs []reflect.Type, result, failure reflect.Type) string {
	return fmt.Sprintf("(context.Context, %s) (*%s, %s)", strings.Trim(fmt.Sprint(inputs), "[]"), result, failure)
}

func TestLibraryTestsAndDeletesItsRuns(t *testing.T) {
	lib, err := patchbay.Open(t.Context(), patchbay.Options{Sources: map[string]*mcp.Server{"numbers": numbers()}})
	if err != nil {
		t.Fatal(err)
	}
	defer lib.Close()
	graph := patchbay.FromText("twice", doubling, "")
	drawn, err := lib.Export(t.Context(), patchbay.ExportInput{GraphInput: graph})
	if err != nil || drawn.Format != "mermaid" || !strings.Contains(drawn.Picture, "flowchart") {
		t.Errorf("the picture is %+v, %v", drawn, err)
	}
	if _, err := lib.Export(t.Context(), patchbay.ExportInput{GraphInput: graph, Format: "svg"}); err == nil {
		t.Error("an unknown format is accepted")
	}
	r, err := lib.Run(t.Context(), patchbay.RunInput{GraphInput: graph, Arguments: json.RawMessage(`{"n":1}`)})
	if err != nil {
		t.Fatal(err)
	}
	if again, err := lib.ReplayRun(t.Context(), patchbay.ReplayRunInput{RunID: r.RunID}); err != nil || !again.Same {
		t.Errorf("the replay is %+v, %v", again, err)
	}
	if saved, err := lib.SaveTest(t.Context(), patchbay.SaveTestInput{RunID: r.RunID}); err != nil || !strings.Contains(saved.Test, "path: [entry#0, get#0, exit#0]") {
		t.Errorf("the test is %+v, %v", saved, err)
	}
	if deleted, err := lib.PruneRuns(t.Context(), patchbay.PruneInput{}); err != nil || deleted.Deleted != 1 {
		t.Errorf("deleted: %+v, %v", deleted, err)
	}
}
