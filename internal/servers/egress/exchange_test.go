package egress_test

import (
	"compress/gzip"
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/internal/secrets"
	"github.com/patchbay-mcp/patchbay/internal/servers/egress"
)

// serve starts a server of the test's own.
func serve(t *testing.T, h http.HandlerFunc) *httptest.Server {
	t.Helper()
	s := httptest.NewServer(h)
	t.Cleanup(s.Close)
	return s
}

// client allows what is named and offers some variables.
func client(t *testing.T, o egress.Options, allow ...string) *egress.Client {
	t.Helper()
	for _, text := range allow {
		p, err := egress.ParsePrefix(text)
		if err != nil {
			t.Fatalf("%s: %v", text, err)
		}
		o.Allow = append(o.Allow, p)
	}
	if o.Variables == nil {
		o.Variables = map[string]egress.Variable{"TOKEN": {Value: "tok-0815-secret"}, "KEY": {Value: `k/"e"y+0815`}}
	}
	c := egress.New(&o)
	t.Cleanup(c.Close)
	return c
}

// ask makes a request that must be answered.
func ask(t *testing.T, c *egress.Client, request string) (answer string, ok bool) {
	t.Helper()
	b, ok, err := c.Do(t.Context(), json.RawMessage(request), "")
	if err != nil {
		t.Fatalf("%s: %v", request, err)
	}
	return string(b), ok
}

// body is that of an answer.
func body(t *testing.T, answer string) string {
	t.Helper()
	var a struct {
		Body json.RawMessage `json:"body"`
	}
	if err := json.Unmarshal([]byte(answer), &a); err != nil {
		t.Fatalf("%s: %v", answer, err)
	}
	return string(a.Body)
}

// refusal makes a request that must fail.
func refusal(t *testing.T, c *egress.Client, request string) *diag.Fault {
	t.Helper()
	b, _, err := c.Do(t.Context(), json.RawMessage(request), "")
	f, ok := errors.AsType[*diag.Fault](err)
	if !ok {
		t.Fatalf("%s: got %s, %v", request, b, err)
	}
	return f
}

// echo answers with what it was sent.
func echo(w http.ResponseWriter, r *http.Request) {
	sent, _ := io.ReadAll(r.Body)
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(map[string]any{"method": r.Method, "uri": r.RequestURI, "headers": r.Header, "body": string(sent)})
}

