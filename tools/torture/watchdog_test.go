package torture

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/patchbay-mcp/patchbay/internal/tests/testenv"
)

// A watchdog notes what comes of attacks and visits.
type watchdog struct {
	pace     float64 // see [server.pace]
	mu       sync.Mutex
	families map[string]*outcome
	visits   map[string]*[windows][]time.Duration
	faults   []string
}

// An outcome is what came of the attacks of one family.
type outcome struct {
	attacks int
	kinds   map[string]int
	latest  time.Duration // after the limit; negative if each was in time
	times   []time.Duration
	slowest []request // the first is the one that took longest of its limit
}

// A request is an attack that was answered.
type request struct {
	place string // in what is generated
	over  time.Duration
	took  time.Duration
	kind  string
	text  string
}

// maxSlowest is how many of the slowest requests of a family are logged.
const maxSlowest = 3

func newWatchdog(pace float64) *watchdog {
	return &watchdog{pace: pace, families: map[string]*outcome{}, visits: map[string]*[windows][]time.Duration{}}
}

func (w *watchdog) fail(what string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.faults = append(w.faults, what)
}

// attacked notes the answer of the attack at a place of what is generated.
func (w *watchdog) attacked(f family, a attack, place string, kind string, took time.Duration, got reply) {
	w.mu.Lock()
	defer w.mu.Unlock()
	o := w.families[f.name]
	if o == nil {
		o = &outcome{kinds: map[string]int{}, latest: -time.Hour}
		w.families[f.name] = o
	}
	o.attacks++
	o.kinds[kind]++
	o.times = append(o.times, took)
	limit := a.limit
	if a.counted {
		limit = time.Duration(float64(limit) * w.pace)
	}
	limit += time.Duration(len(got.text)) * time.Second / transferred
	o.latest = max(o.latest, took-limit)
	sent := fmt.Sprint(a.args) + string(a.body)
	o.note(request{place: place, over: took - limit, took: took, kind: kind, text: sent[:min(len(sent), 300)]})
	sent = cut(sent)
	if !f.expected(kind) {
		w.faults = append(w.faults, fmt.Sprintf("%s: %s: %s\nrequest: %s", f.name, kind, cut(string(got.text)), sent))
	}
	if took > exceeded(limit+late) {
		w.faults = append(w.faults, fmt.Sprintf("%s: answered after %v, limit %v, %s\nrequest: %s", f.name, took, limit, kind, sent))
	}
}

// exceeded is a bound with the slack. The long run, which has none, is on a quiet machine.
func exceeded(bound time.Duration) time.Duration {
	if bound = time.Duration(float64(bound) * *slack); *slack > 1 {
		return testenv.Limit(bound)
	}
	return bound
}

// note keeps a request if it is one of the slowest.
func (o *outcome) note(r request) {
	at, _ := slices.BinarySearchFunc(o.slowest, r, func(a, b request) int { return cmp.Compare(b.over, a.over) })
	o.slowest = slices.Insert(o.slowest, at, r)
	o.slowest = o.slowest[:min(len(o.slowest), maxSlowest)]
}

// slowest lists the slowest requests of each family.
func (w *watchdog) slowest() string {
	var b strings.Builder
	for _, f := range families {
		o := w.families[f.name]
		if o == nil {
			continue
		}
		for _, r := range o.slowest {
			fmt.Fprintf(&b, "%s: %s, %s after its limit, %s, %s: %q\n", f.name, ms(r.took), ms(r.over), r.place, r.kind, r.text)
		}
	}
	return b.String()
}

func (w *watchdog) visited(tool string, window int, took time.Duration) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.visits[tool] == nil {
		w.visits[tool] = new([windows][]time.Duration)
	}
	w.visits[tool][window] = append(w.visits[tool][window], took)
}

// p99 is the median of the windows' 99th percentiles.
func (w *watchdog) p99(tool string) time.Duration {
	var each []time.Duration
	for _, times := range w.visits[tool] {
		if len(times) > 0 {
			each = append(each, percentile(times, .99))
		}
	}
	return percentile(each, .5)
}

func (w *watchdog) judge(t *testing.T, peak int64) {
	t.Helper()
	for _, fault := range w.faults[:min(len(w.faults), 20)] {
		t.Error(fault)
	}
	if n := len(w.faults) - 20; n > 0 {
		t.Errorf("and %d more", n)
	}
	for _, f := range families {
		if w.families[f.name] == nil {
			t.Errorf("%s: no attack was made", f.name)
		}
	}
	if most := float64(*memoryMB) * overRSS * *slack * (1 << 20); float64(peak) > most {
		t.Errorf("peak RSS is %d MB, want at most %.0f", peak>>20, most/(1<<20))
	}
	for tool := range w.visits {
		if p := w.p99(tool); p > exceeded(innocent) {
			t.Errorf("p99 of %s is %v while others attack, want at most %v", tool, p, innocent)
		}
	}
}

// table is the result as a table of Markdown.
func (w *watchdog) table(peak int64) string {
	var b strings.Builder
	b.WriteString("| attack | sent | median | slowest | late | answers |\n|---|--:|--:|--:|--:|---|\n")
	for _, f := range families {
		o := w.families[f.name]
		if o == nil {
			continue
		}
		var kinds []string
		for _, k := range slices.Sorted(maps.Keys(o.kinds)) {
			kinds = append(kinds, fmt.Sprintf("%s %d", k, o.kinds[k]))
		}
		latest := "in time"
		if o.latest > 0 {
			latest = ms(o.latest)
		}
		fmt.Fprintf(&b, "| %s | %d | %s | %s | %s | %s |\n", f.name, o.attacks, ms(percentile(o.times, .5)), ms(slices.Max(o.times)), latest, strings.Join(kinds, ", "))
	}
	fmt.Fprintf(&b, "\n| | |\n|---|--:|\n| limits.memoryMB | %d |\n| peak RSS | %d MB |\n", *memoryMB, peak>>20)
	for _, tool := range slices.Sorted(maps.Keys(w.visits)) {
		fmt.Fprintf(&b, "| p99 of %s for others | %s |\n", tool, ms(w.p99(tool)))
	}
	if w.pace > 1 {
		fmt.Fprintf(&b, "| time that the reference takes, as a multiple | %.1f |\n", w.pace)
	}
	return b.String()
}

func ms(d time.Duration) string { return fmt.Sprintf("%.0f ms", float64(d)/float64(time.Millisecond)) }
