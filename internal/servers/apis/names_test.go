package apis

import (
	"strings"
	"testing"
)

func TestNames(t *testing.T) {
	var n Names
	long := strings.Repeat("x", 200)
	for _, test := range []struct {
		name, want string
		renamed    bool
	}{
		{"query_user", "query_user", false},
		{"query_user", "query_user_2", true},
		{"query_user", "query_user_3", true},
		{"my api_query/a", "my_api_query_a", false},
		{"GET /ä/{id}", "GET_____id_", false},
		{"", "_", false},
		{long, long[:128], false},
		{long, long[:126] + "_2", true},
	} {
		if got, renamed := n.Take(test.name); got != test.want || renamed != test.renamed {
			t.Errorf("%q: %q, %v", test.name, got, renamed)
		}
	}
}

func TestAddress(t *testing.T) {
	for text, want := range map[string]string{
		"https://user:secret@host.example.com/graphql?key=secret#x": "https://host.example.com/graphql",
		"http://127.0.0.1:8080": "http://127.0.0.1:8080",
		"schema.graphql":        `"schema.graphql"`,
	} {
		if got := Address(text); got != want {
			t.Errorf("%s: %s", text, got)
		}
	}
}

func TestWhatSourcesAre(t *testing.T) {
	for source, want := range map[string][2]bool{ // a URL, a text
		"https://example.com/graphql": {true, false}, "HTTP://example.com": {true, false},
		"schema.graphql": {false, false}, "schema/*.graphql": {false, false}, "C:\\schema.graphql": {false, false},
		"type Query { a: Int }": {false, true}, "# a comment": {false, true}, `"described" scalar A`: {false, true}, "a\nb": {false, true},
	} {
		if IsURL(source) != want[0] || IsText(source) != want[1] {
			t.Errorf("%q: URL %v, text %v", source, IsURL(source), IsText(source))
		}
	}
}
