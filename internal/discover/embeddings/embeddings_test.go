package embeddings

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/patchbay-mcp/patchbay/specs"
)

// words is an endpoint whose vectors count a few meanings.
func words(t *testing.T, asked *atomic.Int64, broken *atomic.Bool) string {
	meanings := [][]string{{"mail", "letter", "correspondence"}, {"money", "invoice", "payment"}, {"weather", "rain"}}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var in struct {
			Model string
			Input []string
		}
		if broken.Load() || json.NewDecoder(r.Body).Decode(&in) != nil || in.Model != "m" || r.Header.Get("Authorization") != "Bearer k" {
			http.Error(w, "no", http.StatusInternalServerError)
			return
		}
		type item struct {
			Index     int       `json:"index"`
			Embedding []float32 `json:"embedding"`
		}
		var reply struct {
			Data []item `json:"data"`
		}
		for i, text := range in.Input {
			asked.Add(1)
			v := make([]float32, len(meanings)+1)
			v[len(meanings)] = .1
			for m, list := range meanings {
				for _, word := range list {
					v[m] += float32(strings.Count(strings.ToLower(text), word))
				}
			}
			reply.Data = append(reply.Data, item{i, v})
		}
		_ = json.NewEncoder(w).Encode(reply)
	}))
	t.Cleanup(server.Close)
	return server.URL
}

func nodes() []*specs.Spec {
	return []*specs.Spec{
		{NodeType: "mcp", Subtype: "a/send", Description: "Sends a letter"},
		{NodeType: "mcp", Subtype: "a/bill", Description: "Makes an invoice"},
		{NodeType: "mcp", Subtype: "a/look", Description: "Will there be rain?"},
	}
}

func TestNearestInMeaning(t *testing.T) {
	var asked atomic.Int64
	var broken atomic.Bool
	o := Options{URL: words(t, &asked, &broken), Model: "m", APIKey: "k", Dir: t.TempDir()}
	x := New(o)
	x.Near(t.Context(), nodes(), "correspondence", 2)
	x.work.Wait()
	got := x.Near(t.Context(), nodes(), "correspondence", 2)
	if len(got) != 2 || got[0].Subtype != "a/send" || asked.Load() != 4 {
		t.Errorf("got %v after %d texts", got, asked.Load())
	}
	x.Close()

	// What was on disk is not asked for again, also when the endpoint is gone or the last
	// record was not written whole.
	files, err := filepath.Glob(filepath.Join(o.Dir, "*.vectors"))
	if err != nil || len(files) != 1 {
		t.Fatal(files, err)
	}
	text, err := os.ReadFile(files[0])
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(files[0], append(text, "half a record"...), 0o600); err != nil {
		t.Fatal(err)
	}
	again := New(o)
	defer again.Close()
	if got := again.Near(t.Context(), nodes(), "payment", 1); len(got) != 1 || got[0].Subtype != "a/bill" || asked.Load() != 5 {
		t.Errorf("got %v after %d texts", got, asked.Load())
	}
	broken.Store(true)
	if got := again.Near(t.Context(), nodes(), "rain", 1); got != nil {
		t.Errorf("a failing endpoint gives %v", got)
	}
	if got := again.Near(t.Context(), nodes(), "payment", 1); len(got) != 1 {
		t.Error("a query that was asked before needs the endpoint")
	}
}

// TestBadEndpoints: whatever an endpoint answers, there are no candidates.
func TestBadEndpoints(t *testing.T) {
	for _, reply := range []string{``, `{}`, `{"data":[]}`, `{"data":[{"index":7,"embedding":[1]}]}`, `{"data":[{"index":0,"embedding":[]}]}`, `[1`, `{"data":[{"index":-1,"embedding":[1]}]}`} {
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte(reply)) }))
		x := New(Options{URL: server.URL, Model: "m"})
		if got := x.Near(t.Context(), nodes(), "rain", 3); got != nil {
			t.Errorf("%s: %v", reply, got)
		}
		x.Close()
		server.Close()
	}
}