func TestAnswers(t *testing.T) {
	tests := []struct {
		name, kind, body, want string
		status                 int
	}{
		{"JSON, exact", "application/json", `{"z":9007199254740993,"a":1.10,"m":{"y":1e2}}`, `{"z":9007199254740993,"a":1.10,"m":{"y":1e2}}`, 200},
		{"a kind of JSON", "application/problem+json; charset=utf-8", " [1,2]\n", `[1,2]`, 200},
		{"JSON behind a mark", "application/json", "\ufeff{}", `{}`, 200},
		{"nothing that says it is JSON", "application/json", " ", `null`, 200},
		{"text", "text/plain; charset=utf-8", "Grüße\n", `"Grüße\n"`, 200},
		{"text in another code", "text/html; charset=ISO-8859-1", "Gr\xfc\xdfe \x80", `"Grüße €"`, 200},
		{"text in UTF-16", "text/csv; charset=utf-16", "\xff\xfeG\x00\xfc\x00\x3d\xd8\x00\xde", `"Gü😀"`, 200},
		{"text in UTF-16 that does not say so", "text/csv", "\xfe\xff\x00G\x00\xfc", `"Gü"`, 200},
		{"half of a character in UTF-16", "text/csv; charset=utf-16le", "G\x00\x3d\xd8", `{"base64":"RwA92A==","mimeType":"text/csv"}`, 200},
		{"text in a code that is not known", "text/plain; charset=iso-2022-jp", "\x1b$B$\"\x1b(B", `{"base64":"GyRCJCIbKEI=","mimeType":"text/plain"}`, 200},
		{"ASCII in a code that is not known", "text/plain; charset=koi8-r", "ok\r\n", `"ok\r\n"`, 200},
		{"JSON in another code", "application/json; charset=iso-8859-1", "\"caf\xe9\"", `"café"`, 200},
		{"JSON in UTF-8 that says Latin-1", "application/json; charset=iso-8859-1", `"café"`, `"café"`, 200},
		{"JSON in UTF-16", "application/json", "\xff\xfe[\x001\x00]\x00", `[1]`, 200},
		{"three line ends, and a character beyond U+FFFF", "text/plain", "a\r\nb\nc\r😀", `"a\r\nb\nc\r😀"`, 200},
		{"JSON on each line", "application/x-ndjson", "\ufeff{\"n\":9007199254740993}\r\n\r\n[2]\n", `[{"n":9007199254740993},[2]]`, 200},
		{"a sequence of JSON", "application/geo+json-seq", "\x1e{}\n\x1e{\n}\n", "[{},{\n}]", 200},
		{"no lines", "application/jsonl", "\n", `[]`, 200},
		{"lines that are not JSON", "application/jsonl", "{}\n{", `"{}\n{"`, 200},
		{"YAML", "application/vnd.oai.openapi+yaml", "a: 1", `"a: 1"`, 200},
		{"XML", "application/xml; charset=iso-8859-1", "<a>\xe9</a>", `"<a>é</a>"`, 200},
		{"bytes behind what is no mark", "application/pdf", "\ufeff", `{"base64":"77u/","mimeType":"application/pdf"}`, 200},
		{"bytes", "image/png", "\x89PNG", `{"base64":"iVBORw==","mimeType":"image/png"}`, 200},
		{"bytes that claim to be text", "text/plain", "\xff\x00", `{"base64":"/wA=","mimeType":"text/plain"}`, 200},
		{"none", "", "", `null`, 204},
		{"an error with what is no JSON", "application/json", "<html>", `"<html>"`, 502},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := serve(t, func(w http.ResponseWriter, _ *http.Request) {
				w.Header().Set("Content-Type", tt.kind)
				w.Header().Set("X-Two", "a")
				w.Header().Add("X-Two", "b")
				w.WriteHeader(tt.status)
				_, _ = io.WriteString(w, tt.body)
			})
			answer, ok := ask(t, client(t, egress.Options{}, s.URL), `{"method":"GET","url":"`+s.URL+`/x"}`)
			if got := body(t, answer); got != tt.want || ok != (tt.status < 300) {
				t.Errorf("got %s, %v, want %s", got, ok, tt.want)
			}
			if !strings.HasPrefix(answer, fmt.Sprintf(`{"status":%d,"headers":{`, tt.status)) || !strings.Contains(answer, `"x-two":"a, b"`) {
				t.Errorf("answer: %s", answer)
			}
		})
	}
}

func TestAnswerThatIsNoJSON(t *testing.T) {
	s := serve(t, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		_, _ = io.WriteString(w, "<html>tok-0815-secret")
	})
	f := refusal(t, client(t, egress.Options{}, s.URL), `{"method":"GET","url":"`+s.URL+`"}`)
	if f.Code != "invalid-response" || !strings.Contains(f.Message, "<html>***") {
		t.Errorf("got %+v", f)
	}
}

