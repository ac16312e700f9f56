package cli

import (
	"bytes"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/spf13/cobra"

	"github.com/patchbay-mcp/patchbay/internal/config"
	"github.com/patchbay-mcp/patchbay/internal/servers/downstream"
	"github.com/patchbay-mcp/patchbay/run"
)

// At 80 columns with colours, a frame shows the same as without: times, bars and states.
func TestColoursDoNotShortenFrames(t *testing.T) {
	r := &liveRun{}
	r.event(run.Event{Key: "send#0", At: liveStart})
	r.event(run.Event{Key: "send#0[0]", At: after(10), Part: true, Items: 10, Ended: true})
	status := func() []downstream.Status {
		return []downstream.Status{{Name: "files", State: "failed", Reason: "it did not answer in a whole minute"}}
	}
	servers := &liveServers{waiting: newWaiting(nil, nil, []config.Server{}), status: status, shown: func(string) bool { return true }, began: liveStart, took: map[string]time.Duration{}, told: map[string]bool{}}
	parts := &partsDone{done: 3, failed: 1, total: 9, now: "a-file-of-tests.test.yaml"}
	watched := &watchedRuns{runs: []*watchedRun{{id: "run_01KDX4A0B1C2D3E4F5G6H7J8K9", graph: "sends", status: run.Failed}}}
	for _, v := range []view{r, servers, parts, watched} {
		plainLines := v.frame(&page{width: 80}, after(100), 9)
		colourful := v.frame(&page{width: 80, color: true}, after(100), 9)
		if len(plainLines) != len(colourful) {
			t.Fatalf("%q, in colours %q", plainLines, colourful)
		}
		for i, line := range colourful {
			if got := withoutMarks(line); got != plainLines[i] || strings.Contains(got, "…") {
				t.Errorf("%q, in colours %q", plainLines[i], got)
			}
		}
	}
}

// withoutMarks is a text without its colours.
func withoutMarks(text string) string {
	return pieces.ReplaceAllStringFunc(text, func(piece string) string {
		if isMark(piece) {
			return ""
		}
		return piece
	})
}

func TestColumns(t *testing.T) {
	p := &page{color: true}
	for text, want := range map[string]int{"": 0, "abc": 3, "漢字": 4, "e\u0301": 1, "é": 1, "🙂": 2, p.paint(bad, "漢"): 2, "ｆ": 2} {
		if got := columns(text); got != want {
			t.Errorf("%q takes %d columns, want %d", text, got, want)
		}
	}
	for _, c := range []struct {
		text string
		n    int
		want string
	}{{"漢字漢字", 8, "漢字漢字"}, {"漢字漢字", 7, "漢字漢…"}, {"漢字漢字", 6, "漢字…"}, {"abc", 3, "abc"}, {"abcd", 3, "ab…"}, {"abc", 0, ""}} {
		if got := cutColumns(c.text, c.n); got != c.want || columns(got) > c.n {
			t.Errorf("%q in %d columns is %q, want %q", c.text, c.n, got, c.want)
		}
	}
	painted := p.paint(bad, "abcdef")
	if got := colored(cutColumns(painted, 4)); got != "\x1b[31mabc…\x1b[0m" {
		t.Errorf("cut in a colour: %q", got)
	}
	if got := pad("漢字", 6) + "|"; got != "漢字  |" {
		t.Errorf("padded: %q", got)
	}
}

func TestTableAlignsWideCharacters(t *testing.T) {
	list := newTable("name", "n")
	list.add("漢字", "1")
	list.add("abcdef", "2")
	var b strings.Builder
	list.write(&page{Writer: &b})
	if want := "NAME    N\n漢字    1\nabcdef  2\n"; b.String() != want {
		t.Errorf("got\n%s", b.String())
	}
}

func TestAgo(t *testing.T) {
	now := time.Date(2026, 11, 26, 12, 0, 0, 0, time.Local)
	for d, want := range map[time.Duration]string{
		0: "0s ago", 59 * time.Second: "59s ago", time.Minute: "1m ago", 3*time.Hour + time.Minute: "3h ago", 30 * 24 * time.Hour: "30d ago",
		31 * 24 * time.Hour: "2026-10-26", -200 * 365 * 24 * time.Hour: "2226-10-09", -90 * time.Second: "in 1m", -25 * time.Hour: "in 1d",
	} {
		if got := ago(now.Add(-d), now); got != want || columns(got) > minColumn {
			t.Errorf("%s is %q, want %q", d, got, want)
		}
	}
}

// The help of every command fits into 80 columns, but for its examples, and says the
// same. Only that of serve is about tools of the product.
func TestHelpIsWrapped(t *testing.T) {
	var every func(c *cobra.Command, path []string)
	every = func(c *cobra.Command, path []string) {
		var out bytes.Buffer
		if code := Execute(t.Context(), append(path, "--help"), strings.NewReader(""), &out, &out); code != exitOK {
			t.Fatalf("%v --help: exit %d: %s", path, code, &out)
		}
		help, examples, _ := strings.Cut(out.String(), "\nExamples:\n")
		_, rest, _ := strings.Cut(examples, "\n\n")
		for line := range strings.Lines(help + rest) {
			if columns(strings.TrimSuffix(line, "\n")) > helpColumns {
				t.Errorf("%v: %s", path, line)
			}
		}
		if c.Long != "" && !strings.Contains(strings.Join(strings.Fields(out.String()), " "), strings.Join(strings.Fields(c.Long), " ")) {
			t.Errorf("%v --help has lost a part of its text:\n%s", path, &out)
		}
		if name := toolNamed.FindString(out.String()); name != "" && (len(path) == 0 || path[0] != "serve") {
			t.Errorf("%v --help names the tool%s", path, name)
		}
		for _, sub := range c.Commands() {
			if sub.IsAvailableCommand() {
				every(sub, append(slices.Clip(path), sub.Name()))
			}
		}
	}
	every(Command(), nil)
}

// At a terminal of 80 columns lines break at spaces, below what they continue, and no longer
// word is split.
func TestWrap(t *testing.T) {
	p := &page{color: true}
	for text, want := range map[string]string{
		"short\n": "short\n",
		"patchbay: one two three four [code]\n  hint: do this and that\n":                     "patchbay: one two\n  three four\n  [code]\n  hint: do this\n    and that\n",
		"see /a/path/that/is/wider/than/all then go\n":                                        "see\n  /a/path/that/is/wider/than/all\n  then go\n",
		p.paint(bad, "FAIL") + "  its process ended at once":                                  p.paint(bad, "FAIL") + "  its process\n      ended at\n      once",
		"漢字 漢字 漢字 漢字":                                                                         "漢字 漢字 漢字\n  漢字",
		"   7 | abcdefghijklmnopqrstuvwxyz\n     |                    ^~~~\n     = hint: x\n": "   7 | …pqrstuvwx…\n     |      ^~~~\n     = hint: x\n",
		"   7 | abcdefghijklmnopqrstuvwxyz\n     |   ^~~~~~~~~~~~~~~~~~~~\n":                  "   7 | abcdefghij…\n     |   ^~~~~~~~~\n",
	} {
		if got := wrap(text, 18); got != want {
			t.Errorf("%q\nbecomes %q\nwant    %q", text, got, want)
		}
	}
	if got := wrap("one two", 0); got != "one two" {
		t.Errorf("without a width: %q", got)
	}
}
