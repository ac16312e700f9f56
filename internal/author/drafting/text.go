package drafting

import (
	"regexp"
	"strconv"
	"strings"
	"sync"

	"github.com/patchbay-mcp/patchbay/expr"
	"github.com/patchbay-mcp/patchbay/internal/sys/lists"
)

var (
	labelled = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^\s*([A-Za-z][\w .-]{0,40}): +(\S.*)$`) })
	numbered = regexp.MustCompile(`(?:([A-Za-z]+)\W{0,3})?#?\b(\d+)\b`)
	linked   = regexp.MustCompile(`https?:\/\/` + linkRest)
)

// linkRest is a pattern for a link after its scheme, without the period of a sentence.
const linkRest = `[\w\/?=&%#~:@+.-]*[\w\/]`

// text adds what is in a text: the members of a JSON text, its lines, and in them what
// follows a label, a mark or a blank.
func (o *outputs) text(p place, text string) {
	if t := strings.TrimSpace(text); strings.HasPrefix(t, "{") || strings.HasPrefix(t, "[") {
		if v, err := expr.Decode([]byte(text)); err == nil {
			o.walk(place{expr: "$eval(" + p.expr + ")", value: v, name: p.name, node: p.node, depth: p.depth, inList: p.inList})
			return
		}
	}
	if link := linked.FindString(text); link != "" && link != text {
		o.put(place{expr: "$match(" + p.expr + `, /https?:\/\/` + linkRest + `/)[0].match`, value: link, name: "url", node: p.node, depth: p.depth, from: p.expr, inList: p.inList})
	}
	lines := strings.Split(text, "\n")
	if len(lines) == 1 && !marked.MatchString(text) {
		p.from = p.expr
		o.line(p, text)
		return
	}
	all := call("split", p.expr, "\n")
	if len(o.lists) < maxLists {
		items := lists.Each(lines, func(line string) any { return line })
		o.lists = append(o.lists, &list{expr: all, items: items, node: p.node})
	}
	at := p
	for i, line := range lines[:min(len(lines), maxListed)] {
		p := at
		p.from, p.expr, p.value, p.inList = p.expr+"#"+strconv.Itoa(i), item(all, i), line, true
		if label := lineLabel(line); label != "" && strings.Index(text, label+": ") == strings.Index(text, line)+strings.Index(line, label) {
			after := call("substringAfter", at.expr, label+": ")
			p := p
			p.expr, p.value, p.name, p.inList = call("substringBefore", after, "\n"), strings.TrimPrefix(strings.TrimSpace(line), label+": "), label, at.inList
			o.put(p)
		}
		o.put(p)
		o.line(p, line)
	}
}

// line adds the parts of a line.
func (o *outputs) line(p place, line string) {
	at := p.expr
	for _, part := range parts {
		value, ok := part.of(line)
		if !ok {
			continue
		}
		p := p
		p.expr, p.value, p.token = part.expr(at), value, part.token
		if label := lineLabel(line); label != "" {
			p.name = label
		}
		p.depth++
		o.put(p)
	}
	if m := numbered.FindStringSubmatch(line); len(m) == 3 && len(m[2]) <= maxDigits {
		n, _ := strconv.ParseFloat(m[2], 64)
		p.expr, p.value, p.name, p.depth = `$number($match(`+at+`, /\b\d+\b/)[0].match)`, n, m[1], p.depth+1
		o.put(p)
	}
}

// maxDigits is how many digits a float64 keeps.
const maxDigits = 15

// lineLabel is what is before the first colon of a line like "Author: Ada", or "".
func lineLabel(line string) string {
	if m := labelled().FindStringSubmatch(line); len(m) == 3 {
		return m[1]
	}
	return ""
}

// A part is a way to read a part of a line: what is before or after the first mark.
type part struct {
	before bool
	mark   string
	token  bool // what is read may be any word
}

// parts are the ways to read a part of a line.
var parts = []part{
	{mark: "] "},
	{mark: ": "},
	{mark: "\t"},
	{mark: " - "},
	{mark: "- "},
	{mark: "=", token: true},
	{mark: " ", token: true},
	{before: true, mark: ": "},
	{before: true, mark: ":"},
	{before: true, mark: "\t"},
	{before: true, mark: ","},
	{before: true, mark: " - "},
	{before: true, mark: " (", token: true},
	{before: true, mark: " ", token: true},
}

func (t part) of(line string) (string, bool) {
	before, after, found := strings.Cut(line, t.mark)
	if !t.before {
		before = after
	}
	return before, found && before != ""
}

func (t part) expr(of string) string {
	if t.before {
		return call("substringBefore", of, t.mark)
	}
	return call("substringAfter", of, t.mark)
}