func TestRequests(t *testing.T) {
	s := serve(t, echo)
	c := client(t, egress.Options{}, s.URL)
	tests := []struct {
		name, rest string
		want       []string
	}{
		{"defaults", `"method":"GET"`, []string{`"uri":"/a"`, `"User-Agent":["patchbay"]`, `"Accept":["*/*"]`}},
		{"query in order, lists, nothing for null", `"method":"GET","query":{"z":1.50,"tag":["a b","c&d"],"none":null,"ok":true}`, []string{`"uri":"/a?z=1.50\u0026tag=a+b\u0026tag=c%26d\u0026ok=true"`}},
		{"JSON", `"method":"POST","body":{"z":9007199254740993,"a":[1.10]}`, []string{`"body":"{\"z\":9007199254740993,\"a\":[1.10]}"`, `"Content-Type":["application/json"]`}},
		{"a kind of JSON", `"method":"PATCH","headers":{"content-type":"application/merge-patch+json"},"body":{"a":null}`, []string{`"body":"{\"a\":null}"`, `"Content-Type":["application/merge-patch+json"]`}},
		{"text", `"method":"PUT","body":"a\nb"`, []string{`"body":"a\nb"`, `"Content-Type":["text/plain; charset=utf-8"]`}},
		{"a form", `"method":"POST","headers":{"Content-Type":"application/x-www-form-urlencoded"},"body":{"grant":"x y","n":[1,2]}`, []string{`"body":"grant=x+y\u0026n=1\u0026n=2"`}},
		{"headers", `"method":"GET","headers":{"X-N":5,"X-None":null,"Accept":"text/csv"}`, []string{`"X-N":["5"]`, `"Accept":["text/csv"]`}},
		{"bearer", `"method":"GET","auth":{"bearer":"abc"}`, []string{`"Authorization":["Bearer abc"]`}},
		{"basic", `"method":"GET","auth":{"basic":{"username":"a","password":"b"}}`, []string{`"Authorization":["Basic YTpi"]`}},
		{"a header of its own", `"method":"GET","auth":{"header":{"name":"X-Key","value":"abc"}}`, []string{`"X-Key":["abc"]`}},
		{"no variable, and none in keys", `"method":"POST","body":{"${TOKEN}":"$${TOKEN} $5 {x}","q\"k":"\\\""}`, []string{`"body":"{\"${TOKEN}\":\"${TOKEN} $5 {x}\",\"q\\\"k\":\"\\\\\\\"\"}"`}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			answer, _ := ask(t, c, `{"url":"`+s.URL+`/a",`+tt.rest+`}`)
			for _, want := range tt.want {
				if !strings.Contains(answer, want) {
					t.Errorf("no %s in %s", want, answer)
				}
			}
		})
	}
}

// TestCharsets sends bodies in the charset that they declare to a server that answers with
// the same bytes: they are the same text, or an error says why not.
func TestCharsets(t *testing.T) {
	s := serve(t, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", r.Header.Get("Content-Type"))
		_, _ = io.Copy(w, r.Body)
	})
	c := client(t, egress.Options{}, s.URL)
	for _, tt := range []struct{ kind, body, want string }{
		{"text/plain; charset=UTF-8", `"Grüße € 😀"`, `"Grüße € 😀"`},
		{"text/plain; charset=iso-8859-1", `"Grüße\r\n"`, `"Grüße\r\n"`},
		{"text/csv; charset=windows-1252", `"5 €"`, `"5 €"`},
		{"text/csv; charset=utf-16", `"Grüße 😀"`, `"Grüße 😀"`},
		{"text/csv; charset=utf-16be", `"é"`, `"é"`},
		{"text/csv; charset=utf-16le", `"é"`, `"é"`},
		{"text/plain; charset=us-ascii", `"plain"`, `"plain"`},
		{"application/json; charset=iso-8859-1", `{"a":"é"}`, `{"a":"é"}`},
		{"application/json; charset=utf-16", `{"a":"é"}`, `{"a":"é"}`},
		{"text/plain; charset=iso-8859-1", `"5 €"`, `the body has '€', which the charset iso-8859-1 does not have`},
		{"text/plain; charset=us-ascii", `"Grüße"`, `the body has 'ü', which the charset us-ascii does not have`},
		{"text/plain; charset=koi8-r", `"a"`, `the charset "koi8-r" of a body is not one that is known here`},
	} {
		request := `{"method":"POST","url":"` + s.URL + `","headers":{"Content-Type":"` + tt.kind + `"},"body":` + tt.body + `}`
		if strings.HasPrefix(tt.want, "the ") {
			if f := refusal(t, c, request); f.Code != "bad-request" || !strings.HasPrefix(f.Message, tt.want) {
				t.Errorf("%s as %s: %+v, want %s", tt.body, tt.kind, f, tt.want)
			}
		} else if answer, _ := ask(t, c, request); body(t, answer) != tt.want {
			t.Errorf("%s as %s comes back as %s", tt.body, tt.kind, answer)
		}
	}
}

