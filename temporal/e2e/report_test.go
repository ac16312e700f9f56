package e2e_test

import (
	"fmt"
	"os"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"time"
)

// A table is a part of docs/measured/temporal.md that tests write.
type table struct {
	name, head string
	rows       []string
}

var (
	faults  = &table{name: "what became of the runs", head: "| what happens | calls | made again, in flight | made again after their completion | the run | of |\n|---|---|---|---|---|---|\n"}
	figures = &table{name: "figures", head: "| runtime | runs/s of a graph of three nodes | ms per call of a chain of calls | of |\n|---|---|---|---|\n"}
)

// record adds a row to a table. The first cell names it. The last one is the date, and how
// many processes waited for a processor where the system says so.
func (t *table) record(cells ...string) {
	when := time.Now().UTC().Format("2 January 2006")
	if b, err := os.ReadFile("/proc/loadavg"); err == nil {
		load, _, _ := strings.Cut(string(b), " ")
		when += ", load " + load
	}
	cells = append(cells, when)
	t.rows = append(t.rows, "| "+strings.Join(cells, " | ")+" |")
}

func (c counts) cells() []string {
	return []string{strconv.Itoa(c.made), strconv.Itoa(c.again), strconv.Itoa(c.completed)}
}

// report prints the rows that tests recorded and, if asked to, puts them into the page,
// where each takes the place of the earlier row of its name.
func report() error {
	const page = "../../docs/measured/temporal.md"
	text, err := os.ReadFile(page)
	if err != nil {
		return err
	}
	for _, t := range []*table{faults, figures} {
		if len(t.rows) == 0 {
			continue
		}
		fmt.Printf("%s%s\n(%d processors)\n", t.head, strings.Join(t.rows, "\n"), runtime.NumCPU())
		begin, end := "<!-- "+t.name+": written by make e2e -->\n", "<!-- end of "+t.name+" -->"
		before, rest, ok := strings.Cut(string(text), begin)
		old, after, closed := strings.Cut(rest, end)
		if !ok || !closed {
			return fmt.Errorf("%s has no place for %s", page, t.name)
		}
		text = []byte(before + begin + "\n" + t.head + strings.Join(t.merged(old), "\n") + "\n\n" + end + after)
	}
	if !*write {
		return nil
	}
	return os.WriteFile(page, text, 0o644)
}

// merged are the rows of the page with those that were recorded.
func (t *table) merged(old string) (rows []string) {
	for line := range strings.Lines(strings.TrimPrefix(strings.TrimSpace(old), strings.TrimSpace(t.head))) {
		if line = strings.TrimSpace(line); line != "" {
			rows = append(rows, line)
		}
	}
	for _, row := range t.rows {
		i := slices.IndexFunc(rows, func(line string) bool { return cell(line) == cell(row) })
		if i < 0 {
			rows = append(rows, row)
		} else {
			rows[i] = row
		}
	}
	return rows
}

// cell is the first cell of a row.
func cell(row string) string {
	first, _, _ := strings.Cut(strings.TrimPrefix(row, "| "), " | ")
	return first
}
