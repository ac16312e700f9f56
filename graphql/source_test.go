package graphql

import (
	"compress/gzip"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/internal/tests/graphqltest"
)

// serve starts a server that answers every request by f.
func serve(t *testing.T, f http.HandlerFunc) string {
	t.Helper()
	s := httptest.NewServer(f)
	t.Cleanup(s.Close)
	return s.URL
}

// Every kind of source gives the same tools.
func TestSources(t *testing.T) {
	sdl, err := os.ReadFile("testdata/shop.graphql")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	half := strings.Index(string(sdl), "type Query {")
	for name, text := range map[string]string{"a.graphql": string(sdl[:half]), "b.graphql": string(sdl[half:])} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	var token string
	at := serve(t, func(w http.ResponseWriter, r *http.Request) {
		token = r.Header.Get("Authorization")
		_, _ = w.Write(sdl)
	})
	want := documents(t, Options{Source: "testdata/shop.graphql"})
	for name, source := range map[string]string{"text": string(sdl), "glob": filepath.Join(dir, "*.graphql"), "url": at + "/schema.graphql"} {
		if got := documents(t, Options{Source: source, Headers: map[string]string{"Authorization": "x"}}); !slices.Equal(got, want) {
			t.Errorf("%s: %q", name, got)
		}
	}
	if token != "x" {
		t.Errorf("the URL of SDL got the header %q", token)
	}
	if documents(t, Options{Source: at + "/schema.graphql", Endpoint: "https://api.example.com/graphql", Headers: map[string]string{"Authorization": "x"}}); token != "" {
		t.Errorf("another origin than the endpoint's got the header %q", token)
	}
}

