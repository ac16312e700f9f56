package serverfile

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/graph"
	"github.com/patchbay-mcp/patchbay/internal/config"
)

// parseJSON reads a client's JSON, which may have comments and commas before brackets.
// What is edited in what it returns applies to the text as it is.
func parseJSON(text string) (graph.Value, error) {
	plain := withoutCommas(config.BlankComments(text))
	if strings.TrimSpace(plain) == "" {
		plain = "{}"
	}
	doc, found := graph.Parse("settings.json", plain)
	switch {
	case doc == nil:
		return graph.Value{}, fmt.Errorf("line %d: %s", found[0].Range.Start.Line, found[0].Message)
	case !doc.Root.Is(graph.Object):
		return graph.Value{}, errors.New("it is not a map")
	}
	return doc.Root, nil
}

// insert adds a member. A comment in the rest of the line belongs to what precedes it: the
// member begins after it.
func insert(text string, fix diag.Fix) (string, error) {
	if len(fix.Edits) != 1 || !strings.HasPrefix(fix.Edits[0].New, ",") {
		return apply(text, fix)
	}
	at, bare := fix.Edits[0].End, config.BlankComments(text)
	eol := at + max(0, strings.IndexByte(bare[at:]+"\n", '\n'))
	if rest := strings.TrimSpace(bare[at:eol]); rest != "" && rest != "," || bare[at:eol] == text[at:eol] {
		return apply(text, fix)
	}
	if open := strings.LastIndex(text[at:eol], "/*"); open >= 0 && !strings.Contains(text[at+open:eol], "*/") {
		return apply(text, fix)
	}
	comma := ","
	if strings.Contains(bare[at:eol], ",") {
		comma = ""
	}
	line := strings.TrimRight(text[at:eol], "\r")
	return text[:at] + comma + line + "\n" + strings.TrimLeft(fix.Edits[0].New[1:], "\r\n") + text[at+len(line):], nil
}

// remove takes a member of a map out, and leaves the comments around it.
func remove(text string, under graph.Value, key string) (string, error) {
	fix, bare := under.Get(key).Remove(""), config.BlankComments(text)
	from, to := under.Key(key).Range().Start.Offset, under.Get(key).Range().End.Offset
	if !slices.ContainsFunc(fix.Edits, func(e diag.TextEdit) bool {
		return e.Start < from && text[e.Start:from] != bare[e.Start:from] || e.End > to && text[to:e.End] != bare[to:e.End]
	}) {
		return apply(text, fix)
	}
	edits := []diag.TextEdit{{Start: from, End: to}}
	if next := to + len(bare[to:]) - len(strings.TrimLeft(bare[to:], " \t\r\n")); strings.HasPrefix(bare[next:], ",") {
		edits = append(edits, diag.TextEdit{Start: next, End: next + 1})
	} else if before := strings.TrimRight(bare[:from], " \t\r\n"); strings.HasSuffix(before, ",") {
		edits = append(edits, diag.TextEdit{Start: len(before) - 1, End: len(before)})
	}
	return diag.ApplyEdits(text, edits), nil
}

// withoutCommas replaces commas before a closing bracket by spaces.
func withoutCommas(text string) string {
	b := []byte(text)
	comma := -1
	for i := 0; i < len(b); i++ {
		switch {
		case b[i] == '"':
			i, comma = closing(b, i), -1
		case b[i] == ',':
			comma = i
		case (b[i] == '}' || b[i] == ']') && comma >= 0:
			b[comma], comma = ' ', -1
		case !strings.ContainsRune(" \t\r\n", rune(b[i])):
			comma = -1
		}
	}
	return string(b)
}

// closing is the index of the quote that ends the string that begins at i.
func closing(b []byte, i int) int {
	for i++; i < len(b) && b[i] != '"'; i++ {
		if b[i] == '\\' {
			i++
		}
	}
	return i
}
