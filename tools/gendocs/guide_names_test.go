package main

import (
	"encoding/json"
	"maps"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"go.yaml.in/yaml/v4"

	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/engine"
	"github.com/patchbay-mcp/patchbay/expr"
	"github.com/patchbay-mcp/patchbay/internal/app"
	"github.com/patchbay-mcp/patchbay/internal/discover"
	"github.com/patchbay-mcp/patchbay/internal/discover/idioms"
	"github.com/patchbay-mcp/patchbay/jsonata"
	"github.com/patchbay-mcp/patchbay/run"
)

// ofExamples are the names in the guide that its examples make up, and the words of
// JSONata, JSON Schema and YAML in it.
var ofExamples = strings.Fields(`a b cond count depth directory field list price v x $x
	$as $index $item and function in number object or properties string true
	Promise get_order graphs order_total sleep try`)

// TestNamesInTheGuide holds that what the guide names exists: tools and their arguments,
// node types, fields, functions, operators, codes, statuses, idioms and resources.
func TestNamesInTheGuide(t *testing.T) {
	k := knownNames(t)
	for _, name := range k.unknown(discover.Guide().Whole()) {
		t.Errorf("the guide names %s, which does not exist", name)
	}
	for _, name := range ofExamples {
		if k.words[name] {
			t.Errorf("%s exists: it is not a name of an example", name)
		}
		if !k.examples[name] {
			t.Errorf("the guide has no example with %s", name)
		}
	}
	const wrong = "find_nodes, then `run_nod`, with timeoutSeconds and $cuont(x) of idiom:lop or patchbay://gide; " +
		"`still-runing`, `run_graph {graph, argumets: {a: b}}`, `nxt`\n| entri | next |\n```yaml\nnodes: [{id: a, typ: b}, {type: mpc}]\n```\n"
	want := strings.Fields("$cuont argumets entri find_nodes idiom:lop mpc nxt patchbay://gide run_nod still-runing timeoutSeconds typ")
	if got := k.unknown(wrong); !slices.Equal(got, want) {
		t.Errorf("the check finds %q, want %q", got, want)
	}
}

// names are those that the guide may use.
type names struct {
	words    map[string]bool
	inputs   map[string][]string // arguments of each tool
	examples map[string]bool     // those of ofExamples that were found
}

