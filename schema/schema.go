// Package schema reads JSON Schema: it compiles and checks values within bounds,
// turns a schema into a type, and makes samples and parameter lists from one. It
// knows no documents and no expressions.
package schema

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"sync"

	lru "github.com/hashicorp/golang-lru/v2"
	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/santhosh-tekuri/jsonschema/v6/kind"
	"golang.org/x/text/language"
	"golang.org/x/text/message"

	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/internal/bounded"
	"github.com/patchbay-mcp/patchbay/types"
)

var printer = message.NewPrinter(language.English)

// maxSchema is the size in bytes above which a schema is not compiled: what it
// says is then unknown.
const maxSchema = 1 << 20

// maxMismatches is the number of mismatches of one value that are reported.
const maxMismatches = 200

// A Schema is a JSON Schema, compiled at its first use. It is safe for
// concurrent use. Nothing it refers to is ever fetched.
type Schema struct {
	Raw json.RawMessage

	once     sync.Once
	compiled *bounded.Schema
	err      error

	typeOnce sync.Once
	typed    types.Type
}

// New returns the schema of raw, shared by all who ask for the same text, or nil
// when raw is empty.
func New(raw json.RawMessage) *Schema {
	if len(bytes.TrimSpace(raw)) == 0 {
		return nil
	}
	if len(raw) > schemaCacheText {
		return &Schema{Raw: raw}
	}
	if s, ok := schemaCache().Get(string(raw)); ok {
		return s
	}
	s := &Schema{Raw: bytes.Clone(raw)}
	schemaCache().Add(string(raw), s)
	return s
}

const (
	schemaCacheSize = 2000     // schemas: the tools and graphs of a large catalog
	schemaCacheText = 16 << 10 // bytes above which a schema is not kept
)

// schemaCache keeps schemas by their text: a graph is checked many times while it
// is written, and each time it brings the same schemas.
var schemaCache = sync.OnceValue(func() *lru.Cache[string, *Schema] {
	c, err := lru.New[string, *Schema](schemaCacheSize)
	if err != nil {
		panic(err)
	}
	return c
})

// Err says why the schema cannot be used, or returns nil. A nil Schema is
// usable and accepts everything.
func (s *Schema) Err() error {
	if s == nil {
		return nil
	}
	s.once.Do(s.compile)
	return s.err
}

func (s *Schema) compile() {
	if len(s.Raw) > maxSchema {
		s.err = fmt.Errorf("the schema has %d bytes, at most %d are read", len(s.Raw), maxSchema)
		return
	}
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(s.Raw))
	if err != nil {
		s.err = fmt.Errorf("the schema is not JSON: %w", err)
		return
	}
	defer func() {
		if p := recover(); p != nil {
			s.compiled, s.err = nil, fmt.Errorf("the schema cannot be compiled: %v", p)
		}
	}()
	if err := bounded.CheckDocument(doc); err != nil {
		s.err = err
		return
	}
	c := jsonschema.NewCompiler()
	c.DefaultDraft(jsonschema.Draft2020)
	c.UseLoader(noLoader{})
	c.UseRegexpEngine(tolerantRegexp)
	const here = "mem:///schema.json"
	if err := c.AddResource(here, doc); err != nil {
		s.err = readable(err, doc)
		return
	}
	compiled, err := c.Compile(here)
	if err != nil {
		s.err = readable(err, doc)
		return
	}
	s.compiled, s.err = bounded.New(compiled)
}

type noLoader struct{}

func (noLoader) Load(url string) (any, error) {
	return nil, fmt.Errorf("remote schema %s is not fetched", url)
}

// tolerantRegexp compiles a pattern, or accepts everything where RE2 cannot
// express it (look-around, back references): a pattern nobody here can check
// must not refuse what its server accepts.
func tolerantRegexp(pattern string) (jsonschema.Regexp, error) {
	if re, err := regexp.Compile(pattern); err == nil {
		return re, nil
	}
	return anyText(pattern), nil
}

type anyText string

func (anyText) MatchString(string) bool { return true }

func (a anyText) String() string { return string(a) }

// readable reduces the library's multi-line report to its last, telling line.
func readable(err error, doc any) error {
	if invalid, ok := errors.AsType[*jsonschema.SchemaValidationError](err); ok {
		if v, ok := errors.AsType[*jsonschema.ValidationError](invalid.Err); ok {
			found := flatten(v, doc)
			if len(found) > 0 {
				return fmt.Errorf("not a valid JSON Schema: at %s: %s", found[0].Pointer(), found[0].Message)
			}
		}
	}
	lines := strings.Split(strings.TrimSpace(err.Error()), "\n")
	return errors.New(strings.TrimSpace(strings.ReplaceAll(lines[len(lines)-1], "mem:///schema.json", "")))
}

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

// Check returns the mismatches of a value decoded from JSON text, in the
// order of the schema, up to a limit. Faults of the schema itself are not the
// value's: an unusable schema accepts everything. A value that is too expensive to
// validate is a mismatch.
func (s *Schema) Check(instance []byte) []Mismatch {
	if s == nil || s.Err() != nil {
		return nil
	}
	v, err := jsonschema.UnmarshalJSON(bytes.NewReader(instance))
	if err != nil {
		return []Mismatch{{Keyword: "type", Message: "the value is not JSON: " + err.Error()}}
	}
	if err = s.compiled.Validate(v); err == nil {
		return nil
	}
	if e, ok := errors.AsType[*jsonschema.ValidationError](err); ok {
		return flatten(e, v)
	}
	if r, ok := errors.AsType[*bounded.Refusal](err); ok {
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
// furthest.
func alternatives(e *jsonschema.ValidationError, root any) []Mismatch {
	if one, ok := e.ErrorKind.(*kind.OneOf); ok && len(one.Subschemas) > 0 {
		return []Mismatch{{Path: e.InstanceLocation, Keyword: "oneOf", Message: "the value fits more than one of the alternatives, exactly one is allowed", Got: at(root, e.InstanceLocation)}}
	}
	var best []Mismatch
	var types []string
	for _, c := range e.Causes {
		branch := flatten(c, root)
		if len(branch) == 0 {
			continue
		}
		if t, ok := branch[0].Want.(string); ok && branch[0].Keyword == "type" && len(branch[0].Path) == len(e.InstanceLocation) {
			types = append(types, t)
		} else if len(best) == 0 || len(branch[0].Path) > len(best[0].Path) {
			best = branch
		}
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

// compact renders a value for a message, cut to a length people read.
func compact(v any) string {
	b, err := json.Marshal(v)
	if err != nil {
		return fmt.Sprint(v)
	}
	return Cut(string(b), 80)
}

// CompactAll writes values as short JSON, separated by commas.
func CompactAll(vs []any) string {
	parts := make([]string, 0, len(vs))
	for _, v := range vs[:min(len(vs), 12)] {
		parts = append(parts, compact(v))
	}
	if len(vs) > 12 {
		parts = append(parts, fmt.Sprintf("and %d more", len(vs)-12))
	}
	return strings.Join(parts, ", ")
}

// QuoteAll writes names in double quotes, separated by commas.
func QuoteAll(names []string) string {
	quoted := make([]string, len(names))
	for i, n := range names {
		quoted[i] = strconv.Quote(n)
	}
	return strings.Join(quoted, ", ")
}

// Cut shortens s to at most n runes, the last being an ellipsis.
func Cut(s string, n int) string {
	if r := []rune(s); len(r) > n {
		return string(r[:n-1]) + "…"
	}
	return s
}