func TestIdempotencyKey(t *testing.T) {
	s := serve(t, echo)
	c := client(t, egress.Options{}, s.URL)
	for request, want := range map[string]string{
		`"method":"POST","body":1`:                                     `"Idempotency-Key":["key-1"]`,
		`"method":"PATCH","body":1`:                                    `"Idempotency-Key":["key-1"]`,
		`"method":"POST","body":1,"headers":{"idempotency-key":"own"}`: `"Idempotency-Key":["own"]`,
		`"method":"GET"`:                                               ``,
	} {
		answer, _, err := c.Do(t.Context(), json.RawMessage(`{"url":"`+s.URL+`",`+request+`}`), "key-1")
		if err != nil || !strings.Contains(string(answer), want) || strings.Contains(string(answer), "Idempotency") != (want != "") {
			t.Errorf("%s: %s, %v", request, answer, err)
		}
	}
}

// TestVariables sends every variable in every place, and looks for it in what
// comes back from a server that repeats it all.
func TestVariables(t *testing.T) {
	var sent []string
	s := serve(t, func(w http.ResponseWriter, r *http.Request) {
		b, _ := io.ReadAll(r.Body)
		user, password, _ := r.BasicAuth()
		sent = []string{r.URL.Query().Get("key"), r.URL.Query().Get("q"), r.Header.Get("X-Key"), user, password, string(b)}
		w.Header().Set("X-Again", r.Header.Get("Authorization"))
		w.Header().Set("Content-Type", r.URL.Query().Get("as"))
		if r.URL.Query().Get("as") == "application/json" {
			// Some write / and = of base64 as escapes.
			again := strings.NewReplacer("/", `\/`, "=", `\u003d`).Replace(r.Header.Get("Authorization"))
			fmt.Fprintf(w, `{"auth":"%s","token":"tok\u002d0815-secret","body":%s}`, again, b)
			return
		}
		fmt.Fprint(w, r.RequestURI, r.Header, string(b))
	})
	secrets := secrets.NewRedactor(secrets.Named("test", "tok-0815-secret", `k/"e"y+0815`))
	c := client(t, egress.Options{Redact: secrets.Redact}, s.URL)
	for _, as := range []string{"application/json", "text/plain", "image/png"} {
		answer, _ := ask(t, c, `{"method":"POST","url":"`+s.URL+`/a?key=${TOKEN}&as=`+as+`","query":{"q":"x${KEY}"},"headers":{"X-Key":"${KEY}"},
			"auth":{"basic":{"username":"ann","password":"${TOKEN}"}},"body":{"list":[{"a":"say ${KEY}"}],"n":1.10}}`)
		want := []string{"tok-0815-secret", `xk/"e"y+0815`, `k/"e"y+0815`, "ann", "tok-0815-secret", `{"list":[{"a":"say k/\"e\"y+0815"}],"n":1.10}`}
		if diff := cmp.Diff(want, sent); diff != "" {
			t.Errorf("%s: sent (-want +got):\n%s", as, diff)
		}
		if as == "application/json" && !strings.Contains(answer, "say k/") {
			t.Errorf("%s: the graph does not get the value: %s", as, answer)
		}
		answer = string(secrets.RedactJSON(json.RawMessage(answer)))
		whole := answer
		var parsed struct{ Body any }
		if err := json.Unmarshal([]byte(answer), &parsed); err != nil {
			t.Fatalf("%s: %v", answer, err)
		}
		if m, ok := parsed.Body.(map[string]any); ok {
			whole += fmt.Sprint(m)
			if coded, ok := m["base64"].(string); ok {
				b, _ := base64.StdEncoding.DecodeString(coded)
				whole += string(b)
			}
		}
		for _, secret := range []string{"0815", base64.StdEncoding.EncodeToString([]byte("ann:tok-0815-secret"))} {
			if strings.Contains(whole, secret) {
				t.Errorf("%s: %q is in the answer: %s", as, secret, whole)
			}
		}
	}
}

