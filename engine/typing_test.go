package engine_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/engine"
	"github.com/patchbay-mcp/patchbay/graph"
	"github.com/patchbay-mcp/patchbay/schema"
	"github.com/patchbay-mcp/patchbay/specs"
)

// shelf is a set of downstream tools.
type shelf map[string]*engine.Tool

// put adds a tool with its schemas.
func (s shelf) put(server, tool, input, output string) shelf {
	spec := &specs.Spec{NodeType: "mcp", Subtype: server + "/" + tool, InputSchema: json.RawMessage(input), OutputSchema: json.RawMessage(output)}
	s[server+"/"+tool] = &engine.Tool{Spec: spec, Input: schema.New(spec.InputSchema), Output: schema.New(spec.OutputSchema)}
	return s
}

func (s shelf) Tool(server, tool string) (*engine.Tool, *diag.Fault) {
	if t, ok := s[server+"/"+tool]; ok {
		return t, nil
	}
	for name := range s {
		if strings.HasPrefix(name, server+"/") {
			return nil, diag.Faultf("unknown-tool", "server %q has no tool %q", server, tool)
		}
	}
	return nil, diag.Faultf("unknown-server", "there is no server %q", server)
}

func (s shelf) Names() []string { return slices.Sorted(maps.Keys(s)) }

func (s shelf) Resolve(name string) (server, tool string, ok bool) {
	for _, full := range s.Names() {
		if srv, t, _ := strings.Cut(full, "/"); full == name || "mcp:"+full == name || t == name {
			return srv, t, true
		}
	}
	return "", "", false
}

func weather() shelf {
	return shelf{}.
		put("weather", "forecast", `{"type":"object","properties":{"city":{"type":"string"},"days":{"type":"integer"},"units":{"enum":["metric","imperial"]}},"required":["city"],"additionalProperties":false}`,
			`{"type":"object","properties":{"days":{"type":"array","items":{"type":"object","properties":{"date":{"type":"string"},"max":{"type":"number"}},"required":["date","max"],"additionalProperties":false}},"place":{"type":"string"}},"required":["days","place"],"additionalProperties":false}`).
		put("weather", "raw", `{"type":"object","properties":{"city":{"type":"string"}},"required":["city"]}`, "")
}

// typed is a graph that asks for a forecast and computes something of it.
func typed(args, expression string) string {
	quoted, _ := json.Marshal(expression)
	return fmt.Sprintf(`
inputSchema: {type: object, properties: {city: {type: string}, n: {type: integer}, opt: {type: string}}, required: [city, n], additionalProperties: false}
outputSchema: {type: object, properties: {out: {type: number}}, required: [out]}
nodes:
  - {id: entry, type: entry, next: get}
  - {id: get, type: mcp, server: weather, tool: forecast, args: %s, next: compute}
  - {id: compute, type: transform, transform: {expr: %s}, next: exit}
  - {id: exit, type: exit}
`, args, quoted)
}

const city = `{city: {expr: $.entry.city}, days: {expr: $.entry.n}}`

func TestTypes(t *testing.T) {
	tests := []struct {
		name, args, expr string
		want             []string
	}{
		{"all is well", city, `{"out": $max($.get.days.max)}`, nil},
		{"misspelt field of the input", `{city: {expr: $.entry.citty}, days: {expr: $.entry.n}}`, `{"out": 1}`, []string{"unknown-field get"}},
		{"misspelt field of a tool's output", city, `{"out": $max($.get.dayz.max)}`, []string{"unknown-field compute"}},
		{"misspelt field deep in it", city, `{"out": $max($.get.days.maxi)}`, []string{"unknown-field compute"}},
		{"a field of a text", city, `{"out": $length($.get.place.name)}`, []string{"field-of-scalar compute"}},
		{"the wrong type into a computed argument", `{city: {expr: $.entry.n}}`, `{"out": 1}`, []string{"wrong-arg-type get"}},
		{"a text outside an enum", `{city: {expr: $.entry.city}, days: {expr: $.entry.n}, units: {expr: '"kelvin"'}}`, `{"out": 1}`, []string{"not-in-enum get"}},
		{"a result without the required field", city, `{"sum": 1}`, []string{"wrong-result-type compute"}},
		{"a result of the wrong type", city, `{"out": $.get.place}`, []string{"wrong-result-type compute"}},
		{"an operator on the wrong type", city, `{"out": $.get.place + 1}`, []string{"wrong-operand-type compute"}},
		{"a function on the wrong type", city, `{"out": $sum($.get.place)}`, []string{"wrong-function-argument compute"}},
		{"an optional input may be absent", city, `{"out": $exists($.entry.opt) ? 1 : 2}`, nil},
		{"lambdas and chains", city, `{"out": $.get.days.max ~> $map(function($x) { $x * 2 }) ~> $sum()}`, nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			src := typed(tt.args, tt.expr)
			got := findings(src, engine.Env{Tools: weather(), Untrusted: true}, diag.Error)
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("errors (-want +got):\n%s", diff)
			}
		})
	}
}