func documents(t *testing.T, o Options) (list []string) {
	t.Helper()
	tools, err := Tools(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	for _, tool := range tools {
		list = append(list, tool.Name+" "+tool.Document+" "+string(tool.InputSchema.(json.RawMessage))+" "+string(tool.OutputSchema.(json.RawMessage)))
	}
	return list
}

// A live endpoint, what it answers as a file, and that without its wrapping are one schema.
func TestIntrospection(t *testing.T) {
	s := &graphqltest.Shop{}
	var answer []byte
	at := serve(t, func(w http.ResponseWriter, r *http.Request) {
		rec := httptest.NewRecorder()
		s.ServeHTTP(rec, r)
		answer = rec.Body.Bytes()
		w.Header().Set("Content-Type", "application/json")
		_, _ = w.Write(answer)
	})
	live := documents(t, Options{Source: at})
	file := filepath.Join(t.TempDir(), "schema.json")
	if err := os.WriteFile(file, answer, 0o600); err != nil {
		t.Fatal(err)
	}
	if got := documents(t, Options{Source: file}); !slices.Equal(got, live) {
		t.Errorf("file: %q", got)
	}
	var outer struct{ Data json.RawMessage }
	if err := json.Unmarshal(answer, &outer); err != nil {
		t.Fatal(err)
	}
	if got := documents(t, Options{Source: string(outer.Data)}); !slices.Equal(got, live) {
		t.Errorf("data alone: %q", got)
	}
}

// What an introspection says is what SDL says, down to defaults, deprecation and oneOf.
func TestIntrospectionHasAll(t *testing.T) {
	const sdl = `type Query { "Finds" find(by: By!, limit: Int! = 10, kinds: [Kind!] = [A], old: Int @deprecated(reason: "x")): [Item!] }
input By @oneOf { id: ID name: String } enum Kind { "First" A B @deprecated } interface Item { id: ID! } type X implements Item { id: ID! n: Int } scalar Date`
	const introspected = `{"__schema":{"queryType":{"name":"Query"},"types":[
{"kind":"OBJECT","name":"Query","fields":[{"name":"find","description":"Finds","type":{"kind":"LIST","ofType":{"kind":"NON_NULL","ofType":{"kind":"INTERFACE","name":"Item"}}},"args":[
 {"name":"by","type":{"kind":"NON_NULL","ofType":{"kind":"INPUT_OBJECT","name":"By"}}},
 {"name":"limit","type":{"kind":"NON_NULL","ofType":{"kind":"SCALAR","name":"Int"}},"defaultValue":"10"},
 {"name":"kinds","type":{"kind":"LIST","ofType":{"kind":"NON_NULL","ofType":{"kind":"ENUM","name":"Kind"}}},"defaultValue":"[A]"},
 {"name":"old","type":{"kind":"SCALAR","name":"Int"},"isDeprecated":true,"deprecationReason":"x"}]}]},
{"kind":"INPUT_OBJECT","name":"By","isOneOf":true,"inputFields":[{"name":"id","type":{"kind":"SCALAR","name":"ID"}},{"name":"name","type":{"kind":"SCALAR","name":"String"}}]},
{"kind":"ENUM","name":"Kind","enumValues":[{"name":"A","description":"First"},{"name":"B","isDeprecated":true}]},
{"kind":"INTERFACE","name":"Item","fields":[{"name":"id","type":{"kind":"NON_NULL","ofType":{"kind":"SCALAR","name":"ID"}}}],"possibleTypes":[{"name":"X"}]},
{"kind":"OBJECT","name":"X","interfaces":[{"name":"Item"}],"fields":[{"name":"id","type":{"kind":"NON_NULL","ofType":{"kind":"SCALAR","name":"ID"}}},{"name":"n","type":{"kind":"SCALAR","name":"Int"}}]},
{"kind":"SCALAR","name":"Date"},{"kind":"SCALAR","name":"Int"},{"kind":"SCALAR","name":"ID"},{"kind":"SCALAR","name":"String"},{"kind":"SCALAR","name":"Boolean"},{"kind":"OBJECT","name":"__Schema","fields":[]}]}}`
	if a, b := documents(t, Options{Source: sdl}), documents(t, Options{Source: introspected}); !slices.Equal(a, b) {
		t.Errorf("SDL: %q\nintrospection: %q", a, b)
	}
}

func TestSourcesThatCannotBeUsed(t *testing.T) {
	dir := t.TempDir()
	write := func(name string, data []byte) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, data, 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	html := serve(t, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		_, _ = io.WriteString(w, "<html><body>Please log in</body></html>")
	})
	refuses := serve(t, func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(http.StatusBadRequest)
		_, _ = io.WriteString(w, `{"errors":[{"message":"introspection is not allowed","extensions":{"code":"INTROSPECTION_DISABLED"}}]}`)
	})
	locked := serve(t, func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusUnauthorized) })
	large := serve(t, func(w http.ResponseWriter, _ *http.Request) {
		_, _ = io.WriteString(w, `{"data":"`)
		for chunk := strings.Repeat("x", 1<<20); ; {
			if _, err := io.WriteString(w, chunk); err != nil {
				return
			}
		}
	})
	bomb := serve(t, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Encoding", "gzip")
		z := gzip.NewWriter(w)
		for range 64 {
			if _, err := z.Write(make([]byte, 1<<20)); err != nil {
				return
			}
		}
		_ = z.Close()
	})
	elsewhere := serve(t, func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, html+"/graphql", http.StatusTemporaryRedirect)
	})
	silent := serve(t, func(_ http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		<-r.Context().Done()
	})
	for name, test := range map[string]struct{ source, want string }{
		"nothing":                {"", "there is no source"},
		"no file":                {filepath.Join(dir, "none.graphql"), "none.graphql: no such file"},
		"no files":               {filepath.Join(dir, "none*.graphql"), "no files match"},
		"a wrong place":          {write("bad.graphql", []byte("type Query {\n  a: Int\n  b }\n}")), `bad.graphql:3:5: Expected :, found }`},
		"an unknown type":        {write("unknown.graphql", []byte("type Query {\n  a: Nothing\n}")), "unknown.graphql:2:6: Undefined type Nothing."},
		"a broken glob":          {filepath.Join(dir, "[a.graphql"), "is not a pattern"},
		"a document of 50 MB":    {write("large.graphql", make([]byte, 50<<20)), "it is larger than the limit of 20 MiB"},
		"empty":                  {write("empty.graphql", []byte(" \n")), "empty.graphql is empty"},
		"no operations":          {"type A { b: Int }", "has neither queries nor mutations"},
		"only mutations":         {"type Mutation { a: Int }", "has only mutations, and none is allowed"},
		"cyclic required":        {"type Query { a(i: I): Int } input I { i: I! }", `Cannot reference Input Object "I" within itself`},
		"interfaces in a circle": {"type Query { a: A } interface A implements B { x: Int } interface B implements A { x: Int }", "not valid"},
		"nested very deep":       {"type Query { a: " + strings.Repeat("[", 100_000) + "Int" + strings.Repeat("]", 100_000) + " }", "not valid"},
		"JSON without schema":    {`{"data":{}}`, "it has no __schema with types"},
		"broken JSON":            {`{"data":`, "is not the result of an introspection"},
		"HTML":                   {html, "answered with text/html that is not JSON: <html><body>Please log in"},
		"HTML in place of SDL":   {html + "/schema.graphql", "answered with HTML, not with a schema"},
		"refused":                {refuses, "refuses introspection: introspection is not allowed [INTROSPECTION_DISABLED]"},
		"locked":                 {locked, "HTTP 401: authentication or authorization failed"},
		"endless":                {large, "answered with more than 20 MiB"},
		"a bomb":                 {bomb, "answered with more than 20 MiB"},
		"redirected":             {elsewhere, "it redirects to another origin"},
		"silent":                 {silent, "did not answer within 150ms"},
		"nobody":                 {"http://127.0.0.1:1/graphql", "nothing accepts connections there"},
	} {
		t.Run(name, func(t *testing.T) {
			o := Options{Source: test.source}
			if name == "silent" {
				o.Timeout = 150 * time.Millisecond
			}
			_, err := Tools(t.Context(), o)
			if err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("%v, want %s", err, test.want)
			}
			if len(test.want) > 0 && err != nil && len(err.Error()) > 1000 {
				t.Errorf("the error has %d bytes", len(err.Error()))
			}
		})
	}
	_, err := Tools(t.Context(), Options{Source: refuses})
	if fault, ok := errors.AsType[*diag.Fault](err); !ok || !strings.Contains(fault.Hint, "give the schema as SDL") {
		t.Errorf("the refusal has no hint: %v", err)
	}
}

