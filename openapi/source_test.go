package openapi_test

import (
	"compress/gzip"
	"context"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/patchbay-mcp/patchbay/openapi"
)

const minimal = `{"openapi":"3.1.0","paths":{"/a":{"get":{"operationId":"a","responses":{}}}}}`

// loadError returns the error of options, which must be one.
func loadError(t *testing.T, o openapi.Options) string {
	t.Helper()
	tools, err := openapi.Tools(t.Context(), o)
	if err == nil {
		t.Fatalf("%.80s: %q instead of an error", o.Source, toolNames(tools))
	}
	return err.Error()
}

// TestBadDocuments names the source and the place of what is wrong.
func TestBadDocuments(t *testing.T) {
	var aliases strings.Builder
	aliases.WriteString("a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n")
	for i := 1; i < 9; i++ {
		now, before := string(rune('0'+i)), string(rune('0'+i-1))
		aliases.WriteString("a" + now + ": &a" + now + " [" + strings.Repeat("*a"+before+", ", 10) + "]\n")
	}
	for name, c := range map[string]struct{ text, want string }{
		"empty":           {"  \n", "it is empty"},
		"html":            {"<!doctype html>\n<title>Sign in</title>", `it is HTML or XML, not JSON or YAML: "<!doctype html> <title>Sign in</title>"`},
		"json":            {"{\"openapi\": \"3.0.0\",\n  \"paths\": {\"/é\": ]}", "line 2, column 19: it is not valid JSON"},
		"cut":             {`{"openapi": "3.0.0", "pa`, "it is not valid JSON"},
		"twice":           {`{"openapi": "3.0.0", "openapi": "3.1.0"}`, "it is not valid JSON: duplicate object member name"},
		"twice in YAML":   {"openapi: 3.0.0\npaths: {}\nopenapi: 3.1.0\n", `line 3: the key "openapi" is there twice`},
		"more":            {minimal + " {}", "there is more text after the document"},
		"yaml":            {"openapi: 3.0.0\npaths:\n  /a: [1, 2\n  /b: 3\n", "it is not valid YAML"},
		"key":             {"openapi: 3.0.0\npaths:\n  ? [1]\n  : 2\n", "line 3: a key is not a string"},
		"deep":            {"{\"a\":" + strings.Repeat("[", 300) + strings.Repeat("]", 300) + "}", "it is nested deeper than 200 levels"},
		"deep YAML":       {"a: " + strings.Repeat("[", 300) + strings.Repeat("]", 300), "it is nested deeper than 200 levels"},
		"aliases":         {aliases.String(), "it has more than 1000000 values"},
		"alias of itself": {"a: &a {b: *a}\n", "*a"},
		"list":            {"- a\n- b\n", "it is not an object"},
		"text":            {"Not found", "it is not an object"},
		"other":           {"name: x\nversion: 1\n", `it has no "openapi"`},
		"swagger":         {"swagger: '1.2'\npaths: {}\n", `line 1: Swagger "1.2" is not supported: Swagger 2.0, OpenAPI 3.0 and 3.1 are`},
		"version":         {"info: {}\nopenapi: 4.0.0\n", `line 2: OpenAPI "4.0.0" is not supported`},
		"no paths":        {"openapi: 3.1.0\nwebhooks: {}\n", "it has no operations"},
		"no operations":   {"openapi: 3.1.0\npaths: {/a: {}, x-b: {get: {}}}\n", "it has no operations"},
		"paths":           {"openapi: 3.1.0\npaths: [/a]\n", "line 2: paths is not an object"},
		"cycle":           {"openapi: 3.1.0\npaths:\n  /a: {$ref: '#/paths/~1b'}\n  /b: {$ref: '#/paths/~1a'}\n", "leads to itself"},
		"parameter":       {"openapi: 3.1.0\npaths:\n  /a:\n    get:\n      parameters:\n        - {in: boddy, name: x}\n", `line 6: the parameter "x" is in "boddy"`},
		"nameless":        {"openapi: 3.1.0\npaths:\n  /a:\n    get:\n      parameters:\n        - {in: query}\n", "line 6: a parameter has no name"},
		"style":           {"openapi: 3.1.0\npaths:\n  /a:\n    get:\n      parameters:\n        - {in: query, name: x, style: matrix}\n", "has the style"},
		"missing":         {"openapi: 3.1.0\npaths:\n  /a:\n    get:\n      requestBody: {$ref: '#/components/requestBodies/A'}\n", `line 5: the reference "#/components/requestBodies/A" cannot be followed: the document has nothing at that place`},
		"brace":           {"openapi: 3.1.0\npaths:\n  /a/{b:\n    get: {}\n", "brace that is not closed"},
		"server":          {"openapi: 3.1.0\nservers: [{url: 'https://{host}/'}]\npaths: {/a: {get: {}}}\n", "has a variable without a value"},
		"variable":        {"openapi: 3.1.0\nservers:\n  - url: https://{h}/\n    variables: {h: {default: a, enum: [b, c]}}\npaths: {/a: {get: {}}}\n", `the server variable "h" is "a", which is not one of`},
		"ftp":             {"openapi: 3.1.0\nservers: [{url: 'ftp://host/'}]\npaths: {/a: {get: {}}}\n", "is not an http or https URL"},
	} {
		dir := t.TempDir()
		if err := os.WriteFile(filepath.Join(dir, "api"), []byte(c.text), 0o600); err != nil {
			t.Fatal(err)
		}
		got := loadError(t, openapi.Options{Source: "api", Dir: dir})
		if !strings.HasPrefix(got, "api: ") || !strings.Contains(got, c.want) {
			t.Errorf("%s: got %q, want %q", name, got, c.want)
		}
	}
}