func TestVariablesStayWhereTheyMayGo(t *testing.T) {
	s := serve(t, echo)
	own, err := egress.ParsePrefix(s.URL + "/own/")
	if err != nil {
		t.Fatal(err)
	}
	c := client(t, egress.Options{Policy: egress.Policy{Variables: map[string]egress.Variable{"TOKEN": {Value: "tok-0815-secret", For: []egress.Prefix{own}}}}}, s.URL)
	ask(t, c, `{"method":"GET","url":"`+s.URL+`/own/x","auth":{"bearer":"${TOKEN}"}}`)
	ask(t, c, `{"method":"GET","url":"`+s.URL+`/other"}`)
	f := refusal(t, c, `{"method":"GET","url":"`+s.URL+`/other","auth":{"bearer":"${TOKEN}"}}`)
	if f.Code != "http-not-allowed" || !strings.Contains(f.Message, "${TOKEN}") || !strings.Contains(f.Hint, "/own/") {
		t.Errorf("got %+v", f)
	}
	if f := c.Allows(s.URL+"/other", []string{"TOKEN"}); f == nil {
		t.Error("the checker is not told")
	}
}

func TestBadRequests(t *testing.T) {
	s := serve(t, echo)
	c := client(t, egress.Options{Policy: egress.Policy{Variables: map[string]egress.Variable{"LINES": {Value: "a-secret\r\nX-Evil: 1"}, "EMPTY": {}}}}, s.URL)
	tests := []struct{ name, rest, want string }{
		{"line break in a header", `"method":"GET","headers":{"X-A":"a\r\nX-Evil: 1"}`, "line break"},
		{"line break in the name of one", `"method":"GET","headers":{"X-A\r\nX-Evil":"1"}`, "not a valid header name"},
		{"line break by a variable", `"method":"GET","headers":{"X-A":"${LINES}"}`, "line break"},
		{"line break in auth", `"method":"GET","auth":{"bearer":"a\nb"}`, "line break"},
		{"line break in the name of auth's header", `"method":"GET","auth":{"header":{"name":"A\nB","value":"x"}}`, "not a valid header name"},
		{"another host", `"method":"GET","headers":{"host":"other.example"}`, "a node cannot set the header"},
		{"a length", `"method":"POST","headers":{"Content-Length":"5"},"body":"x"`, "a node cannot set the header"},
		{"an object as header", `"method":"GET","headers":{"A":{}}`, "an object or a list"},
		{"a list as query", `"method":"GET","query":[1]`, "query is not an object"},
		{"an object in the query", `"method":"GET","query":{"a":{"b":1}}`, "query: a is an object"},
		{"method", `"method":"CONNECT"`, `unknown method "CONNECT"`},
		{"method with more", `"method":"GET / HTTP/1.1\r\nX: "`, "unknown method"},
		{"auth", `"method":"GET","auth":{"digest":"x"}`, `no scheme "digest"`},
		{"two of them", `"method":"GET","auth":{"bearer":"x","basic":{}}`, "takes one"},
		{"an object as what it is not", `"method":"POST","headers":{"Content-Type":"multipart/form-data"},"body":{"a":1}`, "cannot be sent as multipart/form-data"},
		{"half of one", `"method":"GET","auth":{"basic":{"username":"x"}}`, "auth.basic has no password"},
		{"variable", `"method":"GET","auth":{"bearer":"${NOT}"}`, `not offer the variable "NOT"`},
		{"open variable", `"method":"POST","body":{"a":"${LINES"}`, "closing"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			f := refusal(t, c, `{"url":"`+s.URL+`/a",`+tt.rest+`}`)
			if f.Code != "bad-request" || !strings.Contains(f.Message, tt.want) || strings.Contains(f.Message+f.Hint, "secret") {
				t.Errorf("got %+v", f)
			}
		})
	}
}

