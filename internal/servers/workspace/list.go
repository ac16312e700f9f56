package workspace

import (
	"cmp"
	"context"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"
	"unicode"
	"unicode/utf16"

	"github.com/patchbay-mcp/patchbay/internal/sys/lists"
)

func entryKind(e fs.DirEntry) string {
	if e.IsDir() {
		return "[DIR]"
	}
	return "[FILE]"
}

// list returns "[FILE] name" and "[DIR] name" lines; a symbolic link is a file.
func (f *folder) list(_ context.Context, a args) (string, error) {
	_, entries, err := f.directory(a.Path)
	if err != nil {
		return "", err
	}
	out := lists.Each(entries, func(e fs.DirEntry) string { return entryKind(e) + " " + e.Name() })
	return strings.Join(out, "\n"), nil
}

// listSizes returns the lines of list with sizes, and totals.
func (f *folder) listSizes(ctx context.Context, a args) (string, error) {
	rel, entries, err := f.directory(a.Path)
	if err != nil {
		return "", err
	}
	type row struct {
		fs.DirEntry
		size int64
	}
	rows := make([]row, len(entries))
	var files, dirs int
	var total int64
	for i, e := range entries {
		if err := ctx.Err(); err != nil {
			return "", err
		}
		rows[i].DirEntry = e
		// A link to nowhere, or to outside, has no size here.
		target, err := path.Join(rel, e.Name()), error(nil)
		if e.Type()&fs.ModeSymlink != 0 {
			target, err = f.resolve(target)
		}
		if err == nil {
			if info, err := f.root.Stat(target); err == nil {
				rows[i].size = info.Size()
			}
		}
		if e.IsDir() {
			dirs++
		} else {
			files++
			total += rows[i].size
		}
	}
	slices.SortStableFunc(rows, func(x, y row) int {
		if a.SortBy == "size" {
			return cmp.Compare(y.size, x.size)
		}
		return collate(x.Name(), y.Name())
	})
	var out strings.Builder
	for _, r := range rows {
		size := ""
		if !r.IsDir() {
			size = fmt.Sprintf("%10s", formatSize(r.size))
		}
		fmt.Fprintf(&out, "%s %s %s\n", entryKind(r), pad(r.Name(), 30), size)
	}
	fmt.Fprintf(&out, "\nTotal: %d files, %d directories\nCombined size: %s", files, dirs, formatSize(total))
	return out.String(), nil
}

// pad fills s with spaces to n UTF-16 units, which is how the npm server counts.
func pad(s string, n int) string {
	return s + strings.Repeat(" ", max(0, n-len(utf16.Encode([]rune(s)))))
}

func formatSize(n int64) string {
	if n < 1024 {
		return fmt.Sprintf("%d B", n)
	}
	size := float64(n)
	units := []string{"B", "KB", "MB", "GB", "TB"}
	i := 0
	for size >= 1024 && i < len(units)-1 {
		size /= 1024
		i++
	}
	return fmt.Sprintf("%.2f %s", size, units[i])
}

// collate orders names as a reader's alphabet does (the Unicode root collation,
// exact for ASCII): punctuation, digits, letters regardless of case; lower case
// before upper where nothing else differs.
func collate(a, b string) int {
	x, y := []rune(a), []rune(b)
	for i := range min(len(x), len(y)) {
		if c := cmp.Compare(rank(x[i]), rank(y[i])); c != 0 {
			return c
		}
	}
	if c := cmp.Compare(len(x), len(y)); c != 0 {
		return c
	}
	for i := range x {
		if x[i] != y[i] {
			if unicode.IsLower(x[i]) {
				return -1
			}
			return 1
		}
	}
	return 0
}

const punctuation = " _-,;:!?.'\"()[]{}@*/\\&#%`^+<=>|~$"

func rank(r rune) rune {
	if i := strings.IndexRune(punctuation, r); i >= 0 {
		return rune(i)
	}
	return unicode.ToLower(r) + rune(len(punctuation))
}
