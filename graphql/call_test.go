package graphql

import (
	"context"
	"encoding/json"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/patchbay-mcp/patchbay/internal/tests/graphqltest"
)

// shop starts the API of tests and returns its tools by name.
func shop(t *testing.T, o Options) (*graphqltest.Shop, map[string]Tool) {
	t.Helper()
	s := &graphqltest.Shop{}
	server := httptest.NewServer(s)
	t.Cleanup(server.Close)
	o.Source = server.URL
	tools, _ := toolsOf(t, o)
	return s, tools
}

// call calls a tool and returns its structured content and its texts.
func call(t *testing.T, tool Tool, arguments string) (structured string, texts []string, failed bool) {
	t.Helper()
	if tool.Handler == nil {
		t.Fatal("there is no such tool")
	}
	res, err := tool.Handler(t.Context(), &mcp.CallToolRequest{Params: &mcp.CallToolParamsRaw{Arguments: json.RawMessage(arguments)}})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range res.Content {
		texts = append(texts, c.(*mcp.TextContent).Text)
	}
	raw, _ := res.StructuredContent.(json.RawMessage)
	return string(raw), texts, res.IsError
}

func TestCalls(t *testing.T) {
	_, tools := shop(t, Options{Mutations: []string{"createUser"}})
	for _, test := range []struct{ tool, arguments, want string }{
		{"query_user", `{"id":1}`, `{"user":{"id":"1","name":"Ada","email":"ada@example.com","posts":[{"author":{"email":"ada@example.com","id":"1","name":"Ada"},"id":"10","title":"On engines"},{"author":{"email":"ada@example.com","id":"1","name":"Ada"},"id":"11","title":"On numbers"}]}}`},
		{"query_user", `{"id":"9"}`, `{"user":null}`},
		{"query_user", `{"id":"2","select":"name posts(first: 1) { title }"}`, `{"selected":{"name":"Bob","posts":[{"title":"On boats"}]}}`},
		{"query_user", `{"id":"9","select":null}`, `{"user":null}`},
		{"query_users", `{"limit":1,"select":"{ id }"}`, `{"selected":[{"id":"1"}]}`},
		{"query_search", ``, `{"search":[{"__typename":"Post","author":{"email":"ada@example.com","id":"1","name":"Ada","posts":[{"id":"10","title":"On engines"},{"id":"11","title":"On numbers"}]},"id":"10","title_Post":"On engines"},{"__typename":"Product","id":"20","price":"19.90","stock":7,"title_Product":"Lamp"}]}`},
		{"query_double", `{"n":9007199254740993}`, `{"double":9007199254740993}`},
		{"query_price", `{"amount":1.10}`, `{"price":1.10}`},
		{"mutation_createUser", `{"input":{"name":"Cy","email":"cy@example.com"},"select":"id name"}`, `{"selected":{"id":"3","name":"Cy"}}`},
	} {
		got, texts, failed := call(t, tools[test.tool], test.arguments)
		if failed {
			t.Errorf("%s %s: %q", test.tool, test.arguments, texts)
			continue
		}
		if canonical(t, got) != canonical(t, test.want) {
			t.Errorf("%s %s:\n%s\nwant\n%s", test.tool, test.arguments, got, test.want)
		}
		if len(texts) != 1 || texts[0] != got {
			t.Errorf("%s: the text is %q", test.tool, texts)
		}
	}
}

