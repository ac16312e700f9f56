package search

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/patchbay-mcp/patchbay/specs"
)

func terms(s string, name bool) string {
	var list []string
	newAnalyzer().text(s, name, func(t *token) {
		if !t.stop {
			list = append(list, t.term)
		}
	})
	return strings.Join(list, " ")
}

func queryTerms(s string) string {
	var list []string
	x := New()
	x.Replace("server:s", []*specs.Spec{mcp("s", "createissue", "")})
	for _, c := range x.Snapshot().read(s).concepts {
		list = append(list, c.text)
	}
	return strings.Join(list, " ")
}

func TestTextOfANodeIsSplit(t *testing.T) {
	for _, tc := range []struct{ text, want string }{
		{"createIssue", "creat issu createissu"},
		{"create_issue", "creat issu createissu"},
		{"create-issue", "creat issu createissu"},
		{"files.list", "file list fileslist"},
		{"HTTPServer2", "http server 2 httpserver httpserver2"},
		{"URLs", "url"},
		{"s3", "s 3 s3"},
		{"Café naïve Straße", "cafe naiv strass cafenaivestrass"},
		{"天气预报", "天 天气 气 气预 预 预报 报"},
		{"날씨 예보", "날 날씨 씨 예 예보 보"},
		{"查询weather", "查 查询 询 weather"},
	} {
		if got := terms(tc.text, true); got != tc.want {
			t.Errorf("%q gives %q, want %q", tc.text, got, tc.want)
		}
	}
	if got := terms("The reading of files. Lists them", false); got != "read file list" {
		t.Errorf("a sentence is joined: %q", got)
	}
	if got := terms(strings.Repeat("x", maxWord+1), true); got != "" {
		t.Errorf("a run of %d letters is a word", maxWord+1)
	}
}

// Capitals split nothing in a word that a node has.
func TestCapitalsChangeNoQuery(t *testing.T) {
	for _, text := range []string{"create issue", "CREATE ISSUE", "Create, Issue!", "cReAtE\niSsUe", `"create" (issue)`, "create_issue"} {
		if got := queryTerms(text); got != "creat issu createissu" {
			t.Errorf("%q gives %q", text, got)
		}
	}
	if got := queryTerms("CREATEISSUE createIssue"); got != "createissu" {
		t.Errorf("capitals split a word of a query: %q", got)
	}
	if got := queryTerms("what is the CAFÉ near 天气"); got != "cafe near 天气" {
		t.Errorf("got %q", got)
	}
}

func TestWordClassesHoldEverydayWords(t *testing.T) {
	groups := 0
	for line := range strings.Lines(classText) {
		if !strings.HasPrefix(line, "#") && strings.TrimSpace(line) != "" {
			groups++
		}
	}
	if groups < 60 {
		t.Errorf("%d groups, want about 60 or more", groups)
	}
	a := newAnalyzer()
	for _, pair := range []string{"wait sleep", "wait delay", "wait pause", "remove delete", "fetch get", "fetch download"} {
		x, y, _ := strings.Cut(pair, " ")
		if !slices.Contains(classes(false)[a.stem(x)], a.stem(y)) {
			t.Errorf("%s does not stand for %s", x, y)
		}
	}
	if d := cmp.Diff(classes(false), readClasses(newAnalyzer())); d != "" {
		t.Error(d)
	}
}
