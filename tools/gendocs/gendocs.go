package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/patchbay-mcp/patchbay/internal/cli/schemas"
	"github.com/patchbay-mcp/patchbay/internal/sys/files"
)

// referenceDir is where the reference lives in the repository, and rulesDir the
// folder in it that holds nothing but pages of rules.
const (
	referenceDir = "docs"
	rulesDir     = "rules"
)

// write writes the reference into a folder, removes the pages of rules that no
// longer exist, and logs the files.
func write(ctx context.Context, log io.Writer, out, fixtures string) error {
	pages, err := reference(ctx, fixtures)
	if err != nil {
		return err
	}
	for _, p := range pages {
		path := filepath.Join(out, filepath.FromSlash(p.name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			return err
		}
		if err := files.Write(path, []byte(p.text), 0o644); err != nil {
			return err
		}
		fmt.Fprintln(log, "wrote", path)
	}
	stale, err := strayPages(out, pages)
	for _, path := range stale {
		err = errors.Join(err, os.Remove(path))
		fmt.Fprintln(log, "removed", path)
	}
	return err
}

// strayPages are the files among the pages of rules that are not in the reference.
func strayPages(out string, pages []page) ([]string, error) {
	found, err := filepath.Glob(filepath.Join(out, rulesDir, "*.md"))
	return slices.DeleteFunc(found, func(path string) bool {
		return slices.ContainsFunc(pages, func(p page) bool { return filepath.Join(out, filepath.FromSlash(p.name)) == path })
	}), err
}

// A page is one file of the reference.
type page struct{ name, text string }

// reference is the whole reference, the same for the same program and fixtures.
func reference(ctx context.Context, fixtures string) ([]page, error) {
	tools, err := toolsPage(ctx)
	if err != nil {
		return nil, err
	}
	rules, err := rulesPages(fixtures)
	if err != nil {
		return nil, err
	}
	for _, name := range schemas.Names() {
		rules = append(rules, page{"schemas/" + name + ".schema.json", string(schemas.Of(name))})
	}
	return append([]page{
		{"reference/settings.md", settingsPage()},
		{"reference/faults.md", faultsPage()},
		{"reference/nodes.md", nodesPage()},
		{"reference/functions.md", functionsPage()},
		{"reference/idioms.md", idiomsPage()},
		{"reference/guide.md", guidePage()},
		{"reference/tools.md", tools},
		{"reference/cli.md", cliPage()},
		{"reference/limits.md", limitsPage()},
	}, rules...), nil
}

// A writer gathers the Markdown of one page.
type writer struct{ strings.Builder }

// newPage begins a page. The note keeps people from editing what the next run
// would overwrite.
func newPage(title, intro string) *writer {
	w := &writer{}
	w.line("# %s\n", title)
	w.line("<!-- Written by tools/gendocs: change the program, then run make generate. -->\n")
	w.line("%s\n", intro)
	return w
}

func (w *writer) line(format string, args ...any) { fmt.Fprintf(w, format+"\n", args...) }

// prose writes a paragraph. Markdown would take <name> for a tag.
func (w *writer) prose(text string) { w.line("%s\n", strings.ReplaceAll(text, "<", "&lt;")) }

// fence writes a block of text that is shown as it is.
func (w *writer) fence(language, text string) {
	w.line("```%s\n%s\n```\n", language, strings.TrimRight(text, "\n"))
}

// row writes a row of a table. In code, Markdown reads no tags.
func (w *writer) row(cells ...string) {
	for i, c := range cells {
		parts := strings.Split(strings.Join(strings.Fields(strings.ReplaceAll(c, "|", `\|`)), " "), "`")
		for j := 0; j < len(parts); j += 2 {
			parts[j] = strings.ReplaceAll(parts[j], "<", "&lt;")
		}
		cells[i] = strings.Join(parts, "`")
	}
	w.line("| %s |", strings.Join(cells, " | "))
}

// head writes the head of a table.
func (w *writer) head(cells ...string) {
	w.row(cells...)
	w.line("|%s", strings.Repeat("---|", len(cells)))
}

func yesNo(b bool) string {
	if b {
		return "yes"
	}
	return ""
}

// page ends the page.
func (w *writer) page() string { return strings.TrimRight(w.String(), "\n") + "\n" }