// What an endpoint answers to calls.
func TestAnswers(t *testing.T) {
	var status int
	var kind, body string
	count := 0
	at := serve(t, func(w http.ResponseWriter, _ *http.Request) {
		count++
		w.Header().Set("Content-Type", kind)
		w.WriteHeader(status)
		_, _ = io.WriteString(w, body)
	})
	tools, _ := toolsOf(t, Options{Source: "type Query { a: Int } type Mutation { b: Int }", Endpoint: at, Mutations: []string{"*"}})
	for _, test := range []struct {
		status     int
		kind, body string
		want       string
	}{
		{200, "application/json", `{"data":{"a":1}}`, ""},
		{200, "application/json; charset=utf-16le", "{\x00\"\x00d\x00a\x00t\x00a\x00\"\x00:\x00{\x00}\x00}\x00", ""},
		{200, "text/html; charset=iso-8859-1", "gr\xfc\xdfe", "answered with text/html that is not JSON: grüße"},
		{200, "text/html", `<html>`, "answered with text/html that is not JSON: <html>"},
		{200, "application/json", ``, "answered with an empty body"},
		{200, "application/json", `{}`, "neither data nor errors"},
		{200, "application/json", `[]`, "not JSON"},
		{200, "application/json", `{"data":null}`, "the response has no data"},
		{200, "application/json", `{"data":3}`, "the response has no data"},
		{200, "application/json", `{"errors":[{"message":"no","path":["a",0,"b"]}],"data":null}`, "no (at a[0].b)"},
		{200, "application/json", `{"errors":["no"]}`, `"no"`},
		{200, "application/json", `{"errors":{"message":"no"}}`, `no`},
		{400, "application/graphql-response+json", `{"errors":[{"message":"bad"}]}`, "bad"},
		{401, "text/plain", `no`, "HTTP 401: authentication or authorization failed"},
		{404, "text/plain", `gone`, "HTTP 404: gone"},
		{500, "application/json", `{"error":"x"}`, `HTTP 500: {"error":"x"}`},
	} {
		status, kind, body = test.status, test.kind, test.body
		_, texts, failed := call(t, tools["query_a"], "{}")
		if failed != (test.want != "") || !strings.Contains(strings.Join(texts, "\n"), test.want) {
			t.Errorf("%d %s: failed %v, %q", test.status, test.body, failed, texts)
		}
	}
	status, body = http.StatusServiceUnavailable, "busy"
	for name, want := range map[string]int{"query_a": 3, "mutation_b": 1} {
		count = 0
		if call(t, tools[name], "{}"); count != want {
			t.Errorf("%s was sent %d times, want %d", name, count, want)
		}
	}
}
