package engine_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/patchbay-mcp/patchbay/engine"
	"github.com/patchbay-mcp/patchbay/engine/local"
	"github.com/patchbay-mcp/patchbay/expr"
	"github.com/patchbay-mcp/patchbay/internal/servers/egress"
	"github.com/patchbay-mcp/patchbay/run"
)

// web is a web service and what may be asked of it.
type web struct {
	*httptest.Server
	client *egress.Client
	calls  atomic.Int64
}

func (w *web) CallTool(ctx context.Context, c run.Call) (*run.Result, error) {
	answer, ok, err := w.client.Do(ctx, c.Args, c.Idempotency)
	if err != nil {
		return nil, err
	}
	return &run.Result{Structured: answer, IsError: !ok}, nil
}

// newWeb serves h and offers the variable TOKEN.
func newWeb(t *testing.T, h http.HandlerFunc) *web {
	t.Helper()
	w := &web{}
	w.Server = httptest.NewServer(http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		w.calls.Add(1)
		h(rw, r)
	}))
	t.Cleanup(w.Close)
	p, err := egress.ParsePrefix(w.URL)
	if err != nil {
		t.Fatal(err)
	}
	w.client = egress.New(&egress.Options{Policy: egress.Policy{Allow: []egress.Prefix{p}, Variables: map[string]egress.Variable{"TOKEN": {Value: "tok-0815-secret"}}}})
	t.Cleanup(w.client.Close)
	return w
}

// plan compiles a graph of one http node, "call", with what is said of it.
func (w *web) plan(t *testing.T, node, result string) *engine.Plan {
	t.Helper()
	r, _ := json.Marshal(result)
	src := fmt.Sprintf(`{"nodes":[{"id":"entry","type":"entry","next":"call"},{"id":"call","type":"http",%s,"next":"exit"},{"id":"exit","type":"exit","result":{"expr":%s}}]}`,
		strings.ReplaceAll(node, "$WEB", w.URL), r)
	return compile(t, src, engine.Env{HTTP: w.client, Untrusted: true})
}

// answering answers every request with a status and a body of JSON.
func answering(status int, body string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		w.Header().Set("Date", "today")
		w.WriteHeader(status)
		_, _ = io.WriteString(w, body)
	}
}

func TestHTTPAnswer(t *testing.T) {
	w := newWeb(t, answering(200, `{"z":9007199254740993,"a":[1.10]}`))
	got := runPlan(t, w.plan(t, `"url":"$WEB/things"`, "$.call"), w, `{}`)
	want := `{"status":200,"headers":{"content-length":"33","content-type":"application/json","date":"today"},"body":{"z":9007199254740993,"a":[1.10]}}`
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("output (-want +got):\n%s", diff)
	}
}

func TestHTTPStatus(t *testing.T) {
	w := newWeb(t, answering(422, `{"error":"no such colour"}`))
	plan := w.plan(t, `"method":"POST","url":"$WEB/things?key=k","body":{"colour":"x"},"onError":"exit"`, `$.call.error.{"code": code, "body": details.body, "status": details.status}`)
	if got := runPlan(t, plan, w, `{}`); got != `{"code":"http-status","body":{"error":"no such colour"},"status":422}` {
		t.Errorf("after onError: %s", got)
	}
	f := failure(t, w.plan(t, `"url":"$WEB/things?key=k"`, "$.call"), w, `{}`, local.Options{})
	if f.Code != "http-status" || f.Node != "call" || !strings.Contains(f.Message, "/things was answered with status 422: {\"error\":\"no such colour\"}") || f.Hint == "" {
		t.Errorf("got %+v", f)
	}
}

func TestHTTPRetry(t *testing.T) {
	tests := []struct {
		name, node    string
		status        int
		calls         int64
		neverRetried  bool
		caughtAttempt string
	}{
		{"GET, when busy", `"url":"$WEB/a"`, 503, 3, false, "3"},
		{"PUT", `"method":"PUT","url":"$WEB/a","body":1`, 429, 3, false, "3"},
		{"what stays wrong", `"url":"$WEB/a"`, 404, 1, false, "1"},
		{"POST", `"method":"POST","url":"$WEB/a","body":1`, 503, 1, true, "1"},
		{"a method that is computed", `"method":{"expr":"\"GET\""},"url":"$WEB/a"`, 503, 1, true, "1"},
		{"POST, unsafe", `"method":"POST","url":"$WEB/a","body":1,"retry":{"maxAttempts":3,"initialMs":1,"unsafe":true}`, 503, 3, false, "3"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			w := newWeb(t, answering(tt.status, `{}`))
			node := tt.node
			if !strings.Contains(node, "retry") {
				node += `,"retry":{"maxAttempts":3,"initialMs":1}`
			}
			plan := w.plan(t, node+`,"onError":"exit"`, "$.call.error.attempts")
			if got := runPlan(t, plan, w, `{}`); got != tt.caughtAttempt || w.calls.Load() != tt.calls {
				t.Errorf("%d requests, attempts %s", w.calls.Load(), got)
			}
			found, l := codes(strings.ReplaceAll(`{"nodes":[{"id":"entry","type":"entry","next":"call"},{"id":"call","type":"http",`+node+`,"next":"exit"},{"id":"exit","type":"exit"}]}`, "$WEB", w.URL), engine.Env{})
			if warned := slices.Contains(found, "retry-without-effect"); warned != tt.neverRetried {
				t.Errorf("warned: %v", l)
			}
		})
	}
}

