package search

import (
	"bytes"
	"cmp"
	"fmt"
	"os"
	"runtime"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	gocmp "github.com/google/go-cmp/cmp"

	"github.com/patchbay-mcp/patchbay/internal/golden"
)

const (
	page     = "../docs/search.md"
	measured = "## Size and speed\n" // what follows depends on the machine
)

// TestDocumentIsCurrent holds the quality that docs/search.md promises against
// what the code does; with -update it writes the document, speed included.
func TestDocumentIsCurrent(t *testing.T) {
	var quality bytes.Buffer
	if err := Quality(t.Context(), devSets(t), &quality); err != nil {
		t.Fatal(err)
	}
	weights := make([]string, 0, fieldCount)
	for f, w := range defaults.weight {
		weights = append(weights, fmt.Sprintf("%s %g", fieldNames[f], w))
	}
	text := strings.NewReplacer(
		"{weights}", strings.Join(weights, ", "), "{k1}", fmt.Sprint(defaults.k1), "{b}", fmt.Sprint(defaults.b),
		"{classes}", fmt.Sprint(defaults.classes), "{correct}", fmt.Sprint(defaults.correct), "{large}", strconv.Itoa(large),
		"{pool}", strconv.Itoa(pool), "{quality}", strings.TrimSpace(quality.String()),
	).Replace(prose)
	if golden.Updating() {
		if err := os.WriteFile(page, []byte(text+measured+speeds(t)), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	have, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	head, _, _ := strings.Cut(string(have), measured)
	if d := gocmp.Diff(text, head); d != "" {
		t.Errorf("docs/search.md is not what the code does; run go test ./search -run DocumentIsCurrent -update\n%s", d)
	}
}

const prose = `# Search

<!-- the tables of quality are written by go run ./internal/searcheval --write docs/search.md DIR, all of it by go test ./search -run DocumentIsCurrent -update -->

search_nodes takes a sentence and finds the nodes that do what it says. What happens to a query, and what each step is worth:

1. **Words.** A query is lower-cased and split at everything that is not a letter or a digit, so punctuation, quotes, operators and
   capitals change nothing. Node texts are split at underscores, hyphens, changes of case and between letters and digits as well, and what
   was split is kept joined too: ` + "`createIssue`" + ` is found by "create issue" and by "createissue". Stop words go, English is
   stemmed (Porter), accents are folded, Chinese, Japanese and Korean are indexed by pairs of characters.
2. **What may stand for a word.** Words of the same class (` + "`search/classes.txt`" + `) count {classes} of a match. A word that no node has and
   that is not an everyday word (` + "`search/plainwords.txt`" + `) is corrected to the nearest terms of the catalog, at {correct} of a match: one
   edit from four letters on, two from eight. The reply says so in ` + "`corrected`" + `.
3. **Candidates.** From {large} nodes on, bleve's scorch index, in memory, over one combined field (the name twice) gives the first
   {pool} nodes by BM25. A smaller catalog is scored whole, which is faster.
4. **Ranking.** BM25F with k1 {k1} and b {b}, textbook length and idf, over {weights}. A saved graph counts 1.1 times, a node that
   cannot be run .8 times. ` + "`relevance_score`" + ` is the score as a share of the idf mass of the query, so it is low when even the
   best node matches little.
5. **Fair lists.** Of nodes that are one verb of one server in variants, or one tool on several servers, and share half of their terms, three
   may stand in the first ten places; the others follow, and the first names them in ` + "`also`" + `.

One server's tools are one immutable segment with tables of its own; a change replaces that segment, and a search reads one snapshot from
beginning to end. In a large catalog the few segments that changed last are scored whole beside bleve's index and merged into it from time to
time.

## Evaluate your own catalog

    go run ./internal/searcheval [--dump FILE] [--write FILE] DIR

DIR holds ` + "`corpus.jsonl`" + `, one tool a line ({"id", "server", "name", "description", "parameters": [{"name", "description"}], "outputs"}), and
` + "`queries.jsonl`" + ` ({"id", "text", "relevant": [ids]}). The report has nDCG, recall and MRR with binary relevance, in percent, and times in
milliseconds, measured with the index and the ranking of the server. --dump writes each query's first 50 ids. DIR may be a folder of such folders too.
--write puts tables like those below into a Markdown file.

## Quality

Five sets of tools and requests, used while the search was written; nothing is fitted to them: every weight is a round number from the
literature or the design. "Letters changed": one letter in ten of every query is replaced by another at random, always the same ones.

<!-- quality -->

{quality}

<!-- /quality -->

Everything shipped gains on the mean except fair lists, which cost a little recall on purpose, and the reading of servers, tags and
parameters, which these sets hardly need and catalogs of many servers do.

`

// speeds measures the synthetic catalogs.
func speeds(t *testing.T) string {
	var b strings.Builder
	p := &printer{w: &b}
	p.line("")
	p.line("Synthetic catalogs on servers of 50 tools, words as unevenly used as in real ones; %s/%s, %d processors, %s. Milliseconds of processor time; a build's includes the collector's.", runtime.GOOS, runtime.GOARCH, runtime.NumCPU(), runtime.Version())
	p.line("")
	p.line("| tools | build | one server changed | p50, p95 of 3 words | p50, p95 of 10 words | heap, MB | bleve's candidates hold of the exact first ten |")
	p.line("|---|---|---|---|---|---|---|")
	for _, n := range []int{1000, 10_000, 100_000} {
		all := synthetic(n)
		heap := heapMB()
		var x *Index
		build := processCPU(func() { x = loaded(all) })
		heap = heapMB() - heap
		server := sortedKeys(all)[0]
		change := processCPU(func() {
			for range 5 {
				x.Replace("server:"+server, all[server])
			}
		}) / 5
		recall := "all are scored"
		if n >= large {
			recall = fmt.Sprintf("%.1f %%", 100*candidateRecall(t, x.Snapshot()))
		}
		p.line("| %d | %.0f | %.1f | %s | %s | %.0f | %s |", n, ms(build), ms(change), percentiles(t, x, 3), percentiles(t, x, 10), heap, recall)
	}
	x := loaded(synthetic(10_000))
	p.line("")
	searches, loops := togetherOverAlone(t, x)
	p.line("Two searchers at once, at 10,000 tools: both are done in %.2f times the time that one alone takes, on the clock; two loops that share nothing, in %.2f times that of one.", searches, loops)
	return b.String()
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
