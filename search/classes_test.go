package search

import (
	"strings"
	"testing"

	"github.com/patchbay-mcp/patchbay/specs"
)

func TestSynonymsOfTheOperator(t *testing.T) {
	x := chats()
	before, _ := resultIDs(t, x.Snapshot(), Query{Text: "wombat"})
	s, err := ReadSynonyms("# ours\nwombat Rows\n")
	if err != nil {
		t.Fatal(err)
	}
	x.Widen(s)
	after, _ := resultIDs(t, x.Snapshot(), Query{Text: "wombats"})
	if len(before) != 0 || len(after) != 1 || after[0] != "mcp:sheets/append_rows" {
		t.Errorf("before %v, after %v", before, after)
	}
	x.Replace("server:new", []*specs.Spec{mcp("new", "x", "Something new")})
	if again, _ := resultIDs(t, x.Snapshot(), Query{Text: "wombat"}); len(again) != 1 {
		t.Errorf("after a change: %v", again)
	}
	x.Widen(nil)
	if gone, _ := resultIDs(t, x.Snapshot(), Query{Text: "wombat"}); len(gone) != 0 {
		t.Errorf("without them: %v", gone)
	}
	if _, err := ReadSynonyms(strings.Repeat("a b\n", maxSynonyms)); err == nil {
		t.Error("word classes of four megabytes are read")
	}
}

func TestAliasesAndTagsAreFound(t *testing.T) {
	x := chats()
	x.Replace("pack:p", []*specs.Spec{
		{NodeType: "ACTION", Subtype: "N1", Description: "Does things", Aliases: []string{"quokka feeder"}, NotRunnable: true},
		{NodeType: "ACTION", Subtype: "N2", Description: "Feeder of quokka, feeder of quokka", NotRunnable: true},
		{NodeType: "mcp", Subtype: "s/t", Description: "Does other things", Tags: []string{"numbat"}},
	})
	for text, want := range map[string]string{"Quokka Feeder": "ACTION:N1", "numbat": "mcp:s/t"} {
		if got, _ := resultIDs(t, x.Snapshot(), Query{Text: text}); len(got) == 0 || got[0] != want {
			t.Errorf("%q: got %v, want %s first", text, got, want)
		}
	}
}

func TestSuggestedClasses(t *testing.T) {
	for _, tc := range []struct{ missed, found, want string }{
		{"rsvp", "respond to the invitation", "rsvp respond invitation"},
		{"rsvp to a meeting", "accept meeting", "rsvp accept"},
		{"send mail", "send mail", ""},
		{"one thing", "a wholly different thing with many more words beside", ""},
		{"a b c d", "x", ""},
	} {
		if got := Suggest(tc.missed, tc.found); got != tc.want {
			t.Errorf("%q, then %q: %q, want %q", tc.missed, tc.found, got, tc.want)
		}
	}
}