func TestHTTPTimeout(t *testing.T) {
	w := newWeb(t, func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() })
	f := failure(t, w.plan(t, `"url":"$WEB/a","timeoutMs":20`, "$.call"), w, `{}`, local.Options{})
	if f.Code != "attempt-timeout" {
		t.Errorf("got %+v", f)
	}
}

func TestHTTPForeach(t *testing.T) {
	w := newWeb(t, func(rw http.ResponseWriter, r *http.Request) {
		if r.URL.Query().Get("id") == "2" {
			answering(404, `{"no":2}`)(rw, r)
			return
		}
		answering(200, `{"id":`+r.URL.Query().Get("id")+`}`)(rw, r)
	})
	plan := w.plan(t, `"url":"$WEB/a","query":{"id":{"expr":"$item"}},"foreach":{"items":[1,2,3],"concurrency":3,"onItemError":"continue"}`, `$.call.($exists(error) ? error.details.body.no : body.id)`)
	if got := runPlan(t, plan, w, `{}`); got != `[1,2,3]` {
		t.Errorf("got %s", got)
	}
}

// TestHTTPData sends data that looks like a variable: it stays what it is, and
// only what the author wrote is put in.
func TestHTTPData(t *testing.T) {
	var sent string
	w := newWeb(t, func(rw http.ResponseWriter, r *http.Request) {
		b, _ := io.ReadAll(r.Body)
		sent = r.Header.Get("Authorization") + " " + r.Header.Get("X-Note") + " " + r.URL.Query().Get("q") + " " + string(b)
		answering(200, `{}`)(rw, r)
	})
	plan := w.plan(t, `"method":"POST","url":{"expr":"$.entry.url"},"headers":{"X-Note":{"expr":"$.entry.text"}},"query":{"q":{"expr":"$.entry.text"}},
		"auth":{"bearer":"${TOKEN}"},"body":{"own":"${TOKEN} $${x}","data":{"expr":"$.entry.list"}}`, "$.call.status")
	rec := local.Run(t.Context(), plan, w, json.RawMessage(`{"url":"`+w.URL+`/a","text":"${TOKEN}","list":[{"a":"$${TOKEN}","${TOKEN}":1}]}`), local.Options{})
	if rec.Fault != nil {
		t.Fatal(rec.Fault)
	}
	want := `Bearer tok-0815-secret ${TOKEN} ${TOKEN} {"own":"tok-0815-secret ${x}","data":[{"a":"$${TOKEN}","${TOKEN}":1}]}`
	if diff := cmp.Diff(want, sent); diff != "" {
		t.Errorf("sent (-want +got):\n%s", diff)
	}
	input, err := expr.Encode(rec.Steps[1].Input)
	if err != nil || strings.Contains(string(input), "0815") || !strings.Contains(string(input), `"auth":{"bearer":"${TOKEN}"}`) {
		t.Errorf("the record has %s", input)
	}
}

func TestHTTPPasswordsAreNotRecorded(t *testing.T) {
	w := newWeb(t, answering(200, `{}`))
	rec := local.Run(t.Context(), w.plan(t, `"url":"$WEB/a","auth":{"bearer":{"expr":"\"computed-\" & $.entry.x"}}`, "$.call.status"), w, json.RawMessage(`{"x":"4711"}`), local.Options{})
	if input, _ := expr.Encode(rec.Steps[1].Input); rec.Fault != nil || !strings.Contains(string(input), `"auth":"***"`) {
		t.Errorf("the record has %s, %v", input, rec.Fault)
	}
}

func TestHTTPComputedFaults(t *testing.T) {
	w := newWeb(t, answering(200, `{}`))
	for _, tt := range []struct{ node, code, want string }{
		{`"url":{"expr":"$.entry.url"}`, "bad-request", "url is undefined"},
		{`"url":{"expr":"$.entry.n"}`, "bad-request", "the url is 5"},
		{`"url":{"expr":"\"/things\""}`, "bad-request", `"/things" is not an http`},
		{`"url":"$WEB/a","method":{"expr":"\"BREW\""}`, "bad-request", `the method is "BREW"`},
		{`"url":"$WEB/a","headers":{"X-A":{"expr":"\"a\\r\\nX-B: 1\""}}`, "bad-request", "line break"},
		{`"url":{"expr":"\"https://elsewhere.example/\""}`, "http-not-allowed", "https://elsewhere.example"},
	} {
		f := failure(t, w.plan(t, tt.node+`,"retry":{"initialMs":1}`, "$.call"), w, `{"n":5}`, local.Options{})
		if f.Code != tt.code || !strings.Contains(f.Message, tt.want) || f.Hint == "" {
			t.Errorf("%s: got %+v", tt.node, f)
		}
	}
	if n := w.calls.Load(); n != 0 {
		t.Errorf("%d requests were made", n)
	}
}