// findings checks a graph and lists code and node of each diagnostic of a
// severity.
func findings(src string, env engine.Env, severity diag.Severity) []string {
	doc, l := graph.Parse("graph.yaml", src)
	if doc != nil {
		_, more := engine.Compile(doc, "", env)
		l = append(l, more...)
	}
	var found []string
	for _, d := range l.With(severity) {
		found = append(found, strings.TrimSpace(d.Code+" "+d.Node))
	}
	return found
}

func TestTypesOfToolsWithoutSchemaAreUnknown(t *testing.T) {
	src := strings.ReplaceAll(typed(`{city: {expr: $.entry.city & $string($.entry.n)}}`, `{"out": $.get.anything.at[0].all + 1}`), "tool: forecast", "tool: raw")
	if got := findings(src, engine.Env{Tools: weather()}, diag.Error); got != nil {
		t.Errorf("got %v, want no errors", got)
	}
}

func TestReadsBeforeRun(t *testing.T) {
	const branches = `
nodes:
  - {id: entry, type: entry, next: choose}
  - {id: choose, type: switch, conditions: [{rule: {"==": [{var: $.entry.x}, 1]}, next: a}], next: b}
  - {id: a, type: transform, transform: {expr: '"a"'}, next: join}
  - {id: b, type: transform, transform: {expr: '%s'}, next: join}
  - {id: join, type: transform, transform: {expr: '%s'}, next: exit}
  - {id: exit, type: exit}
`
	tests := []struct {
		b, join  string
		errors   []string
		warnings []string
	}{
		{`"b"`, `$.entry.x`, nil, nil},
		{`$.a`, `1`, []string{"read-before-run b"}, nil},
		{`$.join`, `1`, []string{"read-before-run b"}, nil},
		{`"b"`, `$.a & "x"`, nil, []string{"maybe-not-run join"}},
		{`"b"`, `$exists($.a) ? $.a : $.b`, nil, nil},
		{`"b"`, `$.a ?? $.b`, nil, nil},
	}
	for _, tt := range tests {
		src := fmt.Sprintf(branches, tt.b, tt.join)
		if diff := cmp.Diff(tt.errors, findings(src, engine.Env{}, diag.Error)); diff != "" {
			t.Errorf("b: %s, join: %s: errors (-want +got):\n%s", tt.b, tt.join, diff)
		}
		if diff := cmp.Diff(tt.warnings, findings(src, engine.Env{}, diag.Warning)); diff != "" {
			t.Errorf("b: %s, join: %s: warnings (-want +got):\n%s", tt.b, tt.join, diff)
		}
	}
}

func TestTypesInALoopReachAFixedPoint(t *testing.T) {
	const loop = `
outputSchema: {type: object, properties: {sum: {type: number}}, required: [sum]}
nodes:
  - {id: entry, type: entry, next: add}
  - id: add
    type: transform
    transform: {expr: '$executionCount("add") = 0 ? {"i": 1, "sum": 0} : {"i": $.add.i + 1, "sum": $.add.sum + $.add.i}'}
    next: more
  - {id: more, type: switch, conditions: [{rule: {"<": [{var: $.add.i}, 10]}, next: add}], next: exit}
  - {id: exit, type: exit, result: {expr: '{"sum": $.add.%s}'}}
`
	if got := findings(fmt.Sprintf(loop, "sum"), engine.Env{}, diag.Error); got != nil {
		t.Errorf("got %v, want no errors", got)
	}
	if diff := cmp.Diff([]string{"unknown-field exit"}, findings(fmt.Sprintf(loop, "summ"), engine.Env{}, diag.Error)); diff != "" {
		t.Errorf("errors (-want +got):\n%s", diff)
	}
}

// TestReadsThatMayBeAbsent: what a ? in a text says is not a guard, and a branch
// that reads its sibling in a loop is told so.
func TestReadsThatMayBeAbsent(t *testing.T) {
	const optional = `
nodes:
  - {id: entry, type: entry, next: pick}
  - {id: pick, type: switch, conditions: [{rule: {var: $.entry.x}, next: a}], next: b}
  - {id: a, type: transform, transform: {expr: '"a"'}, next: b}
  - {id: b, type: transform, transform: {expr: '%s'}, next: exit}
  - {id: exit, type: exit}
`
	for text, want := range map[string]string{
		`"May I? " & $.a`:         "maybe-not-run",
		`$.a ?? "nothing"`:        "",
		`$exists($.a) ? $.a : ""`: "",
		`[$.entry.(x ? 1 : 2)]`:   "",
	} {
		if got, l := codes(fmt.Sprintf(optional, text), engine.Env{}); strings.Join(got, " ") != want {
			t.Errorf("%s: got %v, want %q: %v", text, got, want, l)
		}
	}
	_, l := codes(`
nodes:
  - {id: entry, type: entry, next: fork}
  - {id: fork, type: parallel, branches: [a, b], join: more}
  - {id: a, type: transform, transform: {expr: '1'}, next: more}
  - {id: b, type: transform, transform: {expr: '$.a'}, next: more}
  - {id: more, type: switch, conditions: [{rule: {"<": [{var: '$executionCount("fork")'}, 3]}, next: fork}], next: exit}
  - {id: exit, type: exit}
`, engine.Env{})
	if len(l) != 1 || l[0].Message != `node "a" runs at the same time as "b", and may not have run before` {
		t.Errorf("got %v", diag.Format("loop", "", l))
	}
}
