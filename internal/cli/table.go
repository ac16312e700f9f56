package cli

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/run"
)

const (
	minColumn  = 10 // how narrow a column may become, so that the table fits
	tinyColumn = 6  // how narrow, if it would still not fit
	longColumn = 20 // wider columns are shortened first
)

// A table is a list with a line for each item, and a header.
type table struct {
	header []string
	rows   [][]cell
}

// A cell is one text of a table. Line breaks in it are shown as spaces.
type cell struct {
	text  string
	style style
	right bool // aligned to the right, such as a number
	id    bool // of a run: its end, as a handle, where there is no room for all
}

func newTable(header ...string) *table { return &table{header: header} }

// add appends a row of cells, texts, and values that become text.
func (t *table) add(values ...any) {
	row := make([]cell, len(values))
	for i, v := range values {
		switch v := v.(type) {
		case cell:
			row[i] = v
		case string:
			row[i] = cell{text: v}
		case int:
			row[i] = cell{text: strconv.Itoa(v), right: true}
		default:
			row[i] = cell{text: fmt.Sprint(v)}
		}
		row[i].text = diag.Visible(diag.OneLine(row[i].text))
	}
	t.rows = append(t.rows, row)
}

// writeOr writes the table, or a note that there is nothing to list.
func (t *table) writeOr(p *page, none string) {
	if len(t.rows) == 0 && p.notes != nil {
		fmt.Fprintln(p.notes, none)
	}
	t.write(p)
}

// write writes the table, no wider than the page. An empty table has no header either.
func (t *table) write(p *page) {
	if len(t.rows) == 0 {
		return
	}
	t.dropEmpty()
	widths := make([]int, len(t.header))
	for i, h := range t.header {
		widths[i] = len(h)
		for _, row := range t.rows {
			widths[i] = max(widths[i], columns(row[i].text))
		}
	}
	t.fit(widths, p.width)
	var head []cell
	for i, h := range t.header {
		head = append(head, cell{text: strings.ToUpper(h), style: faint, right: t.rows[0][i].right})
	}
	for _, row := range append([][]cell{head}, t.rows...) {
		var b strings.Builder
		for i, c := range row {
			text := c.cut(widths[i])
			pad := strings.Repeat(" ", max(0, widths[i]-columns(text)))
			switch {
			case c.right:
				b.WriteString(pad + p.paint(c.style, text))
			case i == len(row)-1:
				b.WriteString(p.paint(c.style, text))
			default:
				b.WriteString(p.paint(c.style, text) + pad)
			}
			if i < len(row)-1 {
				b.WriteString("  ")
			}
		}
		fmt.Fprintln(p, strings.TrimRight(b.String(), " "))
	}
}

// cut shortens the text of a cell to a width.
func (c cell) cut(width int) string {
	if c.id && len(c.text) > width {
		return run.IDCut + c.text[len(c.text)-width+1:]
	}
	return cutColumns(c.text, width)
}

// dropEmpty removes the columns in which nothing stands.
func (t *table) dropEmpty() {
	for i := range slices.Backward(t.header) {
		if slices.ContainsFunc(t.rows, func(row []cell) bool { return row[i].text != "" }) {
			continue
		}
		t.header = slices.Delete(t.header, i, i+1)
		for n := range t.rows {
			t.rows[n] = slices.Delete(t.rows[n], i, i+1)
		}
	}
}

// fit shortens columns until the table is at most width columns wide: the long ones,
// from the last to the first, because what names an item comes first; then all; then all again.
func (t *table) fit(widths []int, width int) {
	if width == 0 {
		return
	}
	over := 2*(len(widths)-1) - width
	for _, w := range widths {
		over += w
	}
	for _, to := range []struct{ long, least int }{{longColumn, minColumn}, {0, minColumn}, {0, tinyColumn}} {
		for i := range slices.Backward(widths) {
			if over <= 0 || widths[i] <= to.long {
				continue
			}
			cut := min(over, max(0, widths[i]-to.least))
			widths[i] -= cut
			over -= cut
		}
	}
}