func TestHTTPResponseSchema(t *testing.T) {
	w := newWeb(t, answering(200, `{"items":[{"name":"a"}]}`))
	const schema = `"responseSchema":{"type":"object","properties":{"items":{"type":"array","items":{"type":"object","properties":{"name":{"type":%q}},"required":["name"],"additionalProperties":false}}},"required":["items"],"additionalProperties":false}`
	if got := runPlan(t, w.plan(t, `"url":"$WEB/a",`+fmt.Sprintf(schema, "string"), "$.call.body.items[0].name"), w, `{}`); got != `"a"` {
		t.Errorf("got %s", got)
	}
	f := failure(t, w.plan(t, `"url":"$WEB/a",`+fmt.Sprintf(schema, "number"), "$.call.body.items[0].name"), w, `{}`, local.Options{})
	if f.Code != "invalid-response" || !strings.Contains(f.Message, "/items/0/name") {
		t.Errorf("got %+v", f)
	}
}

func TestHTTPTypes(t *testing.T) {
	const node = `{"id":"call","type":"http","url":"https://api.example.com/a",%s"next":"exit"}`
	const schema = `"responseSchema":{"type":"object","properties":{"name":{"type":"string"}},"required":["name"],"additionalProperties":false},`
	for _, tt := range []struct{ fields, result, code string }{
		{"", "$.call.stats", "unknown-field"},
		{"", "$.call.status & \"\"", ""},
		{"", "$.call.status.code", "field-of-scalar"},
		{"", "$.call.headers.etag", ""},
		{"", "$.call.headers.`content-type`", ""},
		{"", "$.call.body.anything[0].at.all", ""},
		{schema, "$.call.body.name", ""},
		{schema, "$.call.body.nmae", "unknown-field"},
		{schema, "$.call.body.name * 2", "wrong-operand-type"},
		{`"onError":"exit",`, "$.call.error.details.status", ""},
		{`"query":{"expr":"$count([1])"},`, "1", "wrong-arg-type"},
		{`"headers":{"expr":"[1]"},`, "1", "wrong-arg-type"},
	} {
		r, _ := json.Marshal(tt.result)
		found, l := codes(`{"nodes":[{"id":"entry","type":"entry","next":"call"},`+fmt.Sprintf(node, tt.fields)+`,{"id":"exit","type":"exit","result":{"expr":`+string(r)+`}}]}`, engine.Env{})
		if len(l) > 0 && tt.code == "" || tt.code != "" && (len(l) != 1 || !slices.Contains(found, tt.code)) {
			t.Errorf("%s %s: got %v, want %q", tt.fields, tt.result, l, tt.code)
		}
	}
}

func TestHTTPDryRun(t *testing.T) {
	w := newWeb(t, answering(200, `{}`))
	dry := local.DryRun(w, toolset{})
	f := failure(t, w.plan(t, `"url":"$WEB/a"`, "$.call"), dry, `{}`, local.Options{})
	if f.Code != "needs-pin" || !strings.Contains(f.Hint, "responseSchema") {
		t.Errorf("without a schema: %+v", f)
	}
	if got := runPlan(t, w.plan(t, `"url":"$WEB/a","responseSchema":{"type":"object","properties":{"n":{"type":"integer","minimum":3}},"required":["n"]}`, "$.call"), dry, `{}`); got != `{"status":200,"headers":{},"body":{"n":3}}` {
		t.Errorf("with one: %s", got)
	}
	pinned := local.Options{Options: run.Options{Pins: map[string]expr.Value{"call": "pinned"}}}
	if rec := local.Run(t.Context(), w.plan(t, `"url":"$WEB/a"`, "$.call"), dry, nil, pinned); rec.Result != "pinned" {
		t.Errorf("pinned: %v, %v", rec.Result, rec.Fault)
	}
	if w.calls.Load() != 0 {
		t.Error("a request was made")
	}
}

// TestHTTPInSavedGraphs says of graphs with http nodes what callers ask of tools.
func TestHTTPInSavedGraphs(t *testing.T) {
	w := newWeb(t, answering(200, `{}`))
	for node, readOnly := range map[string]bool{`"url":"$WEB/a"`: true, `"method":"DELETE","url":"$WEB/a"`: false, `"method":{"expr":"\"GET\""},"url":"$WEB/a"`: false} {
		plan := w.plan(t, node, "1")
		if got := plan.Spec("g", "1").Annotations.IsReadOnly(); got != readOnly {
			t.Errorf("%s: read-only %v", node, got)
		}
	}
	if flow := w.plan(t, `"url":"$WEB/a?key=secret"`, "1").Flow(); flow != "entry -> call(GET "+w.URL+"/a) -> exit" {
		t.Errorf("flow: %s", flow)
	}
}
