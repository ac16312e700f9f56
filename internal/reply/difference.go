package reply

import (
	"encoding/json"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/internal/sys/plainjson"
)

// A ValueDifference is the first place at which two JSON values differ.
type ValueDifference struct {
	At   string          `json:"at"`             // JSON Pointer; "" is the whole value
	Want json.RawMessage `json:"want,omitempty"` // nothing if only Got has the place
	Got  json.RawMessage `json:"got,omitempty"`  // nothing if only Want has it
}

// maxDifference is how many bytes of each value a difference shows.
const maxDifference = 500

// FirstDifference compares JSON values as tests do; nil says that they are the same.
func FirstDifference(want, got json.RawMessage) *ValueDifference {
	x, errX := DecodeExactly(want)
	y, errY := DecodeExactly(got)
	if errX != nil || errY != nil {
		return &ValueDifference{Want: Shown(want), Got: Shown(got)}
	}
	return differenceAt("", x, y)
}

// differenceAt compares decoded values that are at a place.
func differenceAt(at string, want, got any) *ValueDifference {
	if sameValue(want, got) {
		return nil
	}
	switch want := want.(type) {
	case map[string]any:
		if got, ok := got.(map[string]any); ok {
			return memberDifference(at, want, got)
		}
	case []any:
		if got, ok := got.([]any); ok {
			return itemDifference(at, want, got)
		}
	}
	return &ValueDifference{At: at, Want: EncodedValue(want), Got: EncodedValue(got)}
}

func memberDifference(at string, want, got map[string]any) *ValueDifference {
	keys := slices.AppendSeq(slices.Collect(maps.Keys(want)), maps.Keys(got))
	slices.Sort(keys)
	for _, key := range slices.Compact(keys) {
		w, wanted := want[key]
		g, there := got[key]
		place := at + "/" + strings.NewReplacer("~", "~0", "/", "~1").Replace(key)
		switch {
		case !there:
			return &ValueDifference{At: place, Want: EncodedValue(w)}
		case !wanted:
			return &ValueDifference{At: place, Got: EncodedValue(g)}
		}
		if d := differenceAt(place, w, g); d != nil {
			return d
		}
	}
	return nil
}

func itemDifference(at string, want, got []any) *ValueDifference {
	for i := range max(len(want), len(got)) {
		place := at + "/" + strconv.Itoa(i)
		switch {
		case i >= len(got):
			return &ValueDifference{At: place, Want: EncodedValue(want[i])}
		case i >= len(want):
			return &ValueDifference{At: place, Got: EncodedValue(got[i])}
		}
		if d := differenceAt(place, want[i], got[i]); d != nil {
			return d
		}
	}
	return nil
}

// EncodedValue is a decoded value as a difference shows it.
func EncodedValue(v any) json.RawMessage { return Shown(EncodedWhole(v)) }

// EncodedWhole is the JSON of a decoded value, with the keys in order.
func EncodedWhole(v any) json.RawMessage {
	b, err := plainjson.Marshal(v)
	if err != nil {
		return nil
	}
	return b
}

// Shown is a value as a difference shows it.
func Shown(v json.RawMessage) json.RawMessage {
	if len(v) == 0 {
		return nil
	}
	return diag.CutJSON(v, maxDifference)
}

// String says where the values differ, in a line.
func (d *ValueDifference) String() string {
	where := ""
	if d.At != "" {
		where = " at " + d.At
	}
	return "differs" + where + ": want " + InLine(d.Want) + ", got " + InLine(d.Got)
}

// InLine is a value as a line shows it.
func InLine(v json.RawMessage) string {
	if len(v) == 0 {
		return "nothing"
	}
	return diag.Cut(string(v), 80)
}

// SameJSON compares values: the order of keys and the notation of numbers do not matter.
func SameJSON(a, b json.RawMessage) bool {
	x, errX := DecodeExactly(a)
	y, errY := DecodeExactly(b)
	return errX == nil && errY == nil && sameValue(x, y)
}

// DecodeExactly decodes JSON with the digits of its numbers.
func DecodeExactly(b json.RawMessage) (v any, err error) {
	err = plainjson.Decode(b, &v)
	return v, err
}

func sameValue(a, b any) bool {
	switch a := a.(type) {
	case map[string]any:
		b, ok := b.(map[string]any)
		if !ok || len(a) != len(b) {
			return false
		}
		for key, v := range a {
			if other, ok := b[key]; !ok || !sameValue(v, other) {
				return false
			}
		}
		return true
	case []any:
		b, ok := b.([]any)
		if !ok || len(a) != len(b) {
			return false
		}
		for i := range a {
			if !sameValue(a[i], b[i]) {
				return false
			}
		}
		return true
	case json.Number:
		b, ok := b.(json.Number)
		return ok && (a == b || (strings.ContainsAny(string(a+b), ".eE") && sameFloat(a, b)))
	}
	return a == b
}

func sameFloat(a, b json.Number) bool {
	x, errX := strconv.ParseFloat(string(a), 64)
	y, errY := strconv.ParseFloat(string(b), 64)
	return errX == nil && errY == nil && x == y
}
