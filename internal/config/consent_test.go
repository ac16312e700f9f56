package config

import (
	"os"
	"reflect"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// ownFiles are the settings that name files whose changes need no trust, and why.
var ownFiles = map[string]string{
	"workspace.root": "its files are shown as they are", "graphs": "each graph is approved", "graphs.dir": "each graph is approved", "hooks.modules": "its modules are trusted",
	"runs.file": "its runs have codes", "cache": "Patchbay writes it", "log.audit": "Patchbay writes it", "serve.tokensFile": "Patchbay writes it",
	"serve.tls.cert": "it is renewed", "serve.tls.key": "it is renewed", "runtime.temporal.blobs": "Patchbay writes it",
	"runtime.temporal.tls.ca": "it is renewed", "runtime.temporal.tls.cert": "it is renewed", "runtime.temporal.tls.key": "it is renewed",
}

// TestEverySettingSaysWhatItNeeds asks each row of the settings what an untrusted file may
// do with it: only numbers with a default that is a number can be lowered, and only in a map
// that says so.
func TestEverySettingSaysWhatItNeeds(t *testing.T) {
	var harmless []string
	var walk func(under string, table []setting, within consent)
	walk = func(under string, table []setting, within consent) {
		for _, s := range table {
			key := under + s.key
			if place := regexp.MustCompile(`path|folder|file|API`).MatchString(s.kind); place != (s.consent == namesFiles || ownFiles[key] != "") {
				t.Errorf("%s is a %s, and %v", key, s.kind, ownFiles[key])
			}
			_, err := strconv.ParseInt(s.fallback, 10, 64)
			switch {
			case s.consent == needsTrust, s.consent == namesFiles && strings.Contains(trustTable(t), "`"+key+"`"):
			case s.consent != lowers:
				t.Errorf("%s does not say what it needs", key)
			case within != lowers:
				t.Errorf("%s needs no trust in a map that does", key)
			case len(s.keys) == 0 && err != nil:
				t.Errorf("the default of %s, %q, is not a number that can be lowered", key, s.fallback)
			case len(s.keys) == 0:
				harmless = append(harmless, key)
			}
			walk(key+".", s.keys, s.consent)
		}
	}
	walk("", settings, lowers)
	var listed []string
	for _, key := range regexp.MustCompile("`(limits\\.\\w+)`").FindAllStringSubmatch(trustTable(t), -1) {
		listed = append(listed, key[1])
	}
	if diff := cmp.Diff(harmless, listed); diff != "" {
		t.Errorf("docs/security.md lists other keys that need no trust (+):\n%s", diff)
	}
}

// trustTable is the table of docs/security.md.
func trustTable(t *testing.T) string {
	t.Helper()
	page, err := os.ReadFile("../../docs/security.md")
	if err != nil {
		t.Fatal(err)
	}
	_, rest, found := strings.Cut(string(page), "\n## Who must have said yes\n")
	table, _, _ := strings.Cut(rest, "\n## ")
	if !found || strings.Count(table, "\n|") < 10 {
		t.Fatal("docs/security.md has no table of what needs trust")
	}
	return table
}

// TestEveryKindOfFileIsInTheTable looks for the row of each option that names files.
func TestEveryKindOfFileIsInTheTable(t *testing.T) {
	rows := map[string]string{
		"Graphs": "| a graph document of `-g`, or one named to `patchbay run` or `--graph-file` |", "Servers": "| a graph document of `-g`, or one named to `patchbay run` or `--graph-file` |",
		"MCP": "| an `mcp.json` of `-m` |", "Checked": "| a graph document named to another command,", "File": "| `patchbay.yaml` named with `--config`,", "Dir": "| every other key in it",
		"Packs":    "| a knowledge pack of `--pack` or `packs` |",
		"RunsFile": "", "RunsKey": "", "Trust": "", "Text": "", "Standalone": "", "Project": "", "Secrets": "", "Store": "", "Environ": "", // of the program that calls
	}
	table := trustTable(t)
	if n := reflect.TypeFor[Options]().NumField(); n != len(rows) {
		t.Errorf("there are %d options, and %d are known here", n, len(rows))
	}
	for name, row := range rows {
		if _, found := reflect.TypeFor[Options]().FieldByName(name); !found || !strings.Contains(table, row) {
			t.Errorf("%s has no row %q", name, row)
		}
	}
	for _, folder := range beside {
		if !strings.Contains(table, "`"+folder+"`") {
			t.Errorf("the folder %s has no row", folder)
		}
	}
}
