package search

import (
	"bytes"
	"cmp"
	"flag"
	"fmt"
	"os"
	"runtime"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/patchbay-mcp/patchbay/internal/tests/golden"
)

// The pages are written from their templates in testdata.
const (
	page        = "../docs/search.md"
	figuresPage = "../docs/measured/search.md"
	measured    = "## Size and speed\n" // what follows depends on the machine
)

var measureSpeed = flag.Bool("speed", false, "with -update, measure the speed of search again")

// fieldNames are the fields as docs/measured/search.md calls them.
var fieldNames = [fieldCount]string{"name", "description", "intents", "parameter names", "parameter descriptions", "server and tags", "output"}

// TestDocumentIsCurrent compares docs/search.md, and the quality that
// docs/measured/search.md promises, with what the code does; with -update it writes the
// pages, with -speed the figures of speed too.
func TestDocumentIsCurrent(t *testing.T) {
	if testing.Short() {
		t.Skip("measures the ranking on one goroutine: not run with -short")
	}
	var quality bytes.Buffer
	if err := Quality(t.Context(), devSets(t), &quality); err != nil {
		t.Fatal(err)
	}
	_, table, err := halves(t.Context(), devSets(t))
	if err != nil {
		t.Fatal(err)
	}
	weights := make([]string, 0, fieldCount)
	for f, w := range defaults.weight {
		weights = append(weights, fmt.Sprintf("%s %g", fieldNames[f], w))
	}
	values := strings.NewReplacer(
		"{weights}", strings.Join(weights, ", "), "{k1}", fmt.Sprint(defaults.k1), "{b}", fmt.Sprint(defaults.b),
		"{classes}", fmt.Sprint(defaults.classes), "{correct}", fmt.Sprint(defaults.correct),
		"{near}", "50", "{fusion}", strconv.Itoa(fusion), "{cjk}", fmt.Sprint(cjkWeight), "{joined}", fmt.Sprint(joinedWeight), "{names}", fmt.Sprint(nameWeight), "{asking}", fmt.Sprint(askingWeight), "{order}", fmt.Sprint(orderWeight), "{clause}", fmt.Sprint(clauseWeight),
		"{rest}", fmt.Sprint(restWeight), "{coordination}", fmt.Sprint(shareExponent), "{short}", strconv.Itoa(shortQuery), "{pool}", strconv.Itoa(pool), "{quality}", strings.TrimSpace(quality.String()),
		"{unmatched}", strconv.Itoa(maxUnmatched), "{unmatchedFit}", fmt.Sprint(unmatchedFit), "{unsureConfidence}", fmt.Sprint(unsureConfidence), "{unsureWhole}", fmt.Sprint(unsureWhole), "{unsureFit}", fmt.Sprint(unsureFit), "{halves}", strings.TrimSpace(table), "{calibration}", strings.TrimSpace(calibration(t)),
	)
	golden.Check(t, page, values.Replace(readText(t, "testdata/page.md")))
	_, speed, _ := strings.Cut(readText(t, figuresPage), measured)
	if golden.Updating() && *measureSpeed {
		speed = speeds(t)
	}
	golden.Check(t, figuresPage, values.Replace(readText(t, "testdata/figures.md"))+measured+speed)
}

// readText is the text of a file.
func readText(t *testing.T, path string) string {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// speeds measures the synthetic catalogs.
func speeds(t *testing.T) string {
	var b strings.Builder
	p := &printer{w: &b}
	p.line("")
	p.line("Synthetic catalogs of servers with 50 tools each, with a realistic distribution of words; %s/%s, %d processors, %s. Milliseconds of processor time; a build's includes the collector's, and a change is the least of twenty: publishing it and the first search that sees it, without what that search takes when it is repeated (in brackets: with it).", runtime.GOOS, runtime.GOARCH, runtime.NumCPU(), runtime.Version())
	p.line("")
	p.line("| tools | build | 30 tools changed | p50, p95 of 3 words | p50, p95 of 10 words | heap, MB | resident, MB | of the top ten of exhaustive scoring |")
	p.line("|---|---|---|---|---|---|---|---|")
	for _, n := range []int{1000, 10_000, 100_000} {
		all := synthetic(n)
		heap := heapMB()
		var x *Index
		build := processCPU(func() { x = loaded(all) })
		heap = heapMB() - heap
		resident := residentMB()
		server := sortedKeys(all)[0]
		visible(t, x, server, all[server][:30], "warm up")
		both, again := time.Hour, time.Hour
		for i := range 20 {
			b, a := visible(t, x, server, all[server][i:i+30], all[server][i].Tool())
			both, again = min(both, b), min(again, a)
		}
		x.Settle()
		same := fmt.Sprintf("%.1f %%", 100*agreement(t, x.Snapshot(), slices.Concat(questions(50, 3), questions(50, 10))))
		p.line("| %d | %.0f | %.1f (%.1f) | %s | %s | %.0f | %s | %s |", n, ms(build), ms(both-again), ms(both), percentiles(t, x, 3), percentiles(t, x, 10), heap, resident, same)
	}
	x := loaded(synthetic(10_000))
	p.line("")
	searches, loops := togetherOverAlone(t, x)
	p.line("Two concurrent searchers at 10,000 tools finish in %.2f times the wall-clock time of one; two loops that share nothing finish in %.2f times that of one.", searches, loops)
	return b.String()
}

// residentMB is the memory of the process, as the kernel counts it.
func residentMB() string {
	status, err := os.ReadFile("/proc/self/status")
	if err != nil {
		return "not measured"
	}
	_, rest, _ := strings.Cut(string(status), "VmRSS:")
	line, _, _ := strings.Cut(rest, "kB")
	kB, err := strconv.Atoi(strings.TrimSpace(line))
	if err != nil {
		return "not measured"
	}
	return strconv.Itoa(kB / 1024)
}

func heapMB() float64 {
	debug.FreeOSMemory()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return float64(m.HeapAlloc) / (1 << 20)
}

func percentiles(t *testing.T, x *Index, words int) string {
	var took []time.Duration
	for _, q := range questions(300, words) {
		took = append(took, threadCPU(func() {
			if _, err := x.Search(t.Context(), Query{Text: q}); err != nil {
				t.Error(err)
			}
		}))
	}
	slices.SortFunc(took, cmp.Compare)
	return fmt.Sprintf("%.1f, %.1f", ms(took[len(took)/2]), ms(took[len(took)*95/100]))
}
