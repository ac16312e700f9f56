package engine_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/jsonata"
)

// mutate changes an expression without regard to types: a piece for another, an
// operator or a function for another, an argument gone.
func (p *planter) mutate() string {
	all := p.pieces(func(_ *sketchNode, e *ex) bool { return len(e.parts) > 0 })
	e := all[p.IntN(len(all))]
	was := e.String()
	switch p.IntN(6) {
	case 0: // a piece from elsewhere
		instead(e, all[p.IntN(len(all))].String())
	case 1:
		value := []*typ{aString, anInt, aNumber, aBoolean, foreachItems(aString), foreachItems(anInt)}[p.IntN(6)]
		instead(e, (&builder{r: p.Rand}).literal(value).String())
	case 2: // something that the graph's nodes give
		d := &drawer{builder: &builder{r: p.Rand}, s: p.s}
		for _, n := range p.s.nodes {
			if n.kind == "entry" {
				d.sources = append(d.sources, d.out("entry", p.s.input, false))
			} else {
				d.see(n, false)
			}
		}
		rds := d.readings()
		instead(e, d.read(rds[p.IntN(len(rds))]).String())
	case 3:
		if c := p.one(callRole, nil); c != nil {
			e, was = c, c.String()
			instead(c, "$"+[]string{"sum", "uppercase", "length", "count", "abs", "join", "keys", "reverse", "string", "number", "merge", "split"}[p.IntN(12)])
		}
	case 4: // an operator
		for i, part := range e.parts {
			if text, ok := part.(string); ok && len(text) == 3 && text[0] == ' ' {
				e.parts[i] = []string{" + ", " & ", " < ", " = ", " in ", " and ", " * ", " ~> "}[p.IntN(8)]
			}
		}
	case 5:
		for i, part := range e.parts {
			if inner, ok := part.(*ex); ok && i > 0 && e.parts[i-1] == ", " && inner.role != memberRole {
				e.parts = append(append([]any(nil), e.parts[:i-1]...), e.parts[i+1:]...)
				break
			}
		}
	}
	return fmt.Sprintf("%s -> %s", was, e.String())
}

// failsOnValue are the codes of what fails for a value of the right type: a division
// by zero, a string that is not a number, a picture or a date, one match where there
// are several.
var failsOnValue = []string{"D1001", "D3030", "D3137", "D3138", "D3139", "D3085", "D3110"}

// typeFailure reports whether a run failed because some value was of a type that
// its place does not take.
func typeFailure(f *diag.Fault) bool {
	switch f.Code {
	case "refused-arguments", "invalid-result":
		return !strings.Contains(f.Message, "at least") // the number of items is not part of a type
	case "expression-failed":
		e, ok := errors.AsType[*jsonata.Error](f)
		return !ok || !slices.Contains(failsOnValue, e.Code)
	}
	return false
}

// What the checker accepts without a warning never fails on a type; what it accepts
// with one may.
func TestProofMutations(t *testing.T) {
	gcLess(t)
	total, valid, warned, failed, always := 0, 0, 0, 0, 0
	for i := range proofSize(800) {
		p := &planter{Rand: rand.New(rand.NewPCG(24, uint64(i))), s: draw(rand.New(rand.NewPCG(23, uint64(i))))}
		change := p.mutate()
		w := p.s.write()
		plan, _, found := p.s.check(t, w)
		total++
		if len(found) > 0 {
			continue
		}
		valid++
		bad, good := 0, 0
		var last *diag.Fault
		for seed := range uint64(2 * trials) {
			if o := p.s.try(t, plan, seed); o.fault != nil && typeFailure(o.fault) {
				bad++
				last = o.fault
			} else if o.fault == nil {
				good++
			}
		}
		if len(p.s.doubts) > 0 {
			warned++
		}
		if bad > 0 {
			failed++
		}
		if bad > 0 && good == 0 {
			always++
			t.Logf("graph %d: %s: %s: %s\n%s", i, change, last.Code, last, diag.Format("graph.json", w.text, p.s.doubts))
		}
		if bad > 0 && len(p.s.doubts) == 0 {
			t.Errorf("graph %d is accepted without a warning, and fails: %s\n\t%s: %s\n%s", i, change, last.Code, last, w.text)
		}
	}
	t.Logf("%d mutations, %d accepted, %d of those with warnings; %d fail on a type in some run, %d in every run, all of them with warnings", total, valid, warned, failed, always)
}
