package connect

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/patchbay-mcp/patchbay/internal/tests/searchdata"
	"github.com/patchbay-mcp/patchbay/specs"
)

func none(*specs.Spec) json.RawMessage { return nil }

func all(*specs.Spec) bool { return true }

func even(*specs.Spec) float64 { return 0 }

func data(t testing.TB, text string, wanted bool) *Data {
	t.Helper()
	if text == "" {
		return nil
	}
	d, err := Read([]byte(text), wanted)
	if err != nil {
		t.Fatal(err)
	}
	return &d
}

// node is a tool that is written as in typed.txt: "server/tool(arguments) -> output".
func tool(t testing.TB, text string) *specs.Spec {
	t.Helper()
	name, rest, _ := strings.Cut(text, "(")
	args, out, _ := strings.Cut(rest, ")")
	s := &specs.Spec{NodeType: specs.MCP, Subtype: name, InputSchema: searchdata.Schema(t, "{"+args+"}")}
	if out, ok := strings.CutPrefix(out, " -> "); ok {
		s.OutputSchema = searchdata.Schema(t, out)
	}
	return s
}

func key(p *Path) string {
	var ids []string
	for _, s := range p.Steps {
		ids = append(ids, s.Spec.ID())
	}
	return strings.Join(ids, " ")
}

// TestConversions has the expression between what a node gives and what is wanted.
func TestConversions(t *testing.T) {
	for _, tc := range []struct{ gives, wants, result string }{
		{"{title}", `{"title": "x"}`, `{"title": $.get.title}`},
		{"{issue: {title, number: integer}}", `{"title": ""}`, `{"title": $.get.issue.title}`},
		{"{issues: [{title}]}", `{"title": ""}`, `{"title": $.get.issues[0].title}`},
		{"{issues: [{title}]}", `{"titles": [""]}`, `{"titles": [$.get.issues.title]}`},
		{"{label}", `{"labels": [""]}`, `{"labels": [$.get.label]}`},
		{"{labels: [string]}", `{"label": ""}`, `{"label": $.get.labels[0]}`},
		{"{number: integer}", `{"number": "7"}`, `{"number": $string($.get.number)}`},
		{"{price}", `{"price": 1.5}`, `{"price": $number($.get.price)}`},
		{"{issues: [{headline, number: integer, user: {login}}]}", `{"issues": [{"headline": "", "login": ""}]}`, `{"issues": [$.get.issues.{"headline": headline, "login": user.login}]}`},
		{"{first name: integer}", `{"first": {"type": "x"}}`, ""},
		{"[{sku, price: number}]", `[{"sku": "", "price": 1}]`, `[$.get.{"price": price, "sku": sku}]`},
		{"{odd-name}", `{"odd_name": ""}`, "{\"odd_name\": $.get.`odd-name`}"},
	} {
		x := New(nil, []*specs.Spec{tool(t, "s/get() -> "+tc.gives)}, none)
		nodes, _ := x.Find(t.Context(), nil, data(t, tc.wants, true), all, even)
		got := ""
		if len(nodes) > 0 {
			got = nodes[0].Result
		}
		if got != tc.result {
			t.Errorf("%s for %s: %s, want %s", tc.gives, tc.wants, got, tc.result)
		}
	}
}

// TestArguments has what feeds the arguments of a node: names and types decide together.
func TestArguments(t *testing.T) {
	for _, tc := range []struct{ takes, has, args string }{
		{"owner*, repo*", `{"owner": "ada", "repository": "engine"}`, `map[owner:$.entry.owner repo:$.entry.repository]`},
		{"issue_number*: integer", `{"issue": {"number": 7}}`, `map[issue_number:$.entry.issue.number]`},
		{"lat*: number, lng*: number", `{"latitude": 1.5, "longitude": 2}`, `map[lat:$.entry.latitude lng:$.entry.longitude]`},
		{"to*: [string]", `{"recipient": "ada"}`, `map[to:[$.entry.recipient]]`},
		{"count*: integer", `{"count": true}`, `map[]`},
		{"account_id*", `{"message_id": "m"}`, `map[]`},
		{"event*: {title, start}", `{"title": "x", "start": "y"}`, `map[event:{"start": $.entry.start, "title": $.entry.title}]`},
		{"event*: {title, start}", `{"title": "x"}`, `map[]`},
		{"text*, voice", `{"text": "x", "voice": "v"}`, `map[text:$.entry.text voice:$.entry.voice]`},
	} {
		x := New(nil, []*specs.Spec{tool(t, "s/do("+tc.takes+")"), tool(t, "s/other(nothing_like_it*)")}, none)
		nodes, _ := x.Find(t.Context(), data(t, tc.has, false), nil, all, even)
		got := map[string]string{}
		if len(nodes) > 0 {
			got = nodes[0].Steps[0].Args
		}
		if fmt.Sprint(got) != tc.args {
			t.Errorf("%s from %s: %v, want %s", tc.takes, tc.has, got, tc.args)
		}
	}
}

// TestSchemasAndSamples tells a schema from a sample, and reads both.
func TestSchemasAndSamples(t *testing.T) {
	for text, want := range map[string]string{
		`{"type": "object", "properties": {"a": {"type": "string"}}}`: "{a?: string}",
		`{"a": "x", "n": 1}`:                   "{a: string, n: number}",
		`{"type": "invoice"}`:                  "{type: string}",
		`{"anyOf": [{"type": "string"}]}`:      "string",
		`{"type": ["string", "null"]}`:         "string|null",
		`[{"id": 1}]`:                          "[{id: number}]",
		`{"properties": {"a": {}}}`:            "{a?: any}",
		`{"properties": 3, "items": ["text"]}`: "{items: [string], properties: number}",
	} {
		d := data(t, text, true)
		if got := d.Type.String(); got != want {
			t.Errorf("%s is %s, want %s", text, got, want)
		}
	}
	if _, err := Read([]byte(`{a: 1}`), false); err == nil {
		t.Error("what is not JSON is read")
	}
}

