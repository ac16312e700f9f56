package servers

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"regexp"
	"slices"
	"strings"

	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/graph"
	"github.com/patchbay-mcp/patchbay/graph/edit"
	"github.com/patchbay-mcp/patchbay/internal/reply"
	"github.com/patchbay-mcp/patchbay/internal/sys/cache"
	"github.com/patchbay-mcp/patchbay/schema"
)

// A ToolChange is what a change of a tool's definition means for the graphs that use it.
type ToolChange struct {
	Class   string   `json:"class"`   // compatible, wording, risky or breaking; only compatible ones pass
	Reasons []string `json:"reasons"` // the most serious first
}

// The classes of changes, from the least serious.
const (
	ChangeCompatible = "compatible" // a new optional argument, or fields of results that no graph reads
	ChangeWording    = "wording"    // a text for people and models
	ChangeRisky      = "risky"      // it may concern a caller
	ChangeBreaking   = "breaking"   // a graph cannot work with it
)

var changeClasses = []string{ChangeCompatible, ChangeWording, ChangeRisky, ChangeBreaking}

// Worse reports whether a class is more serious than another.
func Worse(a, b string) bool {
	return slices.Index(changeClasses, a) > slices.Index(changeClasses, b)
}

// maxReasons is how many reasons for its class a change has.
const maxReasons = 10

// changeReader compares two definitions of a tool.
type changeReader struct {
	uses  []ToolUse
	found []ToolChange // each with one reason
}

// Classify compares two definitions of a tool for those who use it.
func Classify(from, to json.RawMessage, uses []ToolUse) *ToolChange {
	r := &changeReader{uses: uses}
	var was, is map[string]any
	if json.Unmarshal(from, &was) != nil || json.Unmarshal(to, &is) != nil {
		r.add(ChangeRisky, "one of the definitions is too large to be compared")
	} else {
		r.definitions(was, is)
	}
	slices.SortStableFunc(r.found, func(a, b ToolChange) int {
		return slices.Index(changeClasses, b.Class) - slices.Index(changeClasses, a.Class)
	})
	c := &ToolChange{Class: ChangeCompatible, Reasons: []string{}}
	for i, one := range r.found {
		if i == 0 {
			c.Class = one.Class
		}
		if !slices.Contains(c.Reasons, one.Reasons[0]) && len(c.Reasons) < maxReasons {
			c.Reasons = append(c.Reasons, one.Reasons[0])
		}
	}
	return c
}

func (r *changeReader) add(class, format string, args ...any) {
	r.found = append(r.found, ToolChange{class, []string{fmt.Sprintf(format, args...)}})
}

func (r *changeReader) definitions(was, is map[string]any) {
	for _, key := range []string{"title", "description"} {
		if !reflect.DeepEqual(was[key], is[key]) {
			r.add(ChangeWording, "its %s differs", key)
		}
	}
	hintsWere, hintsAre := object(was["annotations"]), object(is["annotations"])
	if !reflect.DeepEqual(hintsWere["title"], hintsAre["title"]) {
		r.add(ChangeWording, "its title differs")
	}
	for _, key := range joined(hintsWere, hintsAre) {
		if key != "title" && !reflect.DeepEqual(hintsWere[key], hintsAre[key]) {
			r.add(ChangeRisky, "its annotation %s is %s, and was %s", key, reply.InLine(reply.EncodedWhole(hintsAre[key])), reply.InLine(reply.EncodedWhole(hintsWere[key])))
		}
	}
	r.arguments(nil, object(was["inputSchema"]), object(is["inputSchema"]))
	switch before, after := was["outputSchema"], is["outputSchema"]; {
	case (before == nil) != (after == nil):
		r.add(ChangeRisky, "its results had %s, and have %s", schemaOrNone(before), schemaOrNone(after))
	case before != nil:
		r.results(nil, object(before), object(after))
	}
}

