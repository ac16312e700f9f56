package schema

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/santhosh-tekuri/jsonschema/v6/kind"
	"golang.org/x/text/language"
	"golang.org/x/text/message"

	"github.com/patchbay-mcp/patchbay/diag"
)

var printer = message.NewPrinter(language.English)

// maxMismatches is the number of mismatches of one value that are reported.
const maxMismatches = 200

// A Mismatch is one way in which a value does not satisfy a schema.
type Mismatch struct {
	Path    []string // where, within the value
	Keyword string   // the schema keyword that failed: required, type, enum, …
	Message string   // one lower-case sentence
	Names   []string // the properties a required or additionalProperties fault is about
	Got     any
	Want    any
}

// Pointer is the JSON Pointer of the mismatch within the value.
func (m *Mismatch) Pointer() string { return diag.Pointer(m.Path) }

// Check is [Schema.CheckValue] for JSON text.
func (s *Schema) Check(instance []byte) []Mismatch {
	v, err := jsonschema.UnmarshalJSON(bytes.NewReader(instance))
	if err != nil && s != nil && s.Err() == nil {
		return []Mismatch{{Keyword: "type", Message: "the value is not JSON: " + err.Error()}}
	}
	return s.CheckValue(v)
}

// CheckValue returns the mismatches of a value, in the order of the schema, up to a limit.
// The value has the types of encoding/json, its numbers are of type json.Number. Faults of
// the schema itself are not the value's: an unusable schema accepts everything. A value that
// is too expensive to validate is a mismatch.
func (s *Schema) CheckValue(v any) []Mismatch {
	if s == nil || s.Err() != nil {
		return nil
	}
	err := s.compiled.validate(v)
	if err == nil {
		return nil
	}
	if e, ok := errors.AsType[*jsonschema.ValidationError](err); ok {
		return flatten(e, v)
	}
	if r, ok := errors.AsType[*refusal](err); ok {
		return []Mismatch{{Path: r.Path, Keyword: "limit", Message: r.Message}}
	}
	return []Mismatch{{Keyword: "type", Message: err.Error()}}
}

func flatten(e *jsonschema.ValidationError, root any) []Mismatch {
	switch e.ErrorKind.(type) {
	case *kind.AnyOf, *kind.OneOf:
		return alternatives(e, root)
	}
	if len(e.Causes) > 0 {
		var all []Mismatch
		for _, c := range e.Causes {
			if all = append(all, flatten(c, root)...); len(all) >= maxMismatches {
				return all[:maxMismatches]
			}
		}
		return all
	}
	return []Mismatch{leaf(e, root)}
}

// alternatives reports a failed anyOf or oneOf: the types it would have taken
// when that is all there is to say, else the faults of the branch that came
// furthest. A branch that a property of the value has not chosen, such as kind, is not meant.
func alternatives(e *jsonschema.ValidationError, root any) []Mismatch {
	if one, ok := e.ErrorKind.(*kind.OneOf); ok && len(one.Subschemas) > 0 {
		return []Mismatch{{Path: e.InstanceLocation, Keyword: "oneOf", Message: "the value fits more than one of the alternatives, exactly one is allowed", Got: at(root, e.InstanceLocation)}}
	}
	var best []Mismatch
	var types []string
	var tags []any
	tagged := true // best is not meant
	for _, c := range e.Causes {
		branch := flatten(c, root)
		if len(branch) == 0 {
			continue
		}
		if t, ok := branch[0].Want.(string); ok && branch[0].Keyword == "type" && len(branch[0].Path) == len(e.InstanceLocation) {
			types = append(types, t)
			continue
		}
		tag := slices.IndexFunc(branch, func(m Mismatch) bool {
			return (m.Keyword == "const" || m.Keyword == "not") && len(m.Path) == len(e.InstanceLocation)+1
		})
		if tag >= 0 {
			tags, branch = append(tags, branch[tag].Want), branch[tag:tag+1]
		}
		if len(best) == 0 || tagged && tag < 0 || tagged == (tag >= 0) && len(branch[0].Path) > len(best[0].Path) {
			best, tagged = branch, tag >= 0
		}
	}
	if tagged && len(tags) > 1 {
		best[0].Message = fmt.Sprintf("got %s, expected one of %s", compact(best[0].Got), CompactAll(tags))
	}
	if best != nil {
		return best
	}
	got := at(root, e.InstanceLocation)
	return []Mismatch{{Path: e.InstanceLocation, Keyword: "type", Message: fmt.Sprintf("got %s, expected %s", typeName(got), strings.Join(types, " or ")), Got: got, Want: strings.Join(types, " or ")}}
}