// TestChains has chains of two and three, one that forks, and what is not one.
func TestChains(t *testing.T) {
	x := New(nil, []*specs.Spec{
		tool(t, "maps/geocode(place*) -> {latitude: number, longitude: number}"),
		tool(t, "maps/nearby(lat*: number, lng*: number) -> {places: [{place_id, name}]}"),
		tool(t, "maps/details(place_id*) -> {phone}"),
		tool(t, "crm/find_customer(email*) -> {customer_id}"),
		tool(t, "finance/find_currency(country*) -> {currency_code}"),
		tool(t, "billing/statement(customer_id*, currency_code*) -> {balance: number}"),
		tool(t, "crm/delete_customer(email*) -> {customer_id}"),
		tool(t, "other/customers(invoice_number*) -> {customer_id}"),
	}, none)
	for _, tc := range []struct{ has, wants, chain string }{
		{`{"place": "Rome"}`, `{"phone": ""}`, "mcp:maps/geocode mcp:maps/nearby mcp:maps/details"},
		{`{"email": "a@b", "currency_code": "EUR"}`, `{"balance": 1}`, "mcp:crm/find_customer mcp:billing/statement"},
		{`{"email": "a@b", "country": "IT"}`, `{"balance": 1}`, "mcp:crm/find_customer mcp:finance/find_currency mcp:billing/statement"},
		{`{"colour": "red"}`, `{"balance": 1}`, ""},
	} {
		_, chains := x.Find(t.Context(), data(t, tc.has, false), data(t, tc.wants, true), all, even)
		got := ""
		if len(chains) > 0 {
			got = key(chains[0])
			steps := strings.Fields(got)
			slices.Sort(steps[:len(steps)-1]) // those before the last may have either order
			got = strings.Join(steps, " ")
		}
		if got != tc.chain {
			t.Errorf("%s to %s: %s, want %s", tc.has, tc.wants, got, tc.chain)
		}
	}
	only := func(s *specs.Spec) bool { return s.Tool() != "find_customer" }
	_, chains := x.Find(t.Context(), data(t, `{"email": "a@b", "currency_code": "EUR"}`, false), data(t, `{"balance": 1}`, true), only, even)
	for _, c := range chains {
		if strings.Contains(key(c), "find_customer") {
			t.Errorf("a node that is not accepted is in %s", key(c))
		}
	}
}

// TestLearnedAndPorts finds nodes by what was learned of their results, and those of other
// systems by their ports, which decide about their chains as well.
func TestLearnedAndPorts(t *testing.T) {
	port := func(name, schema string) specs.Port {
		return specs.Port{Name: name, Type: "MAIN", DataFormat: &specs.DataFormat{MimeType: "application/json", Schema: json.RawMessage(schema)}}
	}
	pack := func(name string, in, out []specs.Port) *specs.Spec {
		return &specs.Spec{NodeType: "ACTION", Subtype: name, NotRunnable: true, InputPorts: in, OutputPorts: out}
	}
	need := specs.Port{Name: "in", Type: "MAIN", Required: true, ValidationSchema: json.RawMessage(`{"type": "object", "properties": {"document_id": {"type": "string"}}, "required": ["document_id"]}`)}
	audio := need
	audio.Type = "AUDIO"
	learned := tool(t, "s/measure(probe*)")
	list := []*specs.Spec{
		learned,
		pack("UPLOAD", []specs.Port{{Name: "in", Type: "MAIN", ValidationSchema: json.RawMessage(`{"type": "object", "properties": {"filename": {"type": "string"}}}`)}}, []specs.Port{port("out", `{"type": "object", "properties": {"document_id": {"type": "string"}}}`)}),
		pack("READ", []specs.Port{need}, []specs.Port{port("out", `{"type": "object", "properties": {"paragraphs": {"type": "array", "items": {"type": "string"}}}}`)}),
		pack("LISTEN", []specs.Port{audio}, []specs.Port{port("out", `{"type": "object", "properties": {"paragraphs": {"type": "array", "items": {"type": "string"}}}}`)}),
	}
	x := New(nil, list, func(*specs.Spec) json.RawMessage {
		return json.RawMessage(`{"type": "object", "properties": {"ph_value": {"type": "number"}}}`)
	})
	if nodes, _ := x.Find(t.Context(), nil, data(t, `{"ph_value": 7}`, true), all, even); len(nodes) == 0 || nodes[0].Result != `{"ph_value": $.measure.ph_value}` {
		t.Errorf("by what was learned: %+v", nodes)
	}
	if nodes, _ := New(x, list, none).Find(t.Context(), nil, data(t, `{"ph_value": 7}`, true), all, even); len(nodes) != 0 {
		t.Errorf("by what is not known any more: %+v", nodes)
	}
	_, chains := x.Find(t.Context(), data(t, `{"filename": "a.pdf"}`, false), data(t, `{"paragraphs": [""]}`, true), all, even)
	var got []string
	for _, c := range chains {
		got = append(got, key(c))
	}
	if d := cmp.Diff([]string{"ACTION:UPLOAD ACTION:READ"}, got); d != "" {
		t.Error(d)
	}
}
