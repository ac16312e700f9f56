package openapi_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/patchbay-mcp/patchbay/openapi"
)

// serve starts a server of the test's own.
func serve(t testing.TB, h http.HandlerFunc) *httptest.Server {
	t.Helper()
	s := httptest.NewServer(h)
	t.Cleanup(s.Close)
	return s
}

// tool returns the tool of a name.
func tool(t testing.TB, name string, o openapi.Options) *openapi.Tool {
	t.Helper()
	tools, err := openapi.Tools(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	for i := range tools {
		if tools[i].Name == name {
			return &tools[i]
		}
	}
	t.Fatalf("there is no tool %q among %q", name, toolNames(tools))
	return nil
}

// text is the text of a result.
func text(r *mcp.CallToolResult) string { return r.Content[0].(*mcp.TextContent).Text }

// answer calls a tool and returns its structured content, or the text of an error.
func answer(t testing.TB, tool *openapi.Tool, args string) (string, bool) {
	t.Helper()
	r := tool.Call(t.Context(), json.RawMessage(args))
	if r.IsError {
		return text(r), false
	}
	if raw, ok := r.StructuredContent.(json.RawMessage); ok {
		return string(raw), true
	}
	return text(r), true
}

// echo answers with the request as a text.
func echo(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	var line strings.Builder
	line.WriteString(r.Method + " " + r.RequestURI)
	for _, name := range []string{"X-Trace", "X-List", "Cookie", "Content-Type", "Authorization"} {
		if v := r.Header.Get(name); v != "" && !strings.HasPrefix(v, "multipart/") {
			line.WriteString("\n" + name + ": " + v)
		}
	}
	w.Header().Set("Content-Type", "text/plain")
	_, _ = io.WriteString(w, line.String()+"\n"+string(body))
}

const echoed = `, responses: {200: {description: it, content: {text/plain: {schema: {type: string}}}}}`

// TestParameters sends arguments of every style and compares the request.
func TestParameters(t *testing.T) {
	s := serve(t, echo)
	const array, object = `["a b","c/d",3]`, `{"r":100,"g":"x y"}`
	for _, c := range []struct{ place, more, value, want string }{
		{"path", "", `"a/b c?"`, "/x/a%2Fb%20c%3F"},
		{"path", "", array, "/x/a%20b,c%2Fd,3"},
		{"path", "", object, "/x/r,100,g,x%20y"},
		{"path", ", explode: true", object, "/x/r=100,g=x%20y"},
		{"path", ", style: label", `5`, "/x/.5"},
		{"path", ", style: label", array, "/x/.a%20b,c%2Fd,3"},
		{"path", ", style: label, explode: true", array, "/x/.a%20b.c%2Fd.3"},
		{"path", ", style: matrix", `5`, "/x/;p=5"},
		{"path", ", style: matrix", array, "/x/;p=a%20b,c%2Fd,3"},
		{"path", ", style: matrix, explode: true", array, "/x/;p=a%20b;p=c%2Fd;p=3"},
		{"path", ", style: matrix, explode: true", object, "/x/;r=100;g=x%20y"},
		{"query", "", `"a&b=c"`, "/x?p=a%26b%3Dc"},
		{"query", "", `9007199254740993`, "/x?p=9007199254740993"},
		{"query", "", `1.10`, "/x?p=1.10"},
		{"query", "", `true`, "/x?p=true"},
		{"query", "", `null`, "/x"},
		{"query", "", `[]`, "/x"},
		{"query", "", array, "/x?p=a+b&p=c%2Fd&p=3"},
		{"query", ", explode: false", array, "/x?p=a+b,c%2Fd,3"},
		{"query", "", object, "/x?r=100&g=x+y"},
		{"query", ", explode: false", object, "/x?p=r,100,g,x+y"},
		{"query", ", style: spaceDelimited", array, "/x?p=a+b%20c%2Fd%203"},
		{"query", ", style: pipeDelimited", array, "/x?p=a+b%7Cc%2Fd%7C3"},
		{"query", ", style: deepObject", `{"a":1,"b":{"c":[1,2]}}`, "/x?p%5Ba%5D=1&p%5Bb%5D%5Bc%5D=1&p%5Bb%5D%5Bc%5D=2"},
		{"query", ", allowReserved: true", `"a/b?c&d#e"`, "/x?p=a/b?c%26d%23e"},
		{"query", ", content: {application/json: {schema: {type: object}}}", `{"a":1.10}`, "/x?p=%7B%22a%22%3A1.10%7D"},
		{"header", "", array, "/x\nX-List: a b,c/d,3"},
		{"header", ", explode: true", object, "/x\nX-List: r=100,g=x y"},
		{"cookie", "", `"a; b"`, "/x\nCookie: p=a%3B%20b"},
	} {
		name, path := "p", "/x"
		if c.place == "header" {
			name = "X-List"
		}
		if c.place == "path" {
			path = "/x/{p}"
		}
		doc := fmt.Sprintf("openapi: 3.1.0\npaths:\n  %s:\n    get: {operationId: op, parameters: [{name: %s, in: %s, required: %v%s}]%s}\n", path, name, c.place, c.place == "path", c.more, echoed)
		op := tool(t, "op", openapi.Options{Source: doc, URL: s.URL})
		got, ok := answer(t, op, `{"`+name+`":`+c.value+`}`)
		var shown struct{ Body string }
		_ = json.Unmarshal([]byte(got), &shown)
		if want := "GET " + c.want + "\n"; !ok || shown.Body != want {
			t.Errorf("%s%s %s: got %q, want %q", c.place, c.more, c.value, got, want)
		}
	}
}

// TestArguments refuses what does not fit before a request is made.
func TestArguments(t *testing.T) {
	s := serve(t, func(http.ResponseWriter, *http.Request) { t.Error("a request was made") })
	op := tool(t, "op", openapi.Options{URL: s.URL, Source: `{"openapi":"3.0.0","paths":{"/a/{id}/b":{"post":{"operationId":"op",
		"parameters":[{"name":"id","in":"path","required":true,"schema":{"type":"string"}},{"name":"X-Trace","in":"header","schema":{"type":"string"}}],
		"requestBody":{"required":true,"content":{"application/octet-stream":{}}},"responses":{}}}}}`})
	for args, want := range map[string]string{
		`[]`:                                    "not a JSON object",
		`{"id":1,`:                              "not a JSON object",
		`{}`:                                    `the argument "id" is required`,
		`{"id":null,"body":""}`:                 `the arguments do not fit: at /id got null, expected string`,
		`{"id":1,"body":""}`:                    `at /id got number, expected string`,
		`{"id":"1"}`:                            `the argument "body" is required`,
		`{"id":"1","body":"","x-trace":"a"}`:    `did you mean "X-Trace"?`,
		`{"id":"1","body":"","zzz":1}`:          `there is no argument "zzz": the operation has`,
		`{"id":"","body":""}`:                   "cannot be empty",
		`{"id":"..","body":""}`:                 "leads elsewhere",
		`{"id":"a","body":"","X-Trace":"a\nb"}`: "a header cannot have",
		`{"id":"a","body":"%"}`:                 "base64",
		`{"id":"a","body":7}`:                   "at /body got number, expected string",
	} {
		if got, ok := answer(t, op, args); ok || !strings.Contains(got, want) {
			t.Errorf("%s: got %q, want %q", args, got, want)
		}
	}
}

// TestBodies sends the body of each kind.
func TestBodies(t *testing.T) {
	s := serve(t, echo)
	op := func(content string) *openapi.Tool {
		return tool(t, "op", openapi.Options{URL: s.URL, Source: "openapi: 3.0.3\npaths:\n  /x:\n    post: {operationId: op, requestBody: {content: {" + content + "}}" + echoed + "}\n"})
	}
	for _, c := range []struct{ content, args, want string }{
		{"application/json: {}", `{"body":{"n":9007199254740993,"d":1.10,"s":"<é>"}}`, "POST /x\nContent-Type: application/json\n{\"n\":9007199254740993,\"d\":1.10,\"s\":\"<é>\"}"},
		{"application/merge-patch+json: {}", `{"body":null}`, "POST /x\nContent-Type: application/merge-patch+json\nnull"},
		{"application/json: {}", `{}`, "POST /x\n"},
		{"text/plain: {}", `{"body":"a\nb"}`, "POST /x\nContent-Type: text/plain\na\nb"},
		{"application/pdf: {}", `{"body":"aGk="}`, "POST /x\nContent-Type: application/pdf\nhi"},
		{
			"application/x-www-form-urlencoded: {schema: {properties: {a: {}, b: {}, c: {}}}, encoding: {b: {explode: false}, c: {style: deepObject}}}",
			`{"body":{"a":["x y",1],"b":[1,2],"c":{"k":1},"d":{"e":1.10}}}`,
			"POST /x\nContent-Type: application/x-www-form-urlencoded\na=x+y&a=1&b=1,2&c%5Bk%5D=1&e=1.10",
		},
	} {
		got, ok := answer(t, op(c.content), c.args)
		var shown struct{ Body string }
		_ = json.Unmarshal([]byte(got), &shown)
		if !ok || shown.Body != c.want {
			t.Errorf("%s %s: got %q, want %q", c.content, c.args, got, c.want)
		}
	}
}

// TestMultipart sends files and fields as parts.
func TestMultipart(t *testing.T) {
	var parts []string
	s := serve(t, func(w http.ResponseWriter, r *http.Request) {
		read, err := r.MultipartReader()
		if err != nil {
			t.Error(err)
			return
		}
		for {
			p, err := read.NextPart()
			if errors.Is(err, io.EOF) {
				break
			}
			data, _ := io.ReadAll(p)
			parts = append(parts, p.FormName()+"|"+p.FileName()+"|"+p.Header.Get("Content-Type")+"|"+string(data))
		}
		_, _ = io.WriteString(w, "done")
	})
	op := tool(t, "post_orders_id_photos_ext", openapi.Options{Source: "shop.yaml", Dir: "testdata", URL: s.URL})
	got, ok := answer(t, op, `{"id":"7","ext":"jpg","body":{"photo":{"base64":"aGk=","filename":"a\"b.jpg","contentType":"image/jpeg"},
		"more":[{"text":"one"},{"text":"two"}],"caption":"é","place":{"lat":1.10},"other":5}}`)
	want := []string{
		"photo|a%22b.jpg|image/jpeg|hi", "more|more|application/octet-stream|one", "more|more|application/octet-stream|two",
		"caption|||é", `place||application/json|{"lat":1.10}`, "other|||5",
	}
	if !ok || got != `{"body":"done"}` || strings.Join(parts, "\n") != strings.Join(want, "\n") {
		t.Errorf("got %s and the parts\n%s\nwant\n%s", got, strings.Join(parts, "\n"), strings.Join(want, "\n"))
	}
	for _, bad := range []string{`{"photo":{"base64":"%"}}`, `{"photo":{}}`, `{"photo":{"text":"","contentType":"a\nb"}}`, `7`} {
		if got, ok := answer(t, op, `{"id":"7","ext":"jpg","body":`+bad+`}`); ok {
			t.Errorf("%s: got %s", bad, got)
		}
	}
}

// TestAnswers says what comes of each kind of answer.
func TestAnswers(t *testing.T) {
	var reply atomic.Value // an http.HandlerFunc
	s := serve(t, func(w http.ResponseWriter, r *http.Request) { reply.Load().(http.HandlerFunc)(w, r) })
	write := func(status int, media, body string) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) {
			w.Header()["Content-Type"] = []string{media}
			w.Header().Set("X-Page", "2")
			w.WriteHeader(status)
			_, _ = io.WriteString(w, body)
		}
	}
	shop := openapi.Options{Source: "shop.yaml", Dir: "testdata", URL: s.URL, Deprecated: true, MaxBytes: 1000}
	with := shop
	with.With = []string{"status", "headers"}
	for _, c := range []struct {
		tool, args string
		o          openapi.Options
		reply      http.HandlerFunc
		want       string
		ok         bool
	}{
		{"getOrder", `{"id":1}`, shop, write(200, "application/json", ` {"id":9007199254740993,"total":1.10} `), `{"id":9007199254740993,"total":1.10}`, true},
		{"getOrder", `{"id":1}`, shop, write(200, "text/html", `{"id":1}`), `{"id":1}`, true},
		{"getOrder", `{"id":1}`, shop, write(200, "application/json", `[1]`), `[1]`, true},
		{"getOrder", `{"id":1}`, shop, write(200, "application/json", "\ufeff{\"id\":\"\xff\"}"), "{\"id\":\"\ufffd\"}", true},
		{"getOrder", `{"id":1}`, shop, write(204, "", ""), `null`, true},
		{"getOrder", `{"id":1}`, shop, write(200, "text/html", `<html>Sign in</html>`), "GET " + s.URL + "/orders/1 answered 200 OK with text/html, which is not JSON: <html>Sign in</html>", false},
		{"getOrder", `{"id":1}`, shop, write(200, "application/json", `{"id":`), "which is not JSON", false},
		{"getOrder", `{"id":1}`, shop, write(404, "application/problem+json", `{"title":"none"}`), "GET " + s.URL + `/orders/1 answered 404 Not Found: {"title":"none"}`, false},
		{"getOrder", `{"id":1}`, shop, write(500, "", "\xff\xfd"), "(2 bytes that are not text)", false},
		{"getOrder", `{"id":1}`, shop, write(200, "application/json", strings.Repeat(" ", 2000)), "GET " + s.URL + "/orders/1 answered with more than 1000 bytes", false},
		{"getOrder", `{"id":1}`, shop, func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }, "GET " + s.URL + "/orders/1 failed: EOF", false},
		{"listOrders", `{}`, shop, write(200, "application/json", `[{"id":1}]`), `{"body":[{"id":1}]}`, true},
		{"create_order", `{"body":{"lines":[],"secret":"s"}}`, with, write(201, "application/json", `{"id":1}`), `"status":201,"headers":{"content-length":"8","content-type":"application/json","date":`, true},
		{"put_orders_id", `{"id":1}`, shop, write(204, "", ""), `{"status":204}`, true},
		{"put_orders_id", `{"id":1}`, shop, write(200, "application/json", `{"a":1}`), `{"status":200,"body":{"a":1}}`, true},
		{"report", `{}`, shop, write(200, "application/pdf", "%PDF\xff"), `{"body":{"base64":"JVBERv8=","mimeType":"application/pdf"}}`, true},
		{"getOrder", `{"id":1}`, shop, write(500, "text/plain; charset=iso-8859-1", "gr\xfc\xdfe"), "500 Internal Server Error: grüße", false},
		{"getOrder", `{"id":1}`, shop, write(200, "application/json", "\xff\xfe{\x00}\x00"), `{}`, true},
		{"put_orders_id", `{"id":1}`, shop, write(200, "text/plain; charset=iso-8859-1", "gr\xfc\xdfe"), `{"status":200,"body":"grüße"}`, true},
		{"put_orders_id", `{"id":1}`, shop, write(200, "application/x-ndjson", "{\"a\":1}\n\n[2]\n"), `{"status":200,"body":[{"a":1},[2]]}`, true},
		{"put_orders_id", `{"id":1}`, shop, write(200, "application/jsonl", `{"a":1}`), `{"status":200,"body":[{"a":1}]}`, true},
		{"put_orders_id", `{"id":1}`, shop, write(200, "application/yaml", "a: 1\n"), `{"status":200,"body":"a: 1\n"}`, true},
		{"put_orders_id", `{"id":1}`, shop, write(200, "application/soap+xml", "<a/>"), `{"status":200,"body":"<a/>"}`, true},
		{"checkReport", `{}`, shop, write(200, "application/pdf", ""), `"x-page":"2"`, true},
		{"create_order", `{"body":{"lines":[],"secret":"s"}}`, shop, func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, "/elsewhere", http.StatusFound) }, "POST " + s.URL + "/orders is not used: it answers a POST with a redirect to a GET of", false},
		{"getOrder", `{"id":1}`, shop, func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, "http://elsewhere.example/", http.StatusFound)
		}, "it redirects to another origin, http://elsewhere.example", false},
		{"getOrder", `{"id":1}`, shop, func(w http.ResponseWriter, r *http.Request) {
			if r.URL.Path != "/there" {
				http.Redirect(w, r, "/there", http.StatusFound)
				return
			}
			write(200, "application/json", `{"id":2}`)(w, r)
		}, `{"id":2}`, true},
	} {
		reply.Store(c.reply)
		got, ok := answer(t, tool(t, c.tool, c.o), c.args)
		if ok != c.ok || !strings.Contains(got, c.want) {
			t.Errorf("%s: got %s, want %s", c.tool, got, c.want)
		}
	}
}

