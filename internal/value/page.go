package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/patchbay-mcp/patchbay/internal/value/sample"
)

// The figures of 18 public servers, which were counted once: they are not here.
const (
	publicServers = 18
	publicTools   = 235
	publicTokens  = 49_084
)

// figures are what one run of this program measures.
type figures struct {
	OwnTools int        `json:"ownTokens"` // of the definitions of Patchbay's own tools
	Measures []*measure `json:"measures"`
	Killed   *killed    `json:"killed"`
}

// replaceBetween replaces what stands between two lines of a page.
func replaceBetween(root, page, mark, text string) error {
	file := filepath.Join(root, page)
	old, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	begin, end := "<!-- "+mark+": written by go run ./internal/value -write -->\n", "<!-- /"+mark+" -->\n"
	before, rest, ok := strings.Cut(string(old), begin)
	_, after, closed := strings.Cut(rest, end)
	if !ok || !closed {
		return fmt.Errorf("%s has no place for the figures of %s", page, mark)
	}
	return os.WriteFile(file, []byte(before+begin+"\n"+text+"\n"+end+after), 0o644) //nolint:gosec // a page is for everybody
}

// write puts the figures into the pages of the repository.
func (f *figures) write(root string) error {
	if err := replaceBetween(root, "README.md", "value", f.summary()); err != nil {
		return err
	}
	if err := replaceBetween(root, "docs/value.md", "value", f.table()); err != nil {
		return err
	}
	return replaceBetween(root, "docs/value.md", "times", f.times())
}

// summary is the table of the first page.
func (f *figures) summary() string {
	var files *measure
	for _, m := range f.Measures {
		if m.Task == "find_todos" && m.Items == 100 {
			files = m
		}
	}
	var b strings.Builder
	b.WriteString("| | tools called one by one | with Patchbay |\n|---|--:|--:|\n")
	fmt.Fprintf(&b, "| definitions of %d tools of %d servers | %s tokens | %s tokens |\n", publicTools, publicServers, thousands(publicTokens), thousands(f.OwnTools))
	fmt.Fprintf(&b, "| count the TODOs in 100 files | %s tokens, %d calls | %s tokens, %d call |\n", thousands(files.Direct.Tokens), files.Direct.Calls, thousands(files.Saved.Tokens), files.Saved.Calls)
	fmt.Fprintf(&b, "| killed half-way through %d writes, then started again: written twice | %d | %d |\n", f.Killed.Writes, f.Killed.Script, f.Killed.Saved)
	return b.String()
}

// table is what everything costs, but for the time.
func (f *figures) table() string {
	var b strings.Builder
	b.WriteString("| task | items | A: direct | B: search, run_node | C: script | D: saved graph | D: to author, once | calls A, B, D | turns A, B, C, D | uses until D beats A, C |\n|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|\n")
	for _, m := range f.Measures {
		fmt.Fprintf(&b, "| %s | %d | %s | %s | %s | %s | %s | %d, %d, %d | %d, %d, %d, %d | %s, %s |\n", m.Task, m.Items,
			both(m.Direct), both(m.Search), both(m.Script), both(m.Saved), both(m.Author), m.Direct.Calls, m.Search.Calls, m.Saved.Calls,
			m.Direct.Turns, m.Search.Turns, m.Script.Turns, m.Saved.Turns, orNever(m.BeatsDirect), orNever(m.BeatsScript))
	}
	return b.String()
}

// times are the times of the calls, which differ from run to run.
func (f *figures) times() string {
	var b strings.Builder
	b.WriteString("| task | items | A | B | D |\n|---|--:|--:|--:|--:|\n")
	for _, m := range f.Measures {
		fmt.Fprintf(&b, "| %s | %d | %.0f ms | %.0f ms | %.0f ms |\n", m.Task, m.Items, m.Direct.Ms, m.Search.Ms, m.Saved.Ms)
	}
	return b.String()
}

// both are the tokens of a cost without and with reading again.
func both(c cost) string { return thousands(c.Tokens) + " / " + thousands(c.Reread) }

func orNever(uses int) string {
	if uses == 0 {
		return "never"
	}
	return thousands(uses)
}

// thousands is a number with a comma after each three digits.
func thousands(n int) string {
	s := strconv.Itoa(n)
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}

// measureAll measures every task over worlds of some sizes.
func measureAll(ctx context.Context, sizes []int) (*figures, error) {
	f := &figures{}
	list, err := sample.Tasks()
	if err != nil {
		return nil, err
	}
	for i := range list {
		for _, n := range sizes {
			m, err := measureTask(ctx, &list[i], n)
			if err != nil {
				return nil, err
			}
			f.Measures = append(f.Measures, m)
		}
	}
	if f.OwnTools, err = ownTools(ctx); err != nil {
		return nil, err
	}
	f.Killed, err = measureKill(ctx)
	return f, err
}

// ownTools counts the definitions of Patchbay's own tools.
func ownTools(ctx context.Context) (int, error) {
	s, err := open(ctx, 1)
	if err != nil {
		return 0, err
	}
	defer s.close()
	defs, err := definitions(ctx, s.client)
	if err != nil {
		return 0, err
	}
	c := &conversation{}
	c.read(defs)
	return c.context, c.err
}

func writeJSON(file string, f *figures) error {
	b, err := json.MarshalIndent(f, "", "  ")
	if err != nil {
		return err
	}
	return os.WriteFile(file, append(b, '\n'), 0o644) //nolint:gosec // figures are for everybody
}
