package search

import (
	"maps"
	"slices"
	"strings"
	"testing"
	"unicode"

	"github.com/patchbay-mcp/patchbay/specs"
	"github.com/patchbay-mcp/patchbay/tools/searcheval/evalset"
)

// camelCase writes a query as one identifier.
func camelCase(text string) string {
	var b strings.Builder
	for i, word := range strings.FieldsFunc(text, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) && r != '\'' }) {
		word = strings.ToLower(word)
		if i > 0 {
			word = strings.ToUpper(word[:1]) + word[1:]
		}
		b.WriteString(word)
	}
	return b.String()
}

// TestCamelCaseFormsOfQueries asks the development sets' queries as identifiers.
func TestCamelCaseFormsOfQueries(t *testing.T) {
	if testing.Short() {
		t.Skip("measures the ranking on one goroutine: not run with -short")
	}
	sets, names, err := evalset.ReadAll(devSets(t))
	if err != nil {
		t.Fatal(err)
	}
	as, err := measure(t.Context(), sets, names, defaults)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range sets {
		for i, q := range e.Queries {
			e.Queries[i].Text = camelCase(q.Text)
		}
	}
	camel, err := measure(t.Context(), sets, names, defaults)
	if err != nil {
		t.Fatal(err)
	}
	n, c := mean(as.ndcg5), mean(camel.ndcg5)
	t.Logf("nDCG@5 %.2f, as identifiers %.2f; recall@10 %.2f, %.2f", n, c, mean(as.recall10), mean(camel.recall10))
	if c < n-3 {
		t.Errorf("nDCG@5 is %.2f, and %.2f when queries are written as identifiers", n, c)
	}
}

// chats is tools of which people and models write the names in many ways.
func chats() *Index {
	x := New()
	x.Replace("server:github", []*specs.Spec{
		mcp("github", "create_issue", "Create a new issue in a GitHub repository"),
		mcp("github", "list_issues", "List issues of a GitHub repository"),
		mcp("github", "create_repository", "Create a repository on GitHub"),
	})
	x.Replace("server:git", []*specs.Spec{mcp("git", "git_log", "Shows the commit log"), mcp("git", "git_status", "Shows the state of the working tree")})
	x.Replace("server:slack", []*specs.Spec{mcp("slack", "post_message", "Posts a message to a Slack channel")})
	x.Replace("server:ai", []*specs.Spec{mcp("ai", "complete", "Completes a text with a large language model of OpenAI"), mcp("ai", "model_railway", "Drives a railway")})
	x.Replace("server:sheets", []*specs.Spec{mcp("sheets", "append_rows", "Appends rows to a spreadsheet in Google Sheets")})
	x.Replace("server:kube", []*specs.Spec{mcp("kube", "list_pods", "Lists the pods of a Kubernetes cluster")})
	x.Replace("server:db", []*specs.Spec{mcp("db", "query", "Executes SQL in a PostgreSQL database")})
	x.Replace("server:天气", []*specs.Spec{mcp("weather", "forecast", "查询城市的天气预报"), mcp("weather", "alerts", "城市的新闻")})
	x.Replace("server:fill", []*specs.Spec{mcp("fill", "a", "Keeps things in order"), mcp("fill", "b", "Paints a wall"), mcp("fill", "c", "Rings a bell")})
	return x
}

func TestQueriesAsTyped(t *testing.T) {
	snap := chats().Snapshot()
	for text, want := range map[string]string{
		"createGithubIssue":      "mcp:github/create_issue",
		"CreateGithubIssue":      "mcp:github/create_issue",
		"creategithubissue":      "mcp:github/create_issue",
		"githubCreateRepository": "mcp:github/create_repository",
		"listtheissues":          "mcp:github/list_issues",
		"postSlackMessage":       "mcp:slack/post_message",
		"mcp:git/git_log":        "mcp:git/git_log",
		"git/git_log":            "mcp:git/git_log",
		"git_log":                "mcp:git/git_log",
		"GitLog":                 "mcp:git/git_log",
		"gpt":                    "mcp:ai/complete",
		"chatgpt":                "mcp:ai/complete",
		"ChatGPT":                "mcp:ai/complete",
		"llm":                    "mcp:ai/complete",
		"slak":                   "mcp:slack/post_message",
		"gsheet":                 "mcp:sheets/append_rows",
		"k8s":                    "mcp:kube/list_pods",
		"pg":                     "mcp:db/query",
		"天气预报 forecast":          "mcp:weather/forecast",
	} {
		got, _ := resultIDs(t, snap, Query{Text: text})
		if len(got) == 0 || got[0] != want {
			t.Errorf("%q: got %v, want %s first", text, got, want)
		}
	}
}

func TestWordsThatAreNotSplit(t *testing.T) {
	snap := chats().Snapshot()
	for _, text := range []string{"together", "repositry", "issuses", "notebook", "GitHub", "GITHUB", "today"} {
		got := snap.read(text).concepts
		if len(got) != 1 {
			t.Errorf("%q is read as %d words", text, len(got))
		}
	}
}

// TestPairsOfCharactersBesideWords: the pairs of a phrase in Chinese must not outweigh
// the words beside it.
func TestPairsOfCharactersBesideWords(t *testing.T) {
	weights := func(text string) map[string]float64 {
		m := map[string]float64{}
		for _, c := range chats().Snapshot().read(text).concepts {
			m[c.text] = c.weight
		}
		return m
	}
	if got := weights("天气"); !maps.Equal(got, map[string]float64{"天气": 1, "天": 1, "气": 1}) {
		t.Errorf("alone: %v", got)
	}
	got := weights("天气 forecast")
	if got["天气"] != .5 || got["forecast"] != 1 || !slices.Contains(slices.Collect(maps.Keys(got)), "气") {
		t.Errorf("beside a word: %v", got)
	}
}

// TestOnlyStopWords: a query of nothing but stop words finds who says them in a name
// or in the phrases of people.
func TestOnlyStopWords(t *testing.T) {
	x := chats()
	x.Replace("built-in", []*specs.Spec{
		{NodeType: "switch", Description: "Chooses where to go next", Intents: []string{"if a condition holds, else", "when something is true"}},
		{NodeType: "foreach", Description: "Runs a node for each element"},
	})
	for text, want := range map[string]string{"if": "switch", "else": "switch", "when": "switch", "for each": "foreach"} {
		got, _ := resultIDs(t, x.Snapshot(), Query{Text: text})
		if len(got) == 0 || got[0] != want {
			t.Errorf("%q: got %v, want %s first", text, got, want)
		}
	}
	_, r := resultIDs(t, x.Snapshot(), Query{Text: "if the issue"})
	for _, h := range r.Hits {
		if h.Spec.NodeType == "switch" {
			t.Error("a stop word beside others finds a node")
		}
	}
}