func schemaOrNone(v any) string {
	if v == nil {
		return "no outputSchema"
	}
	return "an outputSchema"
}

// wordKeys are the keywords of a schema that are texts for people and models.
var wordKeys = []string{"title", "description", "$comment", "examples"}

// quietName is what the name of an argument or a field is that passes: too short to tell a model what to do.
var quietName = regexp.MustCompile(`^[A-Za-z_$][\w$.-]{0,39}$`)

// arguments compares the schemas of arguments, or of a member of one.
func (r *changeReader) arguments(path []string, was, is map[string]any) {
	r.words("argument", path, was, is)
	before, after := object(was["properties"]), object(is["properties"])
	for _, name := range joined(before, after) {
		at := append(slices.Clip(path), name)
		old, had := before[name]
		now, has := after[name]
		switch {
		case !has:
			r.argument(at, ChangeRisky, "is gone")
		case required(is, name) && (!had || !required(was, name)):
			r.missing(at, len(path) == 0)
		case !had && quietName.MatchString(name):
			r.add(ChangeCompatible, "new optional argument %q", strings.Join(at, "."))
		case !had:
			r.add(ChangeWording, "the name of the new argument %q is a text", diag.Cut(strings.Join(at, "."), 60))
		case required(was, name) && !required(is, name):
			r.add(ChangeCompatible, "the argument %q is no longer required", strings.Join(at, "."))
		}
		if had && has {
			r.argumentSchema(at, old, now)
		}
	}
	names, _ := is["required"].([]any)
	for _, n := range names { // also those that no property describes
		if name, ok := n.(string); ok && after[name] == nil && !required(was, name) {
			r.missing(append(slices.Clip(path), name), len(path) == 0)
		}
	}
	if key := otherKeyword(was, is, "properties", "required"); key != "" {
		r.argument(path, ChangeRisky, "has another "+key)
	}
}

// required reports whether a schema requires a property.
func required(s map[string]any, name string) bool {
	list, _ := s["required"].([]any)
	return slices.Contains(list, any(name))
}

// argumentSchema compares the schemas of one argument.
func (r *changeReader) argumentSchema(at []string, was, is any) {
	before, after := object(was), object(is)
	if before["properties"] != nil && after["properties"] != nil {
		r.arguments(at, before, after)
		return
	}
	r.words("argument", at, before, after)
	if key := otherKeyword(before, after); key != "" {
		class := ChangeRisky
		if len(at) == 1 && r.refused(at[0], is) {
			class = ChangeBreaking
		}
		r.argument(at, class, "has another "+key)
	}
}

// refused reports whether a literal that a graph passes is no longer accepted.
func (r *changeReader) refused(name string, is any) bool {
	s := schema.New(reply.EncodedWhole(is))
	return slices.ContainsFunc(r.uses, func(u ToolUse) bool {
		literal := u.Args[name]
		return literal != nil && s != nil && len(s.Check(literal)) > 0
	})
}

// missing reports an argument that has become required.
func (r *changeReader) missing(at []string, top bool) {
	name := strings.Join(at, ".")
	lacks := slices.IndexFunc(r.uses, func(u ToolUse) bool { _, passes := u.Args[at[0]]; return !passes && !u.AnyArgs })
	switch {
	case top && lacks >= 0:
		r.add(ChangeBreaking, "the argument %q is required, and the graph %s does not pass it", name, r.uses[lacks].Graph)
	default:
		r.add(ChangeRisky, "the argument %q is required", name)
	}
}

// argument reports what has become of an argument, and a graph that passes it.
func (r *changeReader) argument(at []string, class, what string) {
	if len(at) == 0 {
		r.add(class, "its inputSchema %s", what)
		return
	}
	for _, u := range r.uses {
		if _, passes := u.Args[at[0]]; passes {
			if what == "is gone" && len(at) == 1 {
				class = ChangeBreaking
			}
			r.add(class, "the argument %q, which the graph %s passes, %s", strings.Join(at, "."), u.Graph, what)
			return
		}
	}
	r.add(class, "the argument %q %s", strings.Join(at, "."), what)
}

