package term

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/run"
)

// Widths of columns.
const (
	MinColumn  = 10 // how narrow a column may become, so that the table fits
	tinyColumn = 6  // how narrow, if it would still not fit
	longColumn = 20 // wider columns are shortened first
)

// A Table is a list with a line for each item, and a header.
type Table struct {
	header []string
	rows   [][]Cell
}

// A Cell is one text of a table. Line breaks in it are shown as spaces.
type Cell struct {
	Text  string
	Style Style
	Right bool // aligned to the right, such as a number
	ID    bool // the ID of a run: a narrow column shows its end, by which commands find the run
}

// NewTable returns a table of columns, without lines.
func NewTable(header ...string) *Table { return &Table{header: header} }

// Add appends a row of cells, texts, and values that become text.
func (t *Table) Add(values ...any) {
	row := make([]Cell, len(values))
	for i, v := range values {
		switch v := v.(type) {
		case Cell:
			row[i] = v
		case string:
			row[i] = Cell{Text: v}
		case int:
			row[i] = Cell{Text: strconv.Itoa(v), Right: true}
		default:
			row[i] = Cell{Text: fmt.Sprint(v)}
		}
		row[i].Text = diag.Visible(diag.OneLine(row[i].Text))
	}
	t.rows = append(t.rows, row)
}

// WriteOr writes the table, or a note that there is nothing to list.
func (t *Table) WriteOr(p *Page, none string) {
	if len(t.rows) == 0 && p.Notes != nil {
		fmt.Fprintln(p.Notes, none)
	}
	t.Write(p)
}

// Write writes the table, no wider than the page. An empty table has no header either.
func (t *Table) Write(p *Page) {
	if len(t.rows) == 0 {
		return
	}
	t.dropEmpty()
	widths := make([]int, len(t.header))
	for i, h := range t.header {
		widths[i] = len(h)
		for _, row := range t.rows {
			widths[i] = max(widths[i], Columns(row[i].Text))
		}
	}
	t.fit(widths, p.Width)
	var head []Cell
	for i, h := range t.header {
		head = append(head, Cell{Text: strings.ToUpper(h), Style: Faint, Right: t.rows[0][i].Right})
	}
	for _, row := range append([][]Cell{head}, t.rows...) {
		var b strings.Builder
		for i, c := range row {
			text := c.cut(widths[i])
			pad := strings.Repeat(" ", max(0, widths[i]-Columns(text)))
			switch {
			case c.Right:
				b.WriteString(pad + p.Paint(c.Style, text))
			case i == len(row)-1:
				b.WriteString(p.Paint(c.Style, text))
			default:
				b.WriteString(p.Paint(c.Style, text) + pad)
			}
			if i < len(row)-1 {
				b.WriteString("  ")
			}
		}
		fmt.Fprintln(p, strings.TrimRight(b.String(), " "))
	}
}

// cut shortens the text of a cell to a width.
func (c Cell) cut(width int) string {
	if c.ID && len(c.Text) > width {
		return run.IDCut + c.Text[len(c.Text)-width+1:]
	}
	return cutColumns(c.Text, width)
}

// dropEmpty removes the columns in which nothing stands.
func (t *Table) dropEmpty() {
	for i := range slices.Backward(t.header) {
		if slices.ContainsFunc(t.rows, func(row []Cell) bool { return row[i].Text != "" }) {
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
func (t *Table) fit(widths []int, width int) {
	if width == 0 {
		return
	}
	over := 2*(len(widths)-1) - width
	for _, w := range widths {
		over += w
	}
	for _, to := range []struct{ long, least int }{{longColumn, MinColumn}, {0, MinColumn}, {0, tinyColumn}} {
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
