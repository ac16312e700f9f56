package app_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/patchbay-mcp/patchbay/internal/app"
	"github.com/patchbay-mcp/patchbay/internal/config"
	"github.com/patchbay-mcp/patchbay/specs"
)

// A search that finds nothing, and the next one of the same caller that does, suggest a
// word class.
func TestMissesSuggestWordClasses(t *testing.T) {
	pb := narrowing()
	for _, query := range []string{"qqqqq letter zzzzz", "zzzzzzzzz", "weigh", "send"} {
		found(t, pb, app.SearchInput{Query: query, Mode: "all"})
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
	if ids, _ := found(t, pb, app.SearchInput{Query: "quokka"}); len(ids) == 0 {
		t.Error("the word class is not used")
	}
}