func TestTooLarge(t *testing.T) {
	s := serve(t, func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/said":
			w.Header().Set("Content-Length", "1001")
			_, _ = io.WriteString(w, strings.Repeat("x", 1001))
		case "/zipped":
			w.Header().Set("Content-Encoding", "gzip")
			z := gzip.NewWriter(w)
			_, _ = z.Write(make([]byte, 1<<20))
			_ = z.Close()
		case "/endless":
			for r.Context().Err() == nil {
				if _, err := io.WriteString(w, strings.Repeat("x", 1000)); err != nil {
					return
				}
			}
		default:
			_, _ = io.WriteString(w, strings.Repeat("x", 1000))
		}
	})
	c := client(t, egress.Options{Policy: egress.Policy{MaxBytes: 1000}}, s.URL)
	for _, path := range []string{"/said", "/zipped", "/endless"} {
		if f := refusal(t, c, `{"method":"GET","url":"`+s.URL+path+`"}`); f.Code != "http-too-large" || !strings.Contains(f.Message, "1000 bytes") || !strings.Contains(f.Hint, "egress.maxBytes") {
			t.Errorf("%s: got %+v", path, f)
		}
	}
	ask(t, c, `{"method":"GET","url":"`+s.URL+`/just"}`)
	ask(t, c, `{"method":"HEAD","url":"`+s.URL+`/said"}`)
}

func TestTimeoutAndCancellation(t *testing.T) {
	release := make(chan struct{})
	asked := make(chan struct{}, 2)
	s := serve(t, func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.WriteString(w, "begins")
		w.(http.Flusher).Flush()
		asked <- struct{}{}
		select {
		case <-release:
		case <-r.Context().Done():
		}
	})
	defer close(release)
	request := `{"method":"GET","url":"` + s.URL + `/slow?key=x"}`
	f := refusal(t, client(t, egress.Options{Policy: egress.Policy{Timeout: 30 * time.Millisecond}}, s.URL), request)
	if f.Code != "http-timeout" || !strings.Contains(f.Message, "within 30ms") || strings.Contains(f.Message, "key=x") {
		t.Errorf("got %+v", f)
	}
	<-asked
	ctx, cancel := context.WithCancel(t.Context())
	go func() {
		<-asked
		cancel()
	}()
	if _, _, err := client(t, egress.Options{}, s.URL).Do(ctx, json.RawMessage(request), ""); !errors.Is(err, context.Canceled) {
		t.Errorf("after cancellation: %v", err)
	}
}

func TestUnreachable(t *testing.T) {
	l, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	_ = l.Close()
	url := "http://" + l.Addr().String()
	f := refusal(t, client(t, egress.Options{}, url), `{"method":"GET","url":"`+url+`/${TOKEN}"}`)
	if f.Code != "http-failed" || !strings.Contains(f.Message, "nothing accepts connections") || strings.Contains(f.Message, "0815") {
		t.Errorf("got %+v", f)
	}
	tls := httptest.NewUnstartedServer(http.HandlerFunc(echo))
	tls.Config.ErrorLog = log.New(io.Discard, "", 0)
	tls.StartTLS()
	defer tls.Close()
	if f := refusal(t, client(t, egress.Options{}, tls.URL), `{"method":"GET","url":"`+tls.URL+`"}`); f.Code != "http-failed" || !strings.Contains(f.Hint, "SSL_CERT_FILE") {
		t.Errorf("certificate: got %+v", f)
	}
}
