package drafting

import (
	"cmp"
	"encoding/json"
	"slices"
	"strings"

	"github.com/patchbay-mcp/patchbay/expr"
	"github.com/patchbay-mcp/patchbay/internal/sys/lists"
	"github.com/patchbay-mcp/patchbay/types"
)

const (
	maxTried   = 12  // expressions that are computed for one argument
	maxOthers  = 3   // alternatives that are shown
	maxAffixed = 200 // bytes of a text that is looked for inside an argument
	maxAffix   = 60  // bytes of the argument around it: more was written for this once
)

// A wiring is an expression for an argument, and others that have the same value now.
type wiring struct {
	expr   string
	others []string
	inList bool
}

// wire looks for a value in earlier outputs: in the latest, at a place whose name fits,
// by the shortest path.
func (d *drafter) wire(argument string, v expr.Value) *wiring {
	s := valueStrength(v)
	if s == meaningless {
		return nil
	}
	found := lists.Only(d.out.byValue[canonical(v)], func(p *place) bool { return s == strong && !p.token || namesFit(argument, p.name) })
	slices.SortStableFunc(found, func(a, b *place) int {
		return cmp.Or(
			cmp.Compare(b.node, a.node),
			compareBool(namesFit(argument, b.name), namesFit(argument, a.name)),
			compareBool(a.from != "", b.from != ""),
			cmp.Compare(a.depth, b.depth),
		)
	})
	var w *wiring
	for _, p := range found[:min(len(found), maxTried)] {
		switch {
		case d.secret(p.expr) || !d.has(p.expr, v):
		case w == nil:
			w = &wiring{expr: p.expr, inList: p.inList}
		case len(w.others) < maxOthers:
			w.others = append(w.others, p.expr)
		}
	}
	if text, ok := v.(string); ok && w == nil && s == strong {
		return d.affixed(text)
	}
	return w
}

// compareBool orders false before true.
func compareBool(a, b bool) int {
	switch {
	case a == b:
		return 0
	case b:
		return -1
	}
	return 1
}

// affixed looks for a text that has one of an earlier output inside, between text that
// stays the same: the longest of the latest.
func (d *drafter) affixed(text string) *wiring {
	var best *place
	var at int
	for _, p := range d.out.texts {
		inside := p.value.(string)
		i := strings.Index(text, inside)
		if i < 0 || len(text)-len(inside) > maxAffix || !bounded(text, i, i+len(inside)) {
			continue
		}
		if best == nil || len(inside) > len(best.value.(string)) || len(inside) == len(best.value.(string)) && p.node > best.node {
			best, at = p, i
		}
	}
	if best == nil {
		return nil
	}
	inside := best.value.(string)
	if strings.ContainsAny(text[:at]+text[at+len(inside):], "\n\r") {
		return nil // written for this once
	}
	e, ok := d.join(text[:at], best.expr, text[at+len(inside):])
	if !ok || !d.has(e, text) {
		return nil
	}
	return &wiring{expr: e, inList: best.inList}
}

// bounded reports whether a part of a text is not a part of a word.
func bounded(text string, from, to int) bool {
	return (from == 0 || !wordByte(text[from-1]) || !wordByte(text[from])) && (to == len(text) || !wordByte(text[to]) || !wordByte(text[to-1]))
}

func wordByte(b byte) bool {
	return b >= '0' && b <= '9' || b >= 'a' && b <= 'z' || b >= 'A' && b <= 'Z' || b >= 0x80
}

// join is an expression between two texts; ok is false where these have a secret.
func (d *drafter) join(before, of, after string) (e string, ok bool) {
	var list []string
	for _, affix := range []string{before, of, after} {
		switch {
		case affix == of:
			list = append(list, of)
		case affix != "":
			list = append(list, d.affix(affix)...)
		}
	}
	e = strings.Join(list, " & ")
	return e, !d.secret(e)
}

// affix is a text as operands of a concatenation: the value of an input where it is one,
// and else the text.
func (d *drafter) affix(text string) []string {
	for _, in := range d.inputs {
		given, ok := in.value.(string)
		if !ok || len(given) < 2 {
			continue
		}
		if before, rest, found := strings.Cut(text, given); found && len(before)+len(rest) <= 1 {
			var list []string
			if before != "" {
				list = append(list, types.QuoteString(before))
			}
			list = append(list, in.expr())
			if rest != "" {
				list = append(list, types.QuoteString(rest))
			}
			return list
		}
	}
	return []string{types.QuoteString(text)}
}

// secret reports whether an expression would write a secret into the graph.
func (d *drafter) secret(e string) bool { return d.o.Secret != nil && d.o.Secret(e) }

// isChoice reports whether a value is one of few that a schema allows, which an author
// chooses and does not read from somewhere.
func isChoice(raw json.RawMessage) bool {
	var s struct {
		Enum  []json.RawMessage `json:"enum"`
		Const json.RawMessage   `json:"const"`
	}
	return json.Unmarshal(raw, &s) == nil && (len(s.Enum) > 0 || len(s.Const) > 0)
}
