package search

import (
	"math/rand/v2"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"github.com/patchbay-mcp/patchbay/specs"
)

func small() *Index {
	x := New()
	x.Replace("server:mail", []*specs.Spec{
		{NodeType: "mcp", Subtype: "mail/send_email", Description: "Sends an e-mail notification to one or more people", Parameters: []specs.Parameter{{Name: "to", Type: "string", Required: true}, {Name: "subject", Type: "string"}}},
		{NodeType: "mcp", Subtype: "mail/searchMessages", Description: "Searches messages in the mailbox"},
		{NodeType: "mcp", Subtype: "mail/delete_message", Description: "Deletes a message and tells the webhook"},
	})
	x.Replace("server:github", []*specs.Spec{
		{NodeType: "mcp", Subtype: "github/create_issue", Description: "Create a new issue in a GitHub repository"},
		{NodeType: "mcp", Subtype: "github/list_issues", Description: "List issues of a repository"},
		{NodeType: "mcp", Subtype: "github/get-s3Config2", Description: "OAuth2 settings of the café; URLs and APIs, naïve Straße"},
	})
	x.Replace("server:天气", []*specs.Spec{
		{NodeType: "mcp", Subtype: "weather/forecast", Description: "查询城市的天气预报 прогноз погоды 날씨 예보"},
	})
	x.Replace("built-in", []*specs.Spec{
		{NodeType: "foreach", Description: "Runs a node once per element of a list", Intents: []string{"run every item through"}},
		{NodeType: "switch", Description: "Chooses where to go next", Intents: []string{"branch into yes and no"}},
		{NodeType: "transform", Description: "Computes a value with JSONata", Intents: []string{"reshape JSON"}},
	})
	return x
}

// TestNoiseChangesNoResult dresses queries up as people, models and forms do.
func TestNoiseChangesNoResult(t *testing.T) {
	snap := small().Snapshot()
	r := rand.New(rand.NewPCG(3, 3))
	between := []string{". ", "! ", "? ", ", ", " \"", "\" ", " AND ", " OR ", " NOT ", " (", ") ", " [", "] ", " 🚀 ", "\n", "\r\n", "\t", " - ", " + ", ": ", " ~", "^2 "[:1] + " ", "* ", " / ", "\\ ", " && ", " || ", "{} ", "; ", " ❤️ ", " 👩‍💻 ", " — ", " “", "” ", "\u00a0", "\u200b "}
	for _, text := range []string{
		"send email notification", "create issue", "list issues of repository", "search messages", "run every item through",
		"branch into yes and no", "reshape JSON", "s3 config", "oauth2 settings", "café urls", "天气预报", "прогноз погоды", "날씨", "delete mesage",
	} {
		want, res := resultIDs(t, snap, Query{Text: text})
		if len(want) == 0 {
			t.Errorf("%q finds nothing", text)
		}
		for range 60 {
			words := strings.Fields(text)
			var b strings.Builder
			for range r.IntN(3) {
				b.WriteString(between[r.IntN(len(between))])
			}
			for _, w := range words {
				switch r.IntN(4) {
				case 0:
					w = strings.ToUpper(w)
				case 1:
					_, n := utf8.DecodeRuneInString(w)
					w = strings.ToUpper(w[:n]) + w[n:]
				case 2:
					w = `"` + w + `"`
				}
				b.WriteString(w + between[r.IntN(len(between))])
			}
			got, again := resultIDs(t, snap, Query{Text: b.String()})
			if d := cmp.Diff(want, got); d != "" {
				t.Errorf("%q against %q:\n%s", b.String(), text, d)
			}
			if len(got) > 0 && again.Hits[0].Score != res.Hits[0].Score {
				t.Errorf("%q scores %v, %q scores %v", b.String(), again.Hits[0].Score, text, res.Hits[0].Score)
			}
		}
	}
}

func TestAnyTextIsAnswered(t *testing.T) {
	snap := small().Snapshot()
	for _, text := range []string{"", " \n\t ", "the of and", strings.Repeat("send ", 2000), strings.Repeat("x", 10_000), strings.Repeat("é", 5000), "\xff\xfe", "🚀", "a:b^2 (c", "ᚠᚢᚦ", "مرحبا بالعالم", "สวัสดี", string(rune(0)), strings.Repeat("天", 4000)} {
		r, err := snap.Search(t.Context(), Query{Text: text})
		if err != nil {
			t.Errorf("%.20q: %v", text, err)
			continue
		}
		for _, h := range r.Hits {
			if h.Score <= 0 || h.Score > 1 {
				t.Errorf("%.20q: %s scores %v, outside 0..1", text, h.Spec.ID(), h.Score)
			}
		}
	}
}

func TestWordsAreFoundAsPeopleWriteThem(t *testing.T) {
	snap := small().Snapshot()
	for text, want := range map[string]string{
		"email":              "mcp:mail/send_email",
		"e-mail":             "mcp:mail/send_email",
		"createissue":        "mcp:github/create_issue",
		"CREATE_ISSUE":       "mcp:github/create_issue",
		"search_messages":    "mcp:mail/searchMessages",
		"searchmessages":     "mcp:mail/searchMessages",
		"s3":                 "mcp:github/get-s3Config2",
		"oauth":              "mcp:github/get-s3Config2",
		"cafe naive strasse": "mcp:github/get-s3Config2",
		"url":                "mcp:github/get-s3Config2",
		"erase a message":    "mcp:mail/delete_message",
		"web hook":           "mcp:mail/delete_message",
		"天气":                 "mcp:weather/forecast",
		"погоды":             "mcp:weather/forecast",
		"예보":                 "mcp:weather/forecast",
		"branch yes no":      "switch",
		"run every item":     "foreach",
	} {
		got, _ := resultIDs(t, snap, Query{Text: text})
		if len(got) == 0 || got[0] != want {
			t.Errorf("%q: got %v, want %s first", text, got, want)
		}
	}
}

func TestMisspellingIsCorrectedAndSaid(t *testing.T) {
	got, r := resultIDs(t, small().Snapshot(), Query{Text: "send notifcation"})
	if len(got) == 0 || got[0] != "mcp:mail/send_email" {
		t.Errorf("got %v", got)
	}
	if d := cmp.Diff(map[string]string{"notifcation": "notification"}, r.Corrected); d != "" {
		t.Error(d)
	}
	_, r = resultIDs(t, small().Snapshot(), Query{Text: "send a beautiful email"})
	if len(r.Corrected) != 0 {
		t.Errorf("everyday words are corrected: %v", r.Corrected)
	}
}

func TestNothingFoundNamesNearTerms(t *testing.T) {
	_, r := resultIDs(t, small().Snapshot(), Query{Text: "isu"})
	if r.Total != 0 || len(r.Nearest) == 0 {
		t.Errorf("total %d, nearest %v: want nothing found and a hint", r.Total, r.Nearest)
	}
}