// results compares the schemas of results, or of a part of them.
func (r *changeReader) results(path []string, was, is map[string]any) {
	r.words("field", path, was, is)
	if before, after := object(was["items"]), object(is["items"]); was["items"] != nil && is["items"] != nil {
		r.results(path, before, after) // a path reads each item
	}
	before, after := object(was["properties"]), object(is["properties"])
	for _, name := range joined(before, after) {
		at := append(slices.Clip(path), name)
		_, had := before[name]
		_, has := after[name]
		switch reader := r.reader(at); {
		case had && has:
			if reader != "" && required(was, name) && !required(is, name) {
				r.add(ChangeRisky, "the field %q, which the graph %s reads, is no longer required", strings.Join(at, "."), reader)
			}
			r.results(at, object(before[name]), object(after[name]))
		case had && reader != "":
			r.add(ChangeBreaking, "the result has no field %q, which the graph %s reads", strings.Join(at, "."), reader)
		case had:
			r.add(ChangeCompatible, "the field %q, which no graph reads, is gone", strings.Join(at, "."))
		case !quietName.MatchString(name):
			r.add(ChangeWording, "the name of the new field %q is a text", diag.Cut(strings.Join(at, "."), 60))
		case reader != "":
			r.add(ChangeRisky, "the result has a new field %q, and the graph %s uses it as a whole", strings.Join(at, "."), reader)
		default:
			r.add(ChangeCompatible, "new field %q", strings.Join(at, "."))
		}
	}
	key := otherKeyword(was, is, "properties", "items", "additionalProperties", "required")
	if key == "" {
		return
	}
	switch reader := r.reader(path); {
	case reader == "":
		r.add(ChangeCompatible, "the %s of %s, which no graph reads, differs", key, field(path))
	case key == "type" && reflect.DeepEqual(intersect(was[key], is[key]), []any{}):
		r.add(ChangeBreaking, "%s, which the graph %s reads, has another type", field(path), reader)
	default:
		r.add(ChangeRisky, "%s, which the graph %s reads, has another %s", field(path), reader, key)
	}
}

func field(path []string) string {
	if len(path) == 0 {
		return "the result"
	}
	return fmt.Sprintf("the field %q", strings.Join(path, "."))
}

// reader is a graph that reads what is at a path, or what it is part of; "" if none does.
func (r *changeReader) reader(path []string) string {
	for _, u := range r.uses {
		for _, read := range u.Reads {
			n := min(len(read), len(path))
			if slices.Equal(read[:n], path[:n]) {
				return u.Graph
			}
		}
	}
	return ""
}

// words reports that a text in a schema differs.
func (r *changeReader) words(what string, path []string, was, is map[string]any) {
	for _, key := range wordKeys {
		if reflect.DeepEqual(was[key], is[key]) {
			continue
		}
		if len(path) == 0 {
			r.add(ChangeWording, "the %s of its schemas differs", key)
		} else {
			r.add(ChangeWording, "the %s of the %s %q differs", key, what, strings.Join(path, "."))
		}
	}
}

// otherKeyword is a keyword, besides texts and those left out, whose value differs; "" if none does.
func otherKeyword(was, is map[string]any, without ...string) string {
	for _, key := range joined(was, is) {
		if !slices.Contains(wordKeys, key) && !slices.Contains(without, key) && !reflect.DeepEqual(was[key], is[key]) {
			return key
		}
	}
	return ""
}

// intersect are the types of two values of type that are the same.
func intersect(a, b any) []any {
	list := func(v any) []any {
		if many, ok := v.([]any); ok {
			return many
		}
		return []any{v}
	}
	both := []any{}
	for _, t := range list(a) {
		if slices.Contains(list(b), t) || t == "integer" && slices.Contains(list(b), any("number")) {
			both = append(both, t)
		}
	}
	return both
}

