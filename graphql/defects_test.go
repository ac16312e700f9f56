package graphql

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// Documents that the converter whose rules we follow gets wrong.
func TestDefects(t *testing.T) {
	for name, test := range map[string]struct{ sdl, document string }{
		"members of a union with one field of two types": {
			`type Query { hit: Hit } union Hit = A | B type A { title: String! same: Int } type B { title: String same: Int title_A: Int }`,
			`query Query_hit { hit { __typename ... on A { title_A_: title same } ... on B { title_B: title same title_A } } }`,
		},
		"members of a union with fields of two nullabilities below": {
			`type Query { hit: Hit } union Hit = A | B type A { by: X } type B { by: Y } type X { n: Int } type Y { n: Int! }`,
			`query Query_hit { hit { __typename ... on A { by_A: by { n } } ... on B { by_B: by { n } } } }`,
		},
		"an interface whose implementation narrows a type": {
			`type Query { n: N } interface N { name: String } type A implements N { name: String! more: Int }`,
			`query Query_n { n { __typename name ... on A { more } } }`,
		},
		"a nested field with a required argument": {
			`type Query { u: U } type U { id: ID avatar(size: Int!): String photo(size: Int! = 3): String }`,
			`query Query_u { u { id photo } }`,
		},
		"a type of objects at the depth limit": {
			`type Query { a: A } type A { b: B } type B { c: C } type C { d: D } type D { id: ID }`,
			`query Query_a { a { b { c { __typename } } } }`,
		},
		"a required argument with a default": {
			`type Query { list(limit: Int! = 10, tag: String = "a \"b\""): [Int] }`,
			`query Query_list($limit: Int = 10, $tag: String) { list(limit: $limit, tag: $tag) }`,
		},
		"a type that has only fields with required arguments": {
			`type Query { u: U } type U { f(x: Int!): Int }`,
			`query Query_u { u { __typename } }`,
		},
		"a connection that contains itself": {
			`type Query { c: XConnection } type XConnection { edges: [XEdge] pageInfo: P } type XEdge { cursor: String node: XConnection } type P { more: Boolean }`,
			`query Query_c { c { edges { cursor } pageInfo { more } } }`,
		},
	} {
		tools, err := Tools(t.Context(), Options{Source: test.sdl})
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if tools[0].Document != test.document {
			t.Errorf("%s:\n%s\nwant\n%s", name, tools[0].Document, test.document)
		}
	}
}

// accepts reports whether the input schema of a tool allows some arguments.
func accepts(t *testing.T, tool Tool, arguments string) bool {
	t.Helper()
	doc, err := jsonschema.UnmarshalJSON(strings.NewReader(string(tool.InputSchema.(json.RawMessage))))
	if err != nil {
		t.Fatal(err)
	}
	c := jsonschema.NewCompiler()
	if err := c.AddResource("tool.json", doc); err != nil {
		t.Fatal(err)
	}
	s, err := c.Compile("tool.json")
	if err != nil {
		t.Fatalf("%s: %v", tool.Name, err)
	}
	v, err := jsonschema.UnmarshalJSON(strings.NewReader(arguments))
	if err != nil {
		t.Fatal(err)
	}
	return s.Validate(v) == nil
}

func TestInputSchemas(t *testing.T) {
	tools, _ := toolsOf(t, Options{Source: "testdata/shop.graphql", Mutations: []string{"*"}})
	for _, test := range []struct {
		tool, arguments string
		want            bool
	}{
		{"query_user", `{"id":"1"}`, true},
		{"query_user", `{"id":1}`, true},
		{"query_user", `{"id":1.5}`, false},
		{"query_user", `{"id":null}`, false},
		{"query_user", `{}`, false},
		{"query_user", `{"id":"1","select":"name"}`, true},
		{"query_user", `{"id":"1","name":"x"}`, false},
		{"query_users", `{}`, true},
		{"query_users", `{"limit":3000000000}`, false},
		{"query_users", `{"limit":null}`, false},
		{"query_users", `{"order":"OPEN"}`, true},
		{"query_users", `{"order":null}`, true},
		{"query_users", `{"order":"LOST"}`, false}, // deprecated
		{"query_users", `{"old":1}`, false},        // deprecated
		{"query_users", `{"filter":{"and":[{"name":"x","not":{"near":{"lat":1,"lng":2.5}}}]}}`, true},
		{"query_users", `{"filter":{"and":[{"nam":"x"}]}}`, false},
		{"query_users", `{"filter":{"near":{"lat":1}}}`, false},
		{"query_users", `{"filter":{"status":["OPEN",null]}}`, false},
		{"query_userBy", `{"by":{"id":"1"}}`, true},
		{"query_userBy", `{"by":{}}`, false},
		{"query_userBy", `{"by":{"id":"1","email":"e"}}`, false},
		{"query_userBy", `{"by":{"id":null}}`, false},
		{"query_sum", `{"select":[9007199254740993,"12345678901234567890"]}`, true},
		{"query_sum", `{"select":[1.5]}`, false},
		{"mutation_createUser", `{"input":{"name":"a","email":"b","address":{"street":"c","city":"d"}}}`, true},
		{"mutation_createUser", `{"input":{"name":"a","email":"b","address":{"street":"c"}}}`, false},
	} {
		if got := accepts(t, tools[test.tool], test.arguments); got != test.want {
			t.Errorf("%s %s: accepted %v", test.tool, test.arguments, got)
		}
	}
	schema := string(tools["query_users"].InputSchema.(json.RawMessage))
	for _, part := range []string{`"default":10`, `"default":"OPEN"`, `"default":["OPEN","SENT"]`, `OPEN: Not yet paid`, `"$ref":"#/$defs/Filter"`} {
		if !strings.Contains(schema, part) {
			t.Errorf("the schema of query_users lacks %s: %s", part, schema)
		}
	}
}

