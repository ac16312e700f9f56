//go:build unix

package expr

import (
	"encoding/json"
	"testing"

	"github.com/recolabs/gnata"
)

// Over the examples of docs/expressions.md, an evaluation allocates at most half as often as
// one by gnata, and one of a field never.
func TestAllocationsAgainstGnata(t *testing.T) {
	if raceEnabled {
		t.Skip("the race detector allocates")
	}
	value := decode(t, exampleContext)
	ordered, err := gnata.DecodeJSON([]byte(exampleContext))
	if err != nil {
		t.Fatal(err)
	}
	var plain map[string]any
	if err := json.Unmarshal([]byte(exampleContext), &plain); err != nil {
		t.Fatal(err)
	}
	ours, theirs := 0.0, 0.0
	for i, src := range examples {
		a, b, _ := exampleContenders(t, src, value, ordered, plain)
		n := testing.AllocsPerRun(20, a)
		if i == 0 && n > 0 {
			t.Errorf("%s: %v allocations", src, n)
		}
		ours += n
		theirs += testing.AllocsPerRun(20, b)
	}
	if ours > theirs/2 {
		t.Errorf("%v allocations, gnata makes %v", ours, theirs)
	}
}
