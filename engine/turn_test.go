package engine_test

import (
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/patchbay-mcp/patchbay/engine"
	"github.com/patchbay-mcp/patchbay/graph"
	"github.com/patchbay-mcp/patchbay/internal/sys/admission"
)

// TestACheckLetsOthersHaveItsTurn: a check that takes longer than a slice does not keep
// the turn while others wait for it.
func TestACheckLetsOthersHaveItsTurn(t *testing.T) {
	var b strings.Builder
	b.WriteString("nodes:\n  - {id: entry, type: entry, next: n0}\n")
	for i := range 5000 {
		fmt.Fprintf(&b, "  - {id: n%d, type: transform, transform: {expr: '$.entry.a + %d'}, next: n%d}\n", i, i, i+1)
	}
	b.WriteString("  - {id: n5000, type: exit}\n")
	doc, found := graph.Parse("g.yaml", b.String())
	if found.HasErrors() {
		t.Fatal(found)
	}
	synctest.Test(t, func(t *testing.T) {
		q := admission.New(admission.Options{Turns: 1, Strict: true})
		check := &admission.Work{Context: t.Context(), Turn: q.Turn("a", 1)}
		if err := check.Turn.Enter(t.Context()); err != nil {
			t.Fatal(err)
		}
		time.Sleep(admission.Slice)
		served := false
		go func() {
			turn := q.Turn("b", 2)
			if err := turn.Enter(t.Context()); err != nil {
				t.Error(err)
			}
			served = true
			turn.End()
		}()
		synctest.Wait()
		_, _, err := engine.CompileContext(check, doc, "", engine.Env{})
		if err != nil || !served {
			t.Errorf("error %v; the other had a turn: %v", err, served)
		}
		check.Turn.End()
	})
}