func knownNames(t *testing.T) *names {
	t.Helper()
	k := &names{words: map[string]bool{}, inputs: map[string][]string{}, examples: map[string]bool{}}
	for _, o := range app.Operations() {
		if o.Tool == "" {
			continue
		}
		k.add(o.Tool)
		for _, f := range o.Fields() {
			k.inputs[o.Tool] = append(k.inputs[o.Tool], f.Name)
			k.add(f.Enum...)
		}
		k.addMembers(reflect.TypeOf(o.NewInput()), map[reflect.Type]bool{})
		k.addMembers(o.Result(), map[reflect.Type]bool{})
	}
	fields := slices.Concat(engine.DocumentFields(), engine.ToolFields())
	for _, kind := range engine.Kinds() {
		k.add(kind.Spec.NodeType)
		fields = append(fields, kind.Fields...)
		for _, example := range kind.Spec.Examples {
			var output map[string]any
			_ = json.Unmarshal(example.Result, &output) // others than objects have no members
			k.add(slices.Collect(maps.Keys(output))...)
		}
	}
	for _, f := range fields {
		k.add(f.Name)
		for _, key := range keyNamed.FindAllStringSubmatch(f.Doc, -1) {
			k.add(key[1])
		}
	}
	k.add(engine.LimitKeys...)
	for _, b := range jsonata.Builtins() {
		k.add("$" + b.Name)
	}
	for _, r := range diag.Rules() {
		k.add(r.Code)
	}
	for _, f := range diag.FaultKinds() {
		k.add(f.Code)
	}
	for _, s := range run.Statuses {
		k.add(string(s))
	}
	for _, s := range slices.Concat(discover.Guide().Specs(), idioms.Specs()) {
		k.add(s.ID(), s.NodeType)
	}
	tools, err := toolsPage(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	k.add(addressNamed.FindAllString(tools, -1)...)
	return k
}

func (k *names) add(list ...string) {
	for _, name := range list {
		k.words[name] = true
	}
}

// addMembers adds the members of what a struct is in JSON, at any depth.
func (k *names) addMembers(typ reflect.Type, seen map[reflect.Type]bool) {
	switch typ.Kind() {
	case reflect.Pointer, reflect.Slice, reflect.Map:
		k.addMembers(typ.Elem(), seen)
	case reflect.Struct:
		if seen[typ] {
			return
		}
		seen[typ] = true
		for f := range typ.Fields() {
			name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
			if name == "-" || !f.IsExported() && !f.Anonymous {
				continue
			}
			k.add(name)
			k.addMembers(f.Type, seen)
		}
	}
}

var (
	keyNamed     = regexp.MustCompile(`(?m)([A-Za-z][\w-]*):(?: |$)`)
	addressNamed = regexp.MustCompile(`\b(?:idiom:|patchbay://)[\w/-]+`)
	// In text, a name is what has the form of one: search_nodes, timeoutMs, $count.
	anywhereNamed = regexp.MustCompile(`\$[A-Za-z]\w*|\b[a-z]+(?:_[a-z]+)+\b|\b[a-z]+[A-Z]\w*\b`)
	wordNamed     = regexp.MustCompile(`\$?[A-Za-z][\w-]*`)
	rowNamed      = regexp.MustCompile(`(?m)^\| ([A-Za-z]\w*)[ :]`)
	typeNamed     = regexp.MustCompile(`\btype: ([\w-]+)`)
	callNamed     = regexp.MustCompile(`\b([a-z_]+) \{`)
	fenceOfYAML   = regexp.MustCompile("(?s)```yaml\n.*?```")
	marked        = regexp.MustCompile("``[^\n]+?``|`[^`\n]+`")
	// What stands for something else: strings, <words>, and paths of node ids.
	notNamed = regexp.MustCompile("\"[^\"\n]*\"|<[^<>\n]+>|\\$\\.[\\w.`\\[\\]-]+")
)

// unknown are the names in a text that do not exist, sorted.
func (k *names) unknown(text string) []string {
	var found []string
	first := func(matches [][]string) {
		for _, m := range matches {
			found = append(found, m[1])
		}
	}
	for _, fence := range fenceOfYAML.FindAllString(text, -1) {
		first(keyNamed.FindAllStringSubmatch(fence, -1))
		first(typeNamed.FindAllStringSubmatch(fence, -1))
	}
	text = fenceOfYAML.ReplaceAllString(text, "")
	found = append(found, addressNamed.FindAllString(text, -1)...)
	text = addressNamed.ReplaceAllString(text, "…")
	found = append(found, anywhereNamed.FindAllString(text, -1)...)
	first(rowNamed.FindAllStringSubmatch(text, -1))
	for _, span := range marked.FindAllString(text, -1) {
		found = append(found, wordNamed.FindAllString(notNamed.ReplaceAllString(strings.Trim(span, "`"), "…"), -1)...)
	}
	found = slices.DeleteFunc(found, k.exists)
	for _, at := range callNamed.FindAllStringSubmatchIndex(text, -1) {
		inputs, isTool := k.inputs[text[at[2]:at[3]]]
		for name := range argumentsAt(text[at[1]-1:]) {
			if isTool && !slices.Contains(inputs, name) {
				found = append(found, name)
			}
		}
	}
	slices.Sort(found)
	return slices.Compact(found)
}

// exists reports whether a name is known, or of an example.
func (k *names) exists(name string) bool {
	if k.words[name] {
		return true
	}
	if slices.Contains(ofExamples, name) {
		k.examples[name] = true
		return true
	}
	rule := expr.NewObject()
	rule.Set(name, []any{})
	_, faults := expr.CompileRule(rule)
	return !slices.ContainsFunc(faults, func(e *jsonata.Error) bool { return e.Code == "unknown-operator" })
}

// argumentsAt are the arguments of a call in an object at the beginning of a text, which
// is YAML. There are none where it is not an object.
func argumentsAt(text string) map[string]any {
	depth := 0
	for i, c := range text {
		switch c {
		case '{':
			depth++
		case '}':
			depth--
		}
		if depth == 0 {
			var arguments map[string]any
			_ = yaml.Unmarshal([]byte(text[:i+1]), &arguments)
			return arguments
		}
	}
	return nil
}
