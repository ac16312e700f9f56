package engine

import (
	"cmp"
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/graph"
)

// A form is what a place of a document takes: how a value of another form is reported,
// and how a foreign spelling of the value is read. In its texts {what} names the place,
// {got} is the form of the value, {text} its text, {ours} the value as this format
// writes it, and {short} the beginning of that.
type form struct {
	rule          *diag.Rule
	message, hint string
	ours          func(*Pass, graph.Value) any // nil for a value that is not so spelled
	fix           string                       // its title
	fixHint       string                       // in place of hint where {ours} is known; or ""
}

// respell reports a foreign spelling of what the form takes, and returns the value as
// this format writes it. For any other value it returns nil, without a report.
func (p *Pass) respell(f *form, what string, n *Node, v graph.Value) any {
	if ours := f.ours(p, v); ours != nil {
		return p.reportForm(f, what, n, v, ours)
	}
	return nil
}

// wrongForm is respell for a value that is wrong in any case.
func (p *Pass) wrongForm(f *form, what string, n *Node, v graph.Value) any {
	return p.reportForm(f, what, n, v, f.ours(p, v))
}

func (p *Pass) reportForm(f *form, what string, n *Node, v graph.Value, ours any) any {
	rule, hint := f.rule, f.hint
	if file := fileRules[rule]; file != nil && !p.env.Untrusted {
		rule = file
	}
	whole, short := inline(ours)
	if whole != "" {
		hint = cmp.Or(f.fixHint, hint)
	}
	fill := strings.NewReplacer("{what}", what, "{got}", shape(v), "{text}", strconv.Quote(diag.Cut(v.Text(), 60)), "{ours}", whole, "{short}", short)
	d := p.Report(rule, v, n, "%s", fill.Replace(f.message))
	d.Hint = fill.Replace(hint)
	if ours != nil {
		d.Offer(v.Replace(fill.Replace(f.fix), ours))
	}
	return ours
}

// plainWord is a text that YAML reads as itself, unquoted.
var plainWord = regexp.MustCompile(`^[a-z]+$`)

// inline writes a value for a hint and, cut, for the title of a fix: a text as it is,
// and a text under one key as a YAML map. Other values are too long.
func inline(value any) (whole, short string) {
	switch value := value.(type) {
	case string:
		return value, diag.Cut(diag.OneLine(value), 100)
	case graph.Members:
		text, ok := value[0].Value.(string)
		if !ok || len(value) > 1 {
			break
		}
		whole = yamlQuote(text)
		if plainWord.MatchString(text) {
			whole = text
		}
		return "{" + value[0].Key + ": " + whole + "}", "{" + value[0].Key + ": " + diag.Cut(text, 80) + "}"
	}
	return "", ""
}

// oneMember is a value as the only member of a map.
func oneMember(key string, value any) graph.Members { return graph.Members{{Key: key, Value: value}} }

// changeTo is the fix that puts a text in the place of a value.
func changeTo(v graph.Value, text string) diag.Fix {
	return v.Replace(fmt.Sprintf("change to %q", text), text)
}