// canonical sorts the keys of an object, and keeps the digits of numbers.
func canonical(t *testing.T, text string) string {
	t.Helper()
	d := json.NewDecoder(strings.NewReader(text))
	d.UseNumber()
	var v any
	if err := d.Decode(&v); err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	b, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// Data that came with errors is kept, and the error says where it occurred.
func TestPartialData(t *testing.T) {
	_, tools := shop(t, Options{})
	_, texts, failed := call(t, tools["query_products"], "")
	if !failed || len(texts) != 2 || !strings.Contains(texts[0], "the stock is unknown (at products[1].stock)") {
		t.Fatalf("failed %v, texts %q", failed, texts)
	}
	if want := `{"products":[{"id":"20","price":"19.90","stock":7,"title":"Lamp"},{"id":"21","price":"5.00","stock":null,"title":null}]}`; canonical(t, texts[1]) != want {
		t.Errorf("data: %s", texts[1])
	}
}

// Values are variables, whatever is in them.
func TestValuesAreNotText(t *testing.T) {
	s, tools := shop(t, Options{})
	const evil = `1\") { id } } mutation { createUser { id } } #`
	if got, texts, _ := call(t, tools["query_user"], `{"id":"`+evil+`"}`); got != `{"user":null}` {
		t.Errorf("%s %q", got, texts)
	}
	requests := s.Requests()
	last := requests[len(requests)-1]
	if last.Query != tools["query_user"].Document || !strings.Contains(string(last.Variables), "mutation") {
		t.Errorf("sent %s with %s", last.Query, last.Variables)
	}
}

func TestCallsThatAreRefused(t *testing.T) {
	s, tools := shop(t, Options{})
	sent := len(s.Requests())
	for arguments, want := range map[string]string{
		`{}`:                        `query_user: the argument "id" is required`,
		`{"id":null}`:               `the arguments do not fit: at /id got null, expected integer or string`,
		`{"id":true}`:               `at /id got boolean, expected integer or string`,
		`{"ids":"1","id":"1"}`:      `there is no argument "ids": did you mean "id"?`,
		`[1]`:                       `the arguments are not a JSON object`,
		`{"id":"1","select":3}`:     `at /select got number, expected string`,
		`{"id":"1","select":"nam"}`: `Cannot query field "nam" on type "User". Did you mean "name"?`,
		`{"id":"1","select":"name"`: `the arguments are not a JSON object`,
		`{"id":"1","select":"name } } query Other { users { id }"}`: `is not a selection of User`,
		`{"id":"1","select":"...F } fragment F on User { name"}`:    `is not a selection of User`,
		`{"id":"1","select":"badge"}`:                               `argument "size" of type "Int!" is required`,
		`{"id":"1","select":"name(x: $y)"}`:                         `is not a selection of User`,
		`{"id":"1","select":""}`:                                    `is not a selection of User`,
	} {
		_, texts, failed := call(t, tools["query_user"], arguments)
		if !failed || !strings.Contains(strings.Join(texts, "\n"), want) {
			t.Errorf("%s: failed %v, %q, want %s", arguments, failed, texts, want)
		}
	}
	if now := len(s.Requests()); now != sent {
		t.Errorf("%d requests were sent", now-sent)
	}
}

// A tool may be called at the same time, with selections too.
func TestConcurrentCalls(t *testing.T) {
	_, tools := shop(t, Options{})
	var work sync.WaitGroup
	for range 8 {
		for _, arguments := range []string{`{"id":"1"}`, `{"id":"1","select":"name posts { title author { name } }"}`, `{"id":"1","select":"nam"}`} {
			work.Go(func() {
				res, err := tools["query_user"].Handler(context.Background(), &mcp.CallToolRequest{Params: &mcp.CallToolParamsRaw{Arguments: json.RawMessage(arguments)}})
				if err != nil || res.IsError != strings.Contains(arguments, `"nam"`) {
					t.Errorf("%s: %+v, %v", arguments, res, err)
				}
			})
		}
	}
	work.Wait()
}

// The tools work over MCP, as another client's.
func TestRegister(t *testing.T) {
	server := httptest.NewServer(&graphqltest.Shop{})
	defer server.Close()
	s := mcp.NewServer(&mcp.Implementation{Name: "shop"}, nil)
	if err := Register(t.Context(), s, Options{Source: server.URL, Prefix: "a"}, Options{Source: server.URL, Prefix: "a"}); err != nil {
		t.Fatal(err)
	}
	client := connect(t, s)
	res, err := client.CallTool(t.Context(), &mcp.CallToolParams{Name: "a_query_user_2", Arguments: map[string]any{"id": "1", "select": "name"}})
	if err != nil || res.IsError {
		t.Fatal(res, err)
	}
	if text, _ := json.Marshal(res.StructuredContent); string(text) != `{"selected":{"name":"Ada"}}` {
		t.Errorf("%s", text)
	}
}

func connect(t *testing.T, s *mcp.Server) *mcp.ClientSession {
	t.Helper()
	ours, theirs := mcp.NewInMemoryTransports()
	if _, err := s.Connect(context.WithoutCancel(t.Context()), theirs, nil); err != nil {
		t.Fatal(err)
	}
	client, err := mcp.NewClient(&mcp.Implementation{Name: "test"}, nil).Connect(t.Context(), ours, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = client.Close() })
	return client
}
