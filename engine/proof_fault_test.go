package engine_test

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/engine"
	"github.com/patchbay-mcp/patchbay/graph"
)

// score counts what became of the faults of one kind.
type score struct{ tried, kept, one, more, elsewhere, missed int }

// hiding are the faults that keep the checker from following the graph or an
// expression: their fix may lay bare what comes behind.
var hiding = []string{"dangling-edge", "expr-syntax", "missing-exit", "missing-next", "unknown-node-reference"}

// Every planted fault that shows at run time gets exactly one error, where it was
// planted.
func TestProofFaults(t *testing.T) {
	gcLess(t)
	scores := make([]score, len(kindsOfFault))
	kept, shown, fixes, bare := 0, 0, 0, 0
	for i := 0; kept < proofSize(1000) && i < proofSize(4000); i++ {
		p := &planter{Rand: rand.New(rand.NewPCG(22, uint64(i))), s: draw(rand.New(rand.NewPCG(21, uint64(i))))}
		kind, fault := p.rarest(scores)
		s, sc := p.s, &scores[kind]
		sound := draw(rand.New(rand.NewPCG(21, uint64(i))))
		s.known = sound.shelf()
		w := s.write()
		anyway, doc, found := s.check(t, w)
		if !showsAtRunTime(t, sound, s, anyway, fault) {
			continue
		}
		kept++
		sc.kept++
		if _, after, left, ok := s.fixed(t, w.text, found); ok {
			fixes++
			now := len(left.With(diag.Error))
			if now >= len(found) && slices.Contains(hiding, found[0].Code) && !slices.ContainsFunc(left, func(d *diag.Diagnostic) bool { return d.Code == found[0].Code && d.Message == found[0].Message }) {
				bare++
				now = 0
			}
			if now >= len(found) {
				t.Errorf("graph %d: the fixes of %d errors leave %d:\n%s\n%s", i, len(found), now, diag.Format("graph.json", w.text, found), diag.Format("graph.json", after, left.With(diag.Error)))
			}
		}
		problem := ""
		switch {
		case len(found) == 0:
			problem = "missed"
			sc.missed++
		case len(found) > 1:
			problem = fmt.Sprintf("%d errors", len(found))
			sc.more++
		case !fault.covers(doc, w, found[0]):
			problem = "elsewhere"
			sc.elsewhere++
		default:
			sc.one++
		}
		if problem != "" {
			if shown++; shown <= 12 {
				t.Errorf("graph %d: %s: %s: planted at %s\n%s", i, kindsOfFault[kind].name, problem, fault.where(w), diag.Format("graph.json", w.text, found))
			}
		}
	}
	var table strings.Builder
	total := score{}
	for k, sc := range scores {
		fmt.Fprintf(&table, "%-40s %4d kept %4d one error %4d more %4d elsewhere %4d missed\n", kindsOfFault[k].name, sc.kept, sc.one, sc.more, sc.elsewhere, sc.missed)
		total.kept, total.one, total.more, total.elsewhere, total.missed = total.kept+sc.kept, total.one+sc.one, total.more+sc.more, total.elsewhere+sc.elsewhere, total.missed+sc.missed
		if sc.kept == 0 {
			t.Errorf("%s: no graph shows it", kindsOfFault[k].name)
		}
	}
	t.Logf("%d faults: %d with one error, %d with more, %d with one elsewhere, %d missed; of %d that have a fix, it leaves no error, but for %d where it lays bare what the fault hid\n%s", total.kept, total.one, total.more, total.elsewhere, total.missed, fixes, bare, table.String())
	if total.one != total.kept {
		t.Errorf("%d of %d faults did not get exactly one error at their place", total.kept-total.one, total.kept)
	}
}

// rarest plants a fault of the kind that was kept least so far.
func (p *planter) rarest(scores []score) (kind int, f *planted) {
	kinds := make([]int, len(scores))
	for i := range kinds {
		kinds[i] = i
	}
	slices.SortStableFunc(kinds, func(a, b int) int { return cmp.Compare(scores[a].tried, scores[b].tried) })
	for _, kind := range kinds {
		if f := kindsOfFault[kind].plant(p); f != nil {
			scores[kind].tried++
			return kind, f
		}
	}
	panic("no fault can be planted")
}

// showsAtRunTime reports whether some run of the faulty graph fails or gives
// another result, where the sound one succeeds.
func showsAtRunTime(t *testing.T, sound, faulty *sketch, anyway *engine.Plan, f *planted) bool {
	t.Helper()
	plan, _, found := sound.check(t, sound.write())
	if len(found) > 0 {
		return false
	}
	for seed := range uint64(trials) {
		before := sound.try(t, plan, seed)
		if before.fault != nil {
			continue
		}
		if f.through != nil {
			if f.through(before) {
				return true
			}
			continue
		}
		if after := faulty.try(t, anyway, seed); after.fault != nil || after.result != before.result {
			return true
		}
	}
	return false
}

// at is the place of the fault in the written graph.
func (f *planted) at(w *written) place {
	if f.piece == nil {
		return place{node: f.node, pointer: f.pointer}
	}
	return w.at[f.piece]
}

func (f *planted) where(w *written) string {
	at := f.at(w)
	text := ""
	if f.piece != nil {
		text = f.piece.String()
	}
	return fmt.Sprintf("%s %s [%d:%d] %s", at.node, at.pointer, at.start, at.end, text)
}

// covers reports whether a diagnostic stands where the fault was planted: at the
// node, at the pointer or within, and at the piece of the expression.
func (f *planted) covers(doc *graph.Document, w *written, d *diag.Diagnostic) bool {
	at := f.at(w)
	if at.node == "" {
		return true
	}
	if d.Node != at.node || !strings.HasPrefix(d.Path+"/", at.pointer+"/") {
		return false
	}
	if f.piece == nil || f.whole {
		return true
	}
	v := doc.Root.At(at.pointer)
	if d.Range == v.Range() {
		return strings.HasPrefix(d.Code, "wrong-") || d.Code == "missing-argument" || d.Code == "not-in-enum"
	}
	if f.piece.role == numberRole { // or at the operator beside it
		at.start, at.end = max(at.start-3, 0), at.end+3
	}
	want := v.Within(at.start, at.end)
	return before(d.Range.Start, want.End) && before(want.Start, d.Range.End)
}

func before(a, b diag.Pos) bool {
	return a.Line < b.Line || a.Line == b.Line && a.Column < b.Column
}