func leaf(e *jsonschema.ValidationError, root any) Mismatch {
	m := Mismatch{Path: e.InstanceLocation, Got: at(root, e.InstanceLocation)}
	if k := e.ErrorKind.KeywordPath(); len(k) > 0 {
		m.Keyword = k[0]
	}
	switch k := e.ErrorKind.(type) {
	case *kind.Required:
		m.Names, m.Got = k.Missing, nil
		m.Message = "missing " + QuoteAll(k.Missing)
	case *kind.AdditionalProperties:
		m.Names, m.Got = k.Properties, nil
		m.Message = "unknown " + QuoteAll(k.Properties)
	case *kind.Type:
		m.Want = strings.Join(k.Want, " or ")
		m.Message = fmt.Sprintf("got %s, expected %s", k.Got, m.Want)
	case *kind.Enum:
		m.Want = k.Want
		m.Message = fmt.Sprintf("got %s, expected one of %s", compact(m.Got), CompactAll(k.Want))
	case *kind.Const:
		m.Want = k.Want
		m.Message = fmt.Sprintf("got %s, expected %s", compact(m.Got), compact(k.Want))
	case *kind.Pattern:
		m.Want = k.Want
		m.Message = fmt.Sprintf("got %s, which does not match the pattern %s", compact(m.Got), k.Want)
	case *kind.Minimum:
		m.Message = fmt.Sprintf("got %s, expected at least %s", compact(m.Got), k.Want.RatString())
	case *kind.Maximum:
		m.Message = fmt.Sprintf("got %s, expected at most %s", compact(m.Got), k.Want.RatString())
	case *kind.Not:
		m.Keyword, m.Message = "not", fmt.Sprintf("got %s, which is excluded here", compact(m.Got))
	case *kind.FalseSchema:
		m.Message = "no value is allowed here"
	default:
		m.Message = strings.TrimSpace(e.ErrorKind.LocalizedString(printer))
	}
	return m
}

// at returns the value at path within a decoded JSON value.
func at(v any, path []string) any {
	for _, p := range path {
		switch t := v.(type) {
		case map[string]any:
			v = t[p]
		case []any:
			i, err := strconv.Atoi(p)
			if err != nil || i >= len(t) {
				return nil
			}
			v = t[i]
		}
	}
	return v
}

func typeName(v any) string {
	switch v.(type) {
	case nil:
		return "null"
	case bool:
		return "boolean"
	case json.Number, float64:
		return "number"
	case string:
		return "string"
	case []any:
		return "array"
	}
	return "object"
}

// MaxShown is how many bytes of a value a fault shows.
const MaxShown = 2048

// Fault is the fault of a value that does not satisfy a schema: its path is base and
// the place of the first mismatch, its message names five.
func Fault(code, message, base string, found []Mismatch) *diag.Fault {
	f := &diag.Fault{Code: code, Path: base, Want: found[0].Want}
	if at := found[0].Pointer(); len(at) <= MaxShown {
		f.Path += at
	}
	if found[0].Keyword == "type" || found[0].Keyword == "enum" {
		f.Got = found[0].Got
		if b, err := json.Marshal(f.Got); err == nil && len(b) > MaxShown {
			f.Got = json.RawMessage(diag.CutJSON(b, MaxShown))
		}
	}
	var parts []string
	for i, m := range found {
		if i == 5 {
			parts = append(parts, fmt.Sprintf("and %d more", len(found)-i))
			break
		}
		where := "at " + m.Pointer()
		if m.Pointer() == "" {
			where = "at the top"
		}
		parts = append(parts, where+" "+m.Message)
	}
	f.Message = diag.Brief(message + ": " + strings.Join(parts, "; "))
	return f
}

// comparison is the work of comparing with a value, in sixteenths of a step.
// Numbers are parsed each time.
func comparison(v any) int64 {
	switch v := v.(type) {
	case json.Number:
		return 16
	case map[string]any:
		n := int64(1)
		for _, member := range v {
			n += comparison(member)
		}
		return n
	case []any:
		n := int64(1)
		for _, item := range v {
			n += comparison(item)
		}
		return n
	}
	return 1
}