func object(v any) map[string]any {
	o, _ := v.(map[string]any)
	return o
}

// joined are the keys of two maps, sorted.
func joined(a, b map[string]any) []string {
	all := maps.Clone(a)
	if all == nil {
		all = map[string]any{}
	}
	maps.Copy(all, b)
	return slices.Sorted(maps.Keys(all))
}

// ServedDefinition is the definition by which a tool is used whose change is compatible: as
// it was, so that no model reads a text that nobody has approved; and with results of the
// new form, so that they are not refused.
func ServedDefinition(from, to json.RawMessage) json.RawMessage {
	var was, is map[string]any
	if json.Unmarshal(from, &was) != nil || json.Unmarshal(to, &is) != nil || was["outputSchema"] == nil {
		return from
	}
	bare := withoutTexts(object(was["outputSchema"]), object(is["outputSchema"]))
	if reflect.DeepEqual(bare, was["outputSchema"]) {
		return from
	}
	was["outputSchema"] = bare
	return reply.EncodedWhole(was)
}

// withoutTexts is a schema without the texts that the former one does not have at the same
// place, and without what values a new place has: those are texts too.
func withoutTexts(was, is map[string]any) map[string]any {
	bare := map[string]any{}
	for key, v := range is {
		switch inner, isObject := v.(map[string]any); {
		case key == "properties" && isObject:
			fields := map[string]any{}
			for name, f := range inner {
				fields[name] = withoutTexts(object(object(was[key])[name]), object(f))
			}
			bare[key] = fields
		case key == "items" && isObject:
			bare[key] = withoutTexts(object(was[key]), inner)
		case key == "type" || key == "required" || key == "additionalProperties" && !isObject || reflect.DeepEqual(was[key], v):
			bare[key] = v
		}
	}
	return bare
}

// A ToolUse is what a graph uses of a tool, as far as its document tells.
type ToolUse struct {
	Graph   string
	Doc     *graph.Document
	Args    map[string]json.RawMessage // the arguments that it passes, nil where they are computed
	AnyArgs bool                       // it computes which arguments it passes
	Reads   [][]string                 // places in the result that it reads; an empty one is the whole
}

const (
	// MaxEdits and maxBriefEdits limit the edits that a diff of definitions searches for:
	// one for a person, and one in a fault.
	MaxEdits      = 2000
	maxBriefEdits = 200
	// maxDiff limits the characters of a diff in a fault.
	maxDiff = 2000
	// maxChanges limits the diffs that are cached.
	maxChanges = 200
)

// DefinitionDiff returns the change of a tool's definition as a unified diff.
func DefinitionDiff(tool string, from, to json.RawMessage, edits int) string {
	if from == nil || to == nil {
		return "the definitions are too large to be compared\n"
	}
	return edit.DiffWithin(tool, indented(from), indented(to), edits)
}

// indented is a definition for people: characters that they would not see are escaped.
func indented(definition json.RawMessage) string {
	var b bytes.Buffer
	_ = json.Indent(&b, definition, "", "  ") // a stored definition is valid JSON
	return diag.Visible(b.String()) + "\n"
}

// changes caches diffs of definitions for faults: a changed tool causes the same fault until
// a person approves the change.
type changes struct{ Kept *cache.Cache[string, string] }

func newChanges() changes {
	return changes{cache.Texts[string](maxChanges, maxChanges<<10)}
}

// Brief returns the beginning of the diff of a tool's definition.
func (c changes) Brief(tool, fromHash string, from json.RawMessage, toHash string, to json.RawMessage) string {
	key := tool + "\x00" + fromHash + "\x00" + toHash
	if text, ok := c.Kept.Get(key); ok {
		return text
	}
	text := diag.Cut(DefinitionDiff(tool, from, to, maxBriefEdits), maxDiff)
	c.Kept.Add(key, text)
	return text
}