// TestUnreachable says which request failed and why, without the query.
func TestUnreachable(t *testing.T) {
	s := httptest.NewServer(http.HandlerFunc(echo))
	s.Close()
	op := tool(t, "create_order", openapi.Options{Source: "shop.yaml", Dir: "testdata", URL: s.URL})
	if got, ok := answer(t, op, `{"body":{"lines":[],"secret":"s"}}`); ok || !strings.HasPrefix(got, "POST "+s.URL+"/orders failed: ") || !strings.Contains(got, "nothing accepts connections") {
		t.Errorf("got %s", got)
	}
	none := tool(t, "getBook", openapi.Options{Source: "library.json", Dir: "testdata"})
	if got, ok := answer(t, none, `{"isbn":"9780141036144"}`); ok || !strings.Contains(got, "set url") {
		t.Errorf("got %s", got)
	}
}

// A request ends with the call.
func TestTimeout(t *testing.T) {
	s := serve(t, func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.WriteString(w, "{")
		w.(http.Flusher).Flush()
		<-r.Context().Done()
	})
	op := tool(t, "getOrder", openapi.Options{Source: "shop.yaml", Dir: "testdata", URL: s.URL, Timeout: 50 * time.Millisecond})
	if got, ok := answer(t, op, `{"id":1}`); ok || !strings.Contains(got, "GET "+s.URL+"/orders/1 did not answer within 50ms") {
		t.Errorf("got %s", got)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if r := op.Call(ctx, json.RawMessage(`{"id":1}`)); !r.IsError || text(r) != "GET "+s.URL+"/orders/1 failed: context canceled" {
		t.Errorf("got %+v", r)
	}
}
