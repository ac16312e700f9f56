package main

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/patchbay-mcp/patchbay/tools/value/sample"
)

// figures are what one run of this program measures.
type figures struct {
	Measures []*measure
	Written  []written
	Killed   *killed
}

// replaceBetween replaces what stands between two lines of a page.
func replaceBetween(file, mark, text string) error {
	old, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	begin, end := "<!-- "+mark+": written by go run ./tools/value -write -->\n", "<!-- /"+mark+" -->\n"
	before, rest, ok := strings.Cut(string(old), begin)
	_, after, closed := strings.Cut(rest, end)
	if !ok || !closed {
		return fmt.Errorf("%s has no place for the figures of %s", file, mark)
	}
	return os.WriteFile(file, []byte(before+begin+"\n"+text+"\n"+end+after), 0o644) //nolint:gosec // a page is for everybody
}

// replaceRows replaces the rows of a page that begin with the same cell.
func replaceRows(file, rows string) error {
	old, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	lines := strings.SplitAfter(string(old), "\n")
	for row := range strings.Lines(rows) {
		cell, _, _ := strings.Cut(row[2:], " |")
		i := slices.IndexFunc(lines, func(line string) bool { return strings.HasPrefix(line, "| "+cell+" |") })
		if i < 0 {
			return fmt.Errorf("%s has no row %q", file, cell)
		}
		lines[i] = row
	}
	return os.WriteFile(file, []byte(strings.Join(lines, "")), 0o644) //nolint:gosec // a page is for everybody
}

// write puts the figures into the pages of the repository.
func (f *figures) write(root string) error {
	page := filepath.Join(root, "docs", "measured", "value.md")
	return cmp.Or(replaceRows(filepath.Join(root, "README.md"), f.summary()), replaceBetween(page, "value", f.table()), replaceBetween(page, "written", f.written()), replaceBetween(page, "times", f.times()))
}

// summary is the measured rows of the table of the first page.
func (f *figures) summary() string {
	i := slices.IndexFunc(f.Measures, func(m *measure) bool { return m.Task == "find_todos" && m.Items == 100 })
	m, k := f.Measures[i], f.Killed
	return fmt.Sprintf("| tokens, each use | %s | %s | %s |\n", thousands(m.Direct.Tokens), thousands(m.Script.Tokens), thousands(m.Saved.Tokens)) +
		fmt.Sprintf("| tokens to make it, once | 0 | 0 | %s |\n", thousands(m.Author.Tokens)) +
		fmt.Sprintf("| costs least | never | up to %d uses | from use %d |\n", m.BeatsScript-1, m.BeatsScript) +
		fmt.Sprintf("| %d writes, killed at %d and started again: made twice | not measured | %d | %d |\n", k.Writes, killedAt, k.Script, k.Saved)
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

// written is what it costs to author each task as a graph and as a function.
func (f *figures) written() string {
	var b strings.Builder
	b.WriteString("| task | text: graph, function | with checks and save | whole session | calls |\n|---|--:|--:|--:|--:|\n")
	pair := func(graph, code int) string {
		return fmt.Sprintf("%s, %s (%.2f)", thousands(graph), thousands(code), float64(code)/float64(graph))
	}
	row := func(w written) {
		fmt.Fprintf(&b, "| %s | %s | %s | %s | %d, %d |\n", w.Task, pair(w.GraphText, w.CodeText), pair(w.GraphChecks, w.CodeChecks), pair(w.Graph.Tokens, w.Code.Tokens), w.Graph.Calls, w.Code.Calls)
	}
	sum := written{Task: "all"}
	for _, w := range f.Written {
		row(w)
		sum.GraphText, sum.GraphChecks, sum.Graph.Tokens, sum.Graph.Calls = sum.GraphText+w.GraphText, sum.GraphChecks+w.GraphChecks, sum.Graph.Tokens+w.Graph.Tokens, sum.Graph.Calls+w.Graph.Calls
		sum.CodeText, sum.CodeChecks, sum.Code.Tokens, sum.Code.Calls = sum.CodeText+w.CodeText, sum.CodeChecks+w.CodeChecks, sum.Code.Tokens+w.Code.Tokens, sum.Code.Calls+w.Code.Calls
	}
	row(sum)
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
		w, err := write(ctx, &list[i])
		if err != nil {
			return nil, err
		}
		f.Written = append(f.Written, w)
	}
	f.Killed, err = measureKill(ctx)
	return f, err
}