// TestBadOptions says which option is wrong.
func TestBadOptions(t *testing.T) {
	for want, o := range map[string]openapi.Options{
		"is empty: give a file":                     {},
		"no such file":                              {Source: "nothing.yaml", Dir: t.TempDir()},
		"it is not a regular file":                  {Source: t.TempDir()},
		`url "shop" is not an http or https URL`:    {Source: minimal, URL: "shop"},
		`the header "A b" is not valid`:             {Source: minimal, Headers: map[string]string{"A b": "c"}},
		`the header "A" is not valid`:               {Source: minimal, Headers: map[string]string{"A": "c\r\nd: e"}},
		`with has "time"`:                           {Source: minimal, With: []string{"time"}},
		`does not choose operations`:                {Source: minimal, Include: []string{"[a"}},
		"none of its 1 operations is included":      {Source: minimal, Include: []string{"tag:b"}},
		`auth names the security scheme "a", and`:   {Source: minimal, Auth: map[string]openapi.Credential{"a": {Token: "b"}}},
		`auth names the security scheme "a"; the`:   {Source: "shop.yaml", Dir: "testdata", Auth: map[string]openapi.Credential{"a": {Token: "b"}}},
		`takes a username without a colon`:          {Source: "shop.yaml", Dir: "testdata", Auth: map[string]openapi.Credential{"login": {Token: "b"}}},
		`"token" takes a token`:                     {Source: "shop.yaml", Dir: "testdata", Auth: map[string]openapi.Credential{"token": {Username: "b"}}},
		`variable "region" is "mars", which is not`: {Source: "shop.yaml", Dir: "testdata", Variables: map[string]string{"region": "mars"}},
	} {
		if got := loadError(t, o); !strings.Contains(got, want) {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}

// TestOneBadOperation leaves it out, and says so.
func TestOneBadOperation(t *testing.T) {
	tools, notes := list(t, openapi.Options{Source: `openapi: 3.1.0
paths:
  /a:
    get: {operationId: a, parameters: [{$ref: "#/components/parameters/none"}]}
  /b:
    get:
      operationId: b
      parameters: [{name: x, in: query, schema: {$ref: "#/components/schemas/None"}}]
      responses: {200: {description: it, content: {application/json: {schema: {$ref: "#/components/schemas/Self"}}}}}
components:
  schemas:
    Self: {$ref: "#/components/schemas/Self"}
`})
	want := []string{
		`GET /a is left out: the OpenAPI document: line 4: the reference "#/components/parameters/none" cannot be followed: the document has nothing at that place`,
		`1 of 2 operations are tools, 1 are left out or not included`,
		`the OpenAPI document: line 8: the reference "#/components/schemas/None" cannot be followed: the document has nothing at that place; any value is accepted there`,
		`the OpenAPI document: line 12: the reference "#/components/schemas/Self" leads to itself; any value is accepted there`,
	}
	if got := strings.Join(notes, "\n"); len(tools) != 1 || got != strings.Join(want, "\n") {
		t.Errorf("%d tools, notes:\n%s\nwant:\n%s", len(tools), got, strings.Join(want, "\n"))
	}
}

// TestReferencesStayInTheFolder refuses what leads out of the document's folder.
func TestReferencesStayInTheFolder(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) {
		t.Helper()
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Mkdir(filepath.Join(dir, "api"), 0o700); err != nil {
		t.Fatal(err)
	}
	write("secret.yaml", "type: string\n")
	if err := os.Symlink(filepath.Join(dir, "secret.yaml"), filepath.Join(dir, "api", "link.yaml")); err != nil {
		t.Skip(err)
	}
	write("api/bad.yaml", "a: [")
	for ref, want := range map[string]string{
		"../secret.yaml":                  "only lead to files below the document's folder",
		"x/../../secret.yaml":             "only lead to files below the document's folder",
		"/etc/passwd":                     "only lead to files below the document's folder",
		"file:///etc/passwd":              "only lead to files below the document's folder",
		"http://169.254.169.254/latest":   "only lead to files below the document's folder",
		"link.yaml":                       "escapes",
		"none.yaml#/A":                    "there is no such file",
		"bad.yaml":                        "bad.yaml: line 2, column 1: it is not valid YAML",
		filepath.Join(dir, "secret.yaml"): "only lead to files below the document's folder",
	} {
		for _, at := range []string{"parameters: [{name: x, in: query, schema: {$ref: '" + ref + "'}}]", "requestBody: {$ref: '" + ref + "'}"} {
			write("api/api.yaml", "openapi: 3.1.0\npaths:\n  /good: {get: {}}\n  /a:\n    post:\n      "+at+"\n")
			got := loadError(t, openapi.Options{Source: "api/api.yaml", Dir: dir})
			if !strings.HasPrefix(got, "api/api.yaml: line 6: the reference ") || !strings.Contains(got, want) {
				t.Errorf("%s: got %q, want %q", ref, got, want)
			}
		}
	}
	if got := loadError(t, openapi.Options{Source: "openapi: 3.1.0\npaths: {/a: {$ref: 'b.yaml'}}\n"}); !strings.Contains(got, "given as text cannot refer to others") {
		t.Errorf("got %q", got)
	}
}

// TestDocumentsByURL fetches documents of one origin, with the operator's headers where
// they belong.
func TestDocumentsByURL(t *testing.T) {
	other := serve(t, func(http.ResponseWriter, *http.Request) { t.Error("another origin was asked") })
	var sawKey bool
	s := serve(t, func(w http.ResponseWriter, r *http.Request) {
		sawKey = r.Header.Get("X-Key") == "k-123"
		switch r.URL.Path {
		case "/api/doc.json":
			w.Header().Set("Content-Encoding", "gzip")
			z := gzip.NewWriter(w)
			_, _ = io.WriteString(z, `{"openapi":"3.1.0","servers":[{"url":"v2"}],"paths":{"/a":{"$ref":"more/paths.yaml#/a"}}}`)
			_ = z.Close()
		case "/api/more/paths.yaml":
			_, _ = io.WriteString(w, "a: {get: {operationId: a}}\n")
		case "/api/v2/a":
			_, _ = io.WriteString(w, `{"here":true}`)
		case "/elsewhere.json":
			_, _ = io.WriteString(w, `{"openapi":"3.1.0","paths":{"/a":{"$ref":"`+other.URL+`/paths.yaml"}}}`)
		case "/moved.json":
			http.Redirect(w, r, other.URL+"/doc.json", http.StatusFound)
		case "/sign-in":
			_, _ = io.WriteString(w, "<html>\n<body>Sign in</body></html>")
		case "/endless":
			for r.Context().Err() == nil {
				_, _ = w.Write(make([]byte, 1<<16))
			}
		case "/slow":
			_, _ = io.WriteString(w, "{")
			w.(http.Flusher).Flush()
			<-r.Context().Done()
		default:
			http.NotFound(w, r)
		}
	})
	a := tool(t, "a", openapi.Options{Source: s.URL + "/api/doc.json?token=secret", Headers: map[string]string{"x-key": "k-123"}})
	if got, ok := answer(t, a, "{}"); !ok || got != `{"status":200,"body":{"here":true}}` || !sawKey {
		t.Errorf("got %s, the header was sent: %t", got, sawKey)
	}
	tool(t, "a", openapi.Options{Source: s.URL + "/api/doc.json", URL: other.URL, Headers: map[string]string{"x-key": "k-123"}})
	if sawKey {
		t.Error("the header for the API was sent to the document's server")
	}
	for path, want := range map[string]string{
		"/none?key=secret": s.URL + "/none answered with HTTP 404: 404 page not found",
		"/sign-in":         s.URL + `/sign-in: it is HTML or XML, not JSON or YAML`,
		"/elsewhere.json":  s.URL + `/elsewhere.json: line 1: the reference "` + other.URL[:20],
		"/moved.json":      s.URL + "/moved.json is not used: it redirects to another origin, " + other.URL,
		"/endless":         s.URL + "/endless answered with more than 20 MiB",
		"/slow":            s.URL + "/slow did not answer within 100ms",
	} {
		o := openapi.Options{Source: s.URL + path}
		if path == "/slow" {
			o.Timeout = 100 * time.Millisecond
		}
		if got := loadError(t, o); !strings.Contains(got, want) || strings.Contains(got, "secret") {
			t.Errorf("%s: got %q, want %q", path, got, want)
		}
	}
	if got := loadError(t, openapi.Options{Source: "http://127.0.0.1:1/doc.json"}); got != "http://127.0.0.1:1/doc.json failed: nothing accepts connections there" {
		t.Errorf("got %q", got)
	}
}

// A large document is refused before it is read, and a load ends with its context.
func TestLargeDocuments(t *testing.T) {
	path := filepath.Join(t.TempDir(), "large.json")
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := f.Truncate(50 << 20); err != nil {
		t.Fatal(err)
	}
	_ = f.Close()
	if got := loadError(t, openapi.Options{Source: path}); got != path+": it is larger than the limit of 20 MiB" {
		t.Errorf("got %q", got)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := openapi.Tools(ctx, openapi.Options{Source: minimal}); err == nil {
		t.Error("it was loaded without a context")
	}
}
