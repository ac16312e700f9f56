package app_test

import (
	"fmt"
	"testing"

	"github.com/patchbay-mcp/patchbay/internal/app"
	"github.com/patchbay-mcp/patchbay/internal/library"
	"github.com/patchbay-mcp/patchbay/internal/library/graphfiles"
)

// The list of saved graphs reads each a fixed number of times, however many there
// are.
func TestGraphsAreListedInLinearTime(t *testing.T) {
	work := func(n int) float64 {
		graphs, err := graphfiles.OpenGraphs(t.TempDir())
		if err != nil {
			t.Fatal(err)
		}
		all := n
		pb := app.New(app.Options{Graphs: graphs, ExposeMax: &all})
		for i := range n {
			text := fmt.Sprintf("name: g%02d\ndescription: Does nothing\ninputSchema: {type: object}\noutputSchema: {type: object}\nnodes: [{id: entry, type: entry, next: exit}, {id: exit, type: exit}]\n", i)
			if _, fault := graphs.Save(fmt.Sprintf("g%02d", i), text, graphfiles.SaveOptions{}); fault != nil {
				t.Fatal(fault)
			}
		}
		return testing.AllocsPerRun(3, func() {
			r, fault := pb.Graphs(t.Context(), library.GraphsInput{})
			if fault != nil || len(r.Graphs) != n || !r.Graphs[n-1].Exposed {
				t.Fatalf("%v %+v", fault, r)
			}
		})
	}
	if few, many := work(4), work(24); many > 12*few {
		t.Errorf("24 graphs take %.0f allocations and 4 take %.0f, more than twelve times as many", many, few)
	}
}
