package schema

import (
	"encoding/json"
	"math"
	"math/big"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/patchbay-mcp/patchbay/internal/regex"
)

// formats has a value for each format of JSON Schema that strings are given.
var formats = map[string]string{
	"date-time": "2025-01-01T00:00:00Z", "date": "2025-01-01", "time": "00:00:00Z", "duration": "PT1S",
	"email": "someone@example.com", "idn-email": "someone@example.com", "hostname": "example.com",
	"uri": "https://example.com/", "url": "https://example.com/", "iri": "https://example.com/", "uri-reference": "/",
	"uuid": "00000000-0000-0000-0000-000000000000", "ipv4": "127.0.0.1", "ipv6": "::1", "regex": ".*", "json-pointer": "",
}

// number is the smallest number allowed, or 0 where it is allowed and there is no
// smallest.
func (m *maker) number(n *Node, integer bool) json.RawMessage {
	least := rational(n.Get("minimum"))
	if least != nil && (!integer || least.IsInt()) && n.Get("multipleOf") == nil && n.Get("exclusiveMinimum") == nil {
		return n.Get("minimum").raw
	}
	m.unsure = m.unsure || least != nil
	if x := rational(n.Get("exclusiveMinimum")); x != nil {
		m.unsure = true
		if x = new(big.Rat).Add(x, big.NewRat(1, 1)); least == nil || x.Cmp(least) > 0 {
			least = x
		}
	}
	if most := rational(n.Get("maximum")); least == nil && most != nil && most.Sign() < 0 {
		m.unsure = true
		least = most
	}
	if most := rational(n.Get("exclusiveMaximum")); least == nil && most != nil && most.Sign() <= 0 {
		m.unsure = true
		least = new(big.Rat).Sub(most, big.NewRat(1, 1))
	}
	if least == nil {
		return json.RawMessage(`0`)
	}
	step := rational(n.Get("multipleOf"))
	if step == nil && integer {
		step = big.NewRat(1, 1)
	}
	if step != nil && step.Sign() > 0 {
		least = roundUp(least, step)
	}
	if least.IsInt() {
		return json.RawMessage(least.Num().String())
	}
	f, _ := least.Float64()
	if math.IsInf(f, 0) {
		return json.RawMessage(`0`)
	}
	return json.RawMessage(strconv.FormatFloat(f, 'g', -1, 64))
}

// roundUp returns the smallest multiple of step that is at least x.
func roundUp(x, step *big.Rat) *big.Rat {
	count := new(big.Rat).Quo(x, step)
	whole := new(big.Int).Div(count.Num(), count.Denom())
	if !count.IsInt() {
		whole.Add(whole, big.NewInt(1))
	}
	return new(big.Rat).Mul(new(big.Rat).SetInt(whole), step)
}

// rational reads a number of moderate size; nil for anything else. 1e999999999
// would be spelled out.
func rational(n *Node) *big.Rat {
	text := string(n.Raw())
	if text == "" || len(text) > 40 || text[0] != '-' && (text[0] < '0' || text[0] > '9') {
		return nil
	}
	if e := strings.IndexAny(text, "eE"); e >= 0 {
		if x, err := strconv.Atoi(text[e+1:]); err != nil || x > 300 || x < -300 {
			return nil
		}
	}
	r, ok := new(big.Rat).SetString(text)
	if !ok {
		return nil
	}
	return r
}

// text makes a string: by pattern, by format, a path where the name asks for one,
// else an ellipsis.
func (m *maker) text(n *Node, name string) string {
	text := "…"
	if v, ok := formats[n.Get("format").Text()]; ok {
		text = v
	} else if isPathName(name) {
		text = "."
	}
	if pattern := n.Get("pattern").Text(); pattern != "" {
		m.unsure = true
		if match, ok := regex.Match(pattern); ok {
			text = match
		}
	}
	if missing := n.Get("minLength").count() - utf8.RuneCountInString(text); missing > 0 {
		m.unsure = true
		text += strings.Repeat("…", min(missing, max(0, maxSampleBytes-m.bytes)/len("…")))
	}
	if most := n.Get("maxLength"); most != nil && utf8.RuneCountInString(text) > most.count() {
		m.unsure = true
		text = string([]rune(text)[:most.count()])
	}
	return text
}

func isPathName(name string) bool {
	switch lower := strings.ToLower(name); lower {
	case "path", "dir", "directory", "folder":
		return true
	default:
		return strings.HasSuffix(lower, "_path") || strings.HasSuffix(name, "Path")
	}
}
