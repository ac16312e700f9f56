package app_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/patchbay-mcp/patchbay/internal/app"
	"github.com/patchbay-mcp/patchbay/internal/config"
	"github.com/patchbay-mcp/patchbay/internal/discover"
	"github.com/patchbay-mcp/patchbay/specs"
)

// A search that finds nothing, and the next one of the same caller that does, suggest a
// word class.
func TestMissesSuggestWordClasses(t *testing.T) {
	pb := narrowing()
	for _, query := range []string{"qqqqq letter zzzzz", "zzzzzzzzz", "weigh", "send"} {
		found(t, pb, discover.SearchInput{Query: query, Mode: "all"})
	}
	missed := pb.Usage().Missed()
	suggestions := map[string]string{}
	for _, m := range missed {
		suggestions[m.Query] = m.Suggestion + "; " + m.Then
	}
	if got := suggestions["zzzzzzzzz"]; got != "zzzzzzzzz weigh; weigh" || len(missed) != 2 {
		t.Errorf("%+v", missed)
	}
}

// The configuration gives word classes, and tags and other names of servers.
func TestWordsOfTheConfiguration(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) string {
		file := filepath.Join(dir, name)
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return file
	}
	write("words.txt", "quokka folder\n")
	write(config.FileName, "workspace: {enabled: true}\nsearch: {synonyms: words.txt}\nservers: {github: {command: x, disabled: true, tags: [code], aliases: gh}}\n")
	cfg, faults, err := config.Load(config.Options{Dir: dir})
	if err != nil || len(faults) > 0 {
		t.Fatal(err, faults)
	}
	if s := cfg.Servers[0]; cfg.Search.Synonyms != filepath.Join(dir, "words.txt") || len(s.Tags) != 1 || len(s.Aliases) != 1 || s.Aliases[0] != "gh" {
		t.Errorf("%+v, %v %v", cfg.Search, s.Tags, s.Aliases)
	}
	pb, err := app.Open(t.Context(), cfg, app.Setup{})
	if err != nil {
		t.Fatal(err)
	}
	defer pb.Close()
	pb.Catalog().Replace("server:s", []*specs.Spec{{NodeType: "mcp", Subtype: "s/shelve", Description: "Puts things into a folder"}})
	if ids, _ := found(t, pb, discover.SearchInput{Query: "quokka"}); len(ids) == 0 {
		t.Error("the word class is not used")
	}
}

// An endpoint for embeddings finds nodes that share no word with the query; requests
// leave through egress.
func TestSearchByMeaning(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var in struct{ Input []string }
		if err := json.NewDecoder(r.Body).Decode(&in); err != nil {
			t.Error(err)
		}
		var data []string
		for i, text := range in.Input {
			vector := "[0, 1]"
			if strings.Contains(text, "correspondence") || strings.Contains(text, "letter") {
				vector = "[1, 0]"
			}
			data = append(data, fmt.Sprintf(`{"index": %d, "embedding": %s}`, i, vector))
		}
		fmt.Fprintf(w, `{"data": [%s]}`, strings.Join(data, ","))
	}))
	defer server.Close()
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, config.FileName), fmt.Appendf(nil, "workspace: {enabled: true}\ncache: cache\nsearch: {embeddings: {url: %q, model: m, apiKey: secret-key}}\n", server.URL), 0o600); err != nil {
		t.Fatal(err)
	}
	cfg, faults, err := config.Load(config.Options{Dir: dir})
	if err != nil || len(faults) > 0 {
		t.Fatal(err, faults)
	}
	pb, err := app.Open(t.Context(), cfg, app.Setup{})
	if err != nil {
		t.Fatal(err)
	}
	defer pb.Close()
	pb.Catalog().Replace("server:s", []*specs.Spec{{NodeType: "mcp", Subtype: "s/post", Description: "Sends a letter"}})
	for t.Context().Err() == nil { // vectors come in the background
		if ids, _ := found(t, pb, discover.SearchInput{Query: "correspondence"}); slices.Contains(ids, "mcp:s/post") {
			return
		}
		runtime.Gosched()
	}
}