// Every scalar of a schema has a type that says what is known of it.
func TestScalars(t *testing.T) {
	names := []string{
		"DateTime", "Date", "Time", "Timestamptz", "ISO8601DateTime", "AWSDateTime", "AWSDate", "LocalDate", "LocalTime", "Duration",
		"UUID", "GUID", "JSON", "JSONB", "AWSJSON", "Any", "JSONObject", "BigInt", "Long", "Int64", "UInt64", "BigDecimal", "Decimal", "BigFloat",
		"URL", "URI", "AWSURL", "EmailAddress", "Email", "AWSEmail", "Money", "Color", "Upload", "Void", "Hash", "Cursor", "Locale", "Currency", "Country", "Phone",
	}
	var sdl strings.Builder
	sdl.WriteString("type Query {\n")
	for _, name := range names {
		sdl.WriteString(name + "(v: " + name + "!): " + name + "!\n")
	}
	sdl.WriteString("}\n")
	for _, name := range names {
		sdl.WriteString("scalar " + name + "\n")
	}
	tools, _ := toolsOf(t, Options{Source: sdl.String(), Scalars: map[string]json.RawMessage{"Money": json.RawMessage(`{"type":"string"}`)}})
	if len(tools) != 40 {
		t.Fatalf("%d tools", len(tools))
	}
	for name, value := range map[string]string{"DateTime": `"2026-11-22T10:00:00Z"`, "JSON": `{"a":[1]}`, "BigInt": `9007199254740993`, "Decimal": `1.10`, "Money": `"3 EUR"`, "Color": `{"r":1}`, "JSONObject": `{}`} {
		if !accepts(t, tools["query_"+name], `{"v":`+value+`}`) {
			t.Errorf("%s refuses %s", name, value)
		}
	}
	for name, value := range map[string]string{"DateTime": `5`, "BigInt": `1.5`, "Money": `3`, "JSONObject": `[]`, "UUID": `true`} {
		if accepts(t, tools["query_"+name], `{"v":`+value+`}`) {
			t.Errorf("%s takes %s", name, value)
		}
	}
}

// What an API returns is what the output schema says.
func TestOutputSchemas(t *testing.T) {
	_, tools := shop(t, Options{Mutations: []string{"*"}})
	for name, arguments := range map[string]string{"query_user": `{"id":"1"}`, "query_users": `{}`, "query_search": `{}`, "query_double": `{"n":3}`, "mutation_createUser": `{"input":{"name":"a","email":"b"}}`} {
		got, texts, failed := call(t, tools[name], arguments)
		if failed {
			t.Fatal(texts)
		}
		out := Tool{Tool: tools[name].Tool}
		copied := *out.Tool
		copied.InputSchema = copied.OutputSchema
		if !accepts(t, Tool{Tool: &copied}, got) {
			t.Errorf("%s returned %s, which is not as %s", name, got, copied.OutputSchema)
		}
		if selected := `{"selected":3}`; name != "query_double" && !accepts(t, Tool{Tool: &copied}, selected) {
			t.Errorf("%s does not allow a selection of the caller", name)
		}
		if accepts(t, Tool{Tool: &copied}, `{"other":1}`) {
			t.Errorf("%s allows any field", name)
		}
	}
}
