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

	gocmp "github.com/google/go-cmp/cmp"

	"github.com/patchbay-mcp/patchbay/internal/golden"
)

const (
	page     = "../docs/search.md"
	measured = "## Size and speed\n" // what follows depends on the machine
)

var measureSpeed = flag.Bool("speed", false, "with -update, measure the speed of search again")

// fieldNames are the fields as docs/search.md calls them.
var fieldNames = [fieldCount]string{"name", "description", "intents", "parameter names", "parameter descriptions", "server and tags", "output"}

// TestDocumentIsCurrent holds the quality that docs/search.md promises against
// what the code does; with -update it writes the document, with -speed the figures of
// speed too.
func TestDocumentIsCurrent(t *testing.T) {
	if testing.Short() {
		t.Skip("measures the ranking on one goroutine: not run with -short")
	}
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
		"{classes}", fmt.Sprint(defaults.classes), "{correct}", fmt.Sprint(defaults.correct),
		"{near}", "50", "{fusion}", strconv.Itoa(fusion), "{cjk}", fmt.Sprint(cjkWeight), "{joined}", fmt.Sprint(joinedWeight), "{names}", fmt.Sprint(nameWeight), "{order}", fmt.Sprint(orderWeight), "{clause}", fmt.Sprint(clauseWeight),
		"{coordination}", fmt.Sprint(shareExponent), "{short}", strconv.Itoa(shortQuery), "{pool}", strconv.Itoa(pool), "{quality}", strings.TrimSpace(quality.String()),
		"{unmatched}", strconv.Itoa(maxUnmatched), "{unmatchedFit}", fmt.Sprint(unmatchedFit), "{unsureConfidence}", fmt.Sprint(unsureConfidence), "{unsureWhole}", fmt.Sprint(unsureWhole), "{unsureFit}", fmt.Sprint(unsureFit), "{calibration}", strings.TrimSpace(calibration(t)),
	).Replace(prose)
	have, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	if golden.Updating() {
		_, speed, _ := strings.Cut(string(have), measured)
		if *measureSpeed {
			speed = speeds(t)
		}
		if err := os.WriteFile(page, []byte(text+measured+speed), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	head, _, _ := strings.Cut(string(have), measured)
	if d := gocmp.Diff(text, head); d != "" {
		t.Errorf("docs/search.md is not what the code does; run go test ./search -run DocumentIsCurrent -update\n%s", d)
	}
}

const prose = `# Search

<!-- written by go test ./search -run DocumentIsCurrent -update (-speed measures the times too) -->

` + "`search_nodes`" + ` takes a sentence and finds the nodes that do what it says. A query is processed in five steps:

1. **Words.** The query is lower-cased and split at everything that is not a letter or a digit, so punctuation, quotes, operators and
   capitals make no difference. Node texts are also split at underscores, hyphens, changes of case, and between letters and digits, and the
   parts are indexed joined as well: "create issue" and "createissue" both find ` + "`createIssue`" + `. Encoded data in a text, such as base64, is left out. A word of the query that no node has is split
   at changes of case, then into words of the catalog: ` + "`createGithubIssue`" + ` and "creategithubissue" are read as "create github issue". Stop words are dropped
   unless the query has no other word ("if", "for each"): then names and phrases (` + "`intents`" + `) are searched for them. English is
   stemmed (Porter), accents are folded, and Chinese, Japanese and Korean are indexed by pairs of characters, which count {cjk} beside words of another script.
2. **Related words.** A word of the same class (` + "`search/classes.txt`" + `) counts {classes} of a match. A word that no node has, and
   that is not an everyday word (` + "`search/plainwords.txt`" + `), is corrected to the nearest terms of the catalog, at {correct} of a match: one
   edit for words of four letters or more, two for eight or more. The reply lists corrections in ` + "`corrected`" + `. The setting
   ` + "`search: {synonyms: FILE}`" + ` adds word classes, one a line, such as ` + "`rsvp respond invitation`" + `; ` + "`patchbay doctor --searches`" + ` suggests lines: a query that found nothing, with what the same
   caller asked next. ` + "`tags`" + ` and ` + "`aliases`" + ` of a server's entry, and of a node of a knowledge pack, are found too.
3. **Candidates.** bleve's scorch indexes, in memory, hold a document for each node, with one combined field (the name counted twice). Their postings give the
   {pool} best nodes by BM25, in a catalog of any size.
4. **Ranking.** BM25F with k1 {k1} and b {b}, textbook length and idf, and these weights: {weights}. The score of a saved graph is multiplied by 1.1,
   that of a node that cannot run here (of another system, or a saved graph without approval) by 0.8. Two neighbouring words that a node writes as one count {joined} of such a word. To this are added:
   {names} × the best score × the share (by idf) of the words of the node's name that the query has; {order} × the mean idf of every two words that stand side by side in the query
   and in the node's name or description; and in queries of more than {short} words {clause} × the score of the best clause. The sum is multiplied by the share of the query's idf that the node
   matches, to the power of {coordination}. A query that is exactly a name, title or id puts that node first in a catalog of any size, an app before its trigger. Of nodes that fit as well, those that can run come first: that is what
   the factors 1.1 and 0.8 are for.
5. **Variety.** Nodes that are variants of one verb on one server, or the same tool on several servers, and that share half of their terms, take at most three
   of the first ten places. The others follow, and the first of them lists them in ` + "`also`" + `.

Idioms are found by their name, title and the phrases that people use, not by their text. They do not change the lengths and word frequencies that rank other nodes, so a search for a tool finds
the same one as without them (a test compares the sets below with and without). A question how to do something finds the idiom first, with its graph.
` + "`type_filter: idiom`" + ` also finds your saved graphs.

## How well a result fits

` + "`relevance_score`" + ` says how well a node fits the whole query: c × (1 + n) / 2, where c is the share of the query's idf that the node has, each word counting at most its own idf, and n is the share (by idf)
of the words of the node's name that the query has. It is 1 for a node whose name is the query. The order has more to go by, so a later result may have a higher score. ` + "`unmatched`" + ` lists the words of the query that a
node lacks, at most {unmatched}, the rarest ones; below a score of {unmatchedFit}, where it lacks most of the query, there is none. ` + "`confidence`" + ` says how likely it is that the first result is what was asked for, from its c and n, its lead over the first that is not a variant of it, and the number of words. Its coefficients
were fitted on seven other sets of requests, each also asked of catalogs without the tools that answer it, so it is a probability where half of the requests have no answer. Where it is below {unsureConfidence} and the first
result scores less than {unsureWhole}, or less than {unsureFit} and lacks a word, the reply begins with a hint that perhaps no node does this, and how to get one that does.

Measured on the sets below, and on the short and everyday phrases of testdata/search over its servers: every query as it is, and once more with the tools that answer it left out.

{calibration}

With ` + "`search: {embeddings: {url, model, apiKey}}`" + `, an OpenAI-compatible endpoint adds the {near} nodes nearest in meaning, by reciprocal rank fusion: a node counts 1/({fusion} + its rank) of each list, and
` + "`relevance_score`" + ` is that as a share of the best possible; there is no ` + "`confidence`" + `. Vectors of nodes are asked for in the background, 64 texts a request, and kept in the cache by the hash of their text; a query waits two seconds
for its own, and an endpoint that fails leaves the search as it is without one. It is off unless configured. The figures below are without it.

The tools of one server are an immutable segment with its own tables. A change replaces that segment, and a search reads one snapshot from
beginning to end. The segments that changed last are a bleve index each; from time to time they are merged into one of the large ones.

## Evaluate your own catalog

    go run ./internal/searcheval [--dump FILE] DIR

DIR holds ` + "`corpus.jsonl`" + `, one tool a line ({"id", "server", "name", "description", "parameters": [{"name", "description"}], "outputs"}), and
` + "`queries.jsonl`" + ` ({"id", "text", "relevant": [ids]}). The report has nDCG, recall and MRR with binary relevance, in percent, and times in
milliseconds, measured with the index and the ranking of the server. ` + "`--dump`" + ` writes the first 50 ids of each query. DIR may also be a folder of such folders.

## Quality

Five sets of tools and requests were used while the search was written. No weight is fitted to them: each is a round number from the
literature or the design. "Letters changed" means that one letter in ten of every query is replaced by a random one, with a fixed seed.

{quality}

Each row changes one part of the ranking. The standard error is that of the difference over the same queries. Variety in the first places costs a little recall on purpose, and servers, tags and
parameters make little difference in these sets, which come from one server each.

`

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
