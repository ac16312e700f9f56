package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/patchbay-mcp/patchbay/tools/searcheval/evalset"
)

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){"searcheval": main})
}

func TestScripts(t *testing.T) {
	testscript.Run(t, testscript.Params{Dir: "testdata", RequireExplicitExec: true})
}

func TestEvaluateMeasuresAndDumps(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write("corpus.jsonl", `{"id":"a","server":"s","name":"send_mail","description":"Sends mail","parameters":[{"name":"to","description":"recipient"}]}
{"id":"b","server":"s","name":"read_mail","description":"Reads mail","category":"Post","outputs":[{"name":"body","description":"text"}]}

{"id":"c","server":"t","name":"weather"}
`)
	write("queries.jsonl", `{"id":"1","text":"send mail","relevant":["a"]}
{"id":"2","text":"weather","relevant":["c"]}
{"id":"3","text":"read","relevant":["a","b"]}
`)
	ranked := filepath.Join(t.TempDir(), "ranked.jsonl")
	report, err := evaluate(t.Context(), dir, ranked)
	if err != nil {
		t.Fatal(err)
	}
	r, ok := report.(*evalset.Report)
	if !ok {
		t.Fatalf("%+v", report)
	}
	// The third query finds one of its two: 1/(1+1/log2(3)) = 0.6131.
	if r.Tools != 3 || r.Queries != 3 || r.Recall5 != 83.33 || r.MRR != 100 || r.NDCG5 != 87.1 {
		t.Errorf("%+v", r)
	}
	dump, err := os.ReadFile(ranked)
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSpace(string(dump)), "\n")
	var first struct {
		ID     string
		Ranked []string
	}
	if len(lines) != 3 || json.Unmarshal([]byte(lines[0]), &first) != nil || first.ID != "1" || len(first.Ranked) != 2 || first.Ranked[0] != "a" {
		t.Errorf("dump:\n%s", dump)
	}

	for name, text := range map[string]string{
		"relevant id \"x\" is not in":  `{"id":"1","text":"q","relevant":["x"]}`,
		"queries.jsonl:1":              `{"id":`,
		"query \"1\" has no relevant":  `{"id":"1","text":"q"}`,
		"queries.jsonl:2: query \"2\"": "{\"id\":\"1\",\"text\":\"q\",\"relevant\":[\"a\"]}\n{\"id\":\"2\"}",
	} {
		write("queries.jsonl", text)
		if _, err := evaluate(t.Context(), dir, ""); err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("%s: got %v", name, err)
		}
	}
	if _, err := evaluate(t.Context(), t.TempDir(), ""); err == nil {
		t.Error("an empty folder is evaluated")
	}
}
