package graph

import (
	"errors"
	"strings"

	"go.yaml.in/yaml/v4"

	"github.com/patchbay-mcp/patchbay/diag"
)

// yamlFault reports the library's error in plainer words, at the place to correct:
// for a bracket or quote that is never closed, where it opens.
func (d *Document) yamlFault(err error, base int, repair bool) diag.List {
	var l diag.List
	le, ok := errors.AsType[*yaml.LoadError](err)
	if !ok {
		l.Report(ruleSyntax, "", d.lines.span(0, 0), "the document is not valid YAML")
		return l
	}
	m := marks{src: d.Src, at: base, line: 1, column: 1}
	context := base
	if le.ContextMark.Line > 0 {
		context = m.offset(le.ContextMark.Line, le.ContextMark.Column)
	}
	at := len(d.Src)
	if le.Mark.Line > 0 {
		at = m.offset(le.Mark.Line, le.Mark.Column)
	}
	if errors.Is(err, errDeep) || strings.Contains(le.Message, errDeep.Error()) {
		reportDeep(&l, "", d.lines.span(at, min(at+1, len(d.Src))))
		return l
	}
	w := d.explain(le, at, context)
	x := l.Report(ruleSyntax, "", d.lines.span(w.from, w.to), "%s", w.message)
	x.Hint = w.hint
	if w.related != "" {
		x.Related = []diag.Related{{Range: d.lines.span(context, min(context+1, len(d.Src))), Message: w.related}}
	}
	if !repair {
		return l
	}
	if fix := d.repair(at, context); len(fix.Edits) > 0 {
		x.Offer(fix)
	}
	return l
}

// what is an explanation of a syntax error.
type what struct {
	from, to      int
	message, hint string
	related       string // what is at the context's place
}

const (
	hintQuote = "put a string that contains it in single quotes, or write it as a | block on the lines below"
	hintTabs  = "indent with spaces: YAML does not allow tabs there"
)

func (d *Document) explain(le *yaml.LoadError, at, context int) what {
	got, width := found(d.Src, at)
	w := what{from: at, to: at + width}
	msg, ctx := le.Message, le.ContextMsg
	has := func(s string) bool { return strings.Contains(msg, s) }
	switch {
	case has("unexpected end of stream"), has("document indicator"):
		w.from, w.to = context, context+1
		w.message = "the quote that starts here is never closed"
		w.hint = "end the string with the same quote; inside single quotes, write a single quote twice"
	case strings.Contains(msg, "tab"), at < len(d.Src) && d.Src[at] == '\t':
		w.message, w.hint = "YAML requires spaces here, not a tab", hintTabs
	case has("cannot start any token"):
		w.message = "an unquoted string cannot start with " + got
		w.hint = hintQuote
	case has("expected ',' or"):
		closing, what := `"]"`, "list"
		if has("'}'") {
			closing, what = `"}"`, "map"
		}
		if at >= len(d.Src) || d.lines.line(at) > d.lines.line(context) && d.column(at) <= d.indentAt(context) {
			w.from, w.to = context, context+1
			w.message = "the bracket that starts here is never closed"
			w.hint = "close it with " + closing + ", or put a string that starts with a bracket in single quotes"
			return w
		}
		w.message = `expected "," or ` + closing + ", found " + got
		w.hint = "inside brackets, a string with brackets, commas or colons needs quotes: put an expression in single quotes, or write it as a | block"
		w.related = "the " + what + " starts here"
	case has("mapping values are not allowed"):
		w.message = `a second ":" where a value was expected`
		w.hint = hintQuote
		if d.lines.line(at) > 0 && !strings.Contains(strings.TrimSpace(d.Src[d.lineStart(at):at]), ": ") {
			w.message = `a key is not expected here`
			w.hint = "give it the same indentation as the keys it belongs with, or put the string above in quotes"
		}
	case has("expected ':'"):
		w.from, w.to = context, d.lineEnd(context)
		w.message = `expected a key with ":" after it`
		w.hint = `write "key: value", or "- " before an item of a list; check the indentation`
	case has("expected '-' indicator"):
		w.message = `expected "-" and another item, found ` + got
		w.hint = "an indented list contains only items; check the indentation"
		w.related = "the list starts here"
	case has("expected key"):
		w.message = "expected a key, found " + got
		w.hint = "keys of one map have the same indentation; quote the whole string if it continues after a closing quote"
		w.related = "the map starts here"
	case has("block sequence entries"):
		w.message = `an item of a list cannot start here`
		w.hint = `put "-" on a line of its own below the key, or put the string in quotes`
	case has("expected node content"):
		w.message = "expected a value, found " + got
		w.hint = hintQuote
	case has("escape"), has("hexadecimal"):
		w.message = "unknown escape in double quotes: " + strings.TrimSpace(stringFault(d.Src, at, got))
		w.hint = `write a backslash as \\, or use single quotes, which have no escapes`
	case has("preceding whitespace"):
		w.message = `a "#" directly follows a value`
		w.hint = "put a space before it to start a comment, or put the string in quotes"
	case has("anchor"):
		w.message = "the YAML alias refers to an anchor that does not exist"
		w.hint = `aliases are not part of the format; put a string that starts with "*" in quotes`
		w.to = d.lineEnd(at)
	case has("YAML document"), has("directive"), strings.Contains(ctx, "directive"):
		w.message, w.hint = "YAML directives are not part of the format", "remove the line"
		w.from, w.to = d.lineStart(at), d.lineEnd(at)
	case has("document start"), has("document-end"):
		w.message, w.hint = "text follows the end of the document", "remove the text, or the marker before it"
	case strings.Contains(ctx, "block scalar"):
		w.message, w.hint = "unexpected "+got+" in the header of a block", "start the string on the line below the | or >"
	case strings.Contains(ctx, "anchor"), strings.Contains(ctx, "alias"):
		w.message, w.hint = "expected a name, found "+got, `put a string that starts with "*" or "&" in quotes`
	case strings.Contains(ctx, "tag"):
		w.message, w.hint = "malformed YAML tag", `put a string that starts with "!" in quotes`
	default:
		w.message = "the document is not valid YAML here: " + msg
	}
	if at > 0 && d.Src[at-1] == '\'' && (has("expected key") || has("expected ',' or")) {
		w.message = "the string ends at the single quote before " + got
		w.hint = "inside single quotes, write a single quote twice, or use double quotes for strings in the expression"
	}
	return w
}

func (d *Document) column(at int) int { return d.lines.column(at) }

// indentAt returns the indentation of at's line.
func (d *Document) indentAt(at int) int {
	start := d.lineStart(at)
	return len(d.Src[start:]) - len(strings.TrimLeft(d.Src[start:], " "))
}
