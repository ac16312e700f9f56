package search

import (
	"encoding/base64"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/patchbay-mcp/patchbay/specs"
)

// withData is tools, each with so many bytes of data after its description. No two have
// the same.
func withData(tools, bytes int) []*specs.Spec {
	r := rand.New(rand.NewPCG(7, 7))
	list := make([]*specs.Spec, tools)
	for i := range list {
		data := make([]byte, bytes)
		for j := range data {
			data[j] = byte(r.Uint32())
		}
		list[i] = mcp("s", fmt.Sprintf("tool_%d", i), "Draws an icon of a house "+base64.StdEncoding.EncodeToString(data))
	}
	return list
}

// TestDataIsNotIndexed: what takes time and memory is the number of terms. Indexing
// the data too makes 300,000.
func TestDataIsNotIndexed(t *testing.T) {
	plain, data := New(), New()
	plain.Replace("server:s", withData(2000, 0))
	data.Replace("server:s", withData(2000, 900))
	t.Logf("%d terms, with data %d", plain.words.len(), data.words.len())
	if n, most := data.words.len(), plain.words.len()+100; n > most {
		t.Errorf("2,000 tools with 1.2 kB of base64 each have %d terms, want at most %d", n, most)
	}
	if got, _ := resultIDs(t, data.Snapshot(), Query{Text: "draw house tool 77", Max: 1}); !slices.Equal(got, []string{"mcp:s/tool_77"}) {
		t.Errorf("beside data, a name is not found: got %v", got)
	}
	for text, want := range map[string]string{
		"an icon data:image/png;base64,Gk2xT9a/QbP+7sV0rZLw3mYc8HfNu5JdKe1WqXo=": "icon data imag png base 64 base64",
		"d41d8cd98f00b204e9800998ecf8427e of a file":                             "file",
		"createGithubIssueFromTemplateFileNow":                                   "creat github issu templat file now creategithubissuefromtemplatefilenow",
		"read/write/list/move/copy/delete/rename":                                "read write list move copi delet renam",
	} {
		if got := terms(text, false); got != want {
			t.Errorf("%q gives %q, want %q", text, got, want)
		}
	}
	if got := queryTerms("icon d41d8cd98f00b204e9800998ecf8427e"); got != "icon" {
		t.Errorf("data in a query is searched for: %q", got)
	}
}

// BenchmarkBuildWithData reports the least processor time of indexing 2,000 tools with
// 1.2 kB of base64 each, and that as a multiple of the time without.
func BenchmarkBuildWithData(b *testing.B) {
	least := func(list []*specs.Spec) time.Duration {
		took := time.Hour
		for range 3 {
			took = min(took, processCPU(func() { New().Replace("server:s", list) }))
		}
		return took
	}
	plain, data := withData(2000, 0), withData(2000, 900)
	for b.Loop() {
		with := least(data)
		b.ReportMetric(ms(with), "least-cpu-ms")
		b.ReportMetric(with.Seconds()/least(plain).Seconds(), "times-without")
	}
}
