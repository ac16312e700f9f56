package search

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/patchbay-mcp/patchbay/specs"
)

// FuzzSearch: any text is a node's text and a query; whatever it is, the search
// answers with scores in 0..1, and dressing the query up in
// punctuation changes nothing.
func FuzzSearch(f *testing.F) {
	for _, text := range []string{"", "create_issue", "createIssue2GitHub", "e-mail's URLs", "天气预报 weather", "naïve Straße", "한국어 텍스트", "a\u0301b", "x\xffy", "OAuth2 s3 HTTPServer", strings.Repeat("ab", 100), "İstanbul ß ﬁ", "don't it's"} {
		f.Add(text, text)
	}
	f.Fuzz(func(t *testing.T, text, query string) {
		x := New()
		x.Replace("built-in", []*specs.Spec{
			{NodeType: "mcp", Subtype: "s/" + text, Description: text, Parameters: []specs.Parameter{{Name: text, Description: query}}},
			{NodeType: "wait", Description: "Waits", Intents: []string{text}},
		})
		r, err := x.Search(t.Context(), Query{Text: query})
		if err != nil {
			t.Fatal(err)
		}
		for _, h := range r.Hits {
			if h.Score <= 0 || h.Score > 1 {
				t.Errorf("%q in %q: score %v, outside 0..1", query, text, h.Score)
			}
			if s := Signature(h.Spec); strings.Contains(s, "\n") {
				t.Errorf("signature of two lines: %q", s)
			}
		}
		if !utf8.ValidString(query) {
			return
		}
		dressed, err := x.Search(t.Context(), Query{Text: "(\"" + query + "\")! AND 🚀"})
		if err != nil {
			t.Fatal(err)
		}
		if dressed.Total != r.Total {
			t.Errorf("%q finds %d, dressed up %d", query, r.Total, dressed.Total)
		}
	})
}
