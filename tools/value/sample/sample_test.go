package sample_test

import (
	"testing"

	"github.com/patchbay-mcp/patchbay"
	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/tools/value/sample"
)

// Each task has a graph that runs in a world of any size, and a function. The same world
// has the same result.
func TestTasks(t *testing.T) {
	tasks, err := sample.Tasks()
	if err != nil {
		t.Fatal(err)
	}
	for _, task := range tasks {
		for _, n := range []int{1, 60} {
			var first string
			for _, graph := range []string{task.Graph, task.Graph, task.Code} {
				w := sample.New(n)
				app, err := patchbay.Open(t.Context(), patchbay.Options{Sources: w.Servers()})
				if err != nil {
					t.Fatal(err)
				}
				r, err := app.Run(t.Context(), patchbay.RunInput{GraphInput: patchbay.FromText(task.Name, graph, ""), Arguments: task.Input(n)})
				app.Close()
				if err != nil {
					t.Fatal(err)
				}
				if r.Status != "succeeded" || len(w.Calls()) == 0 {
					t.Errorf("%s of %d: %s %v\n%s", task.Name, n, r.Status, r.Error, diag.Format(task.Name, graph, r.Diagnostics))
				}
				if first != "" && string(r.Result) != first {
					t.Errorf("%s of %d: %s, then %s", task.Name, n, first, r.Result)
				}
				first = string(r.Result)
			}
		}
	}
}
