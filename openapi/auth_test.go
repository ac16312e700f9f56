package openapi_test

import (
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/patchbay-mcp/patchbay/openapi"
)

const secured = `openapi: 3.0.3
components:
  securitySchemes:
    bearer: {type: http, scheme: Bearer}
    login: {type: http, scheme: basic}
    header: {type: apiKey, in: header, name: X-Key}
    query: {type: apiKey, in: query, name: key}
    cookie: {type: apiKey, in: cookie, name: sid}
    oauth: {type: oauth2, flows: {clientCredentials: {tokenUrl: /token, scopes: {}}}}
    digest: {type: http, scheme: digest}
security: [{bearer: []}]
paths:
  /bearer: {get: {operationId: bearer}}
  /login: {get: {operationId: login, security: [{login: []}]}}
  /header: {get: {operationId: header, security: [{header: []}], parameters: [{name: x-key, in: header, schema: {type: string}}]}}
  /query: {get: {operationId: query, security: [{query: []}], parameters: [{name: q, in: query, schema: {type: string}}]}}
  /cookie: {get: {operationId: cookie, security: [{cookie: []}]}}
  /both: {get: {operationId: both, security: [{digest: []}, {query: [], header: []}, {login: []}]}}
  /open: {get: {operationId: open, security: []}}
  /either: {get: {operationId: either, security: [{digest: []}, {}]}}
  /digest: {get: {operationId: digest, security: [{digest: []}]}}
  /oauth: {get: {operationId: oauth, security: [{oauth: [read, write]}]}}
`

// TestSecuritySchemes sends the operator's credentials as the document says.
func TestSecuritySchemes(t *testing.T) {
	s := serve(t, func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/digest" {
			w.WriteHeader(http.StatusUnauthorized)
		}
		_, _ = fmt.Fprintf(w, `{"url":%q,"auth":%q,"key":%q,"cookie":%q}`, r.RequestURI, r.Header.Get("Authorization"), r.Header.Get("X-Key"), r.Header.Get("Cookie"))
	})
	o := openapi.Options{Source: secured, URL: s.URL, Auth: map[string]openapi.Credential{
		"bearer": {Token: "tok-1"}, "login": {Username: "ann", Password: "pass-1"}, "header": {Token: "key-1"}, "query": {Token: "k&2"}, "cookie": {Token: "c; 3"},
	}}
	for name, want := range map[string]string{
		"bearer": `{"url":"/bearer","auth":"Bearer tok-1","key":"","cookie":""}`,
		"login":  `{"url":"/login","auth":"Basic YW5uOnBhc3MtMQ==","key":"","cookie":""}`,
		"header": `{"url":"/header","auth":"","key":"key-1","cookie":""}`,
		"query":  `{"url":"/query?q=1&key=k%262","auth":"","key":"","cookie":""}`,
		"cookie": `{"url":"/cookie","auth":"","key":"","cookie":"sid=c%3B%203"}`,
		"both":   `{"url":"/both?key=k%262","auth":"","key":"key-1","cookie":""}`,
		"open":   `{"url":"/open","auth":"","key":"","cookie":""}`,
		"either": `{"url":"/either","auth":"","key":"","cookie":""}`,
	} {
		args := "{}"
		if name == "query" {
			args = `{"q":"1"}`
		}
		if got, ok := answer(t, tool(t, name, o), args); !ok || !strings.Contains(got, want) {
			t.Errorf("%s: got %s, want %s", name, got, want)
		}
	}
	if got, ok := answer(t, tool(t, "header", o), `{"x-key":"mine"}`); ok || !strings.Contains(got, `there is no argument "x-key"`) {
		t.Errorf("a key by argument: got %s", got)
	}
	if got, ok := answer(t, tool(t, "digest", o), `{}`); ok || !strings.Contains(got, "401 Unauthorized") || !strings.Contains(got, "has not configured the credential that the operation needs: auth for digest") {
		t.Errorf("a scheme without a credential: got %s", got)
	}
	if got := fmt.Sprintf("%v %+v %#v", o.Auth, o.Auth, o.Auth); strings.Contains(got, "tok-1") {
		t.Errorf("a credential prints itself: %s", got)
	}
}

// TestHeadersOfTheOperator take precedence over arguments and the document.
func TestHeadersOfTheOperator(t *testing.T) {
	s := serve(t, func(w http.ResponseWriter, r *http.Request) {
		_, _ = fmt.Fprintf(w, `{"accept":%q,"team":%q,"cookie":%q,"type":%q}`, r.Header.Get("Accept"), r.Header.Get("X-Team"), r.Header.Get("Cookie"), r.Header.Get("Content-Type"))
	})
	op := tool(t, "op", openapi.Options{
		URL: s.URL, Headers: map[string]string{"x-team": "blue", "accept": "application/vnd.example+json", "cookie": "sid=1", "content-type": "text/plain"},
		Source: `openapi: 3.0.3
paths:
  /a:
    post:
      operationId: op
      parameters:
        - {name: X-Team, in: header, schema: {type: string}}
        - {name: sid, in: cookie, schema: {type: string}}
      requestBody: {content: {application/json: {}}}
`,
	})
	if got, ok := answer(t, op, `{"body":1}`); !ok || !strings.Contains(got, `{"accept":"application/vnd.example+json","team":"blue","cookie":"sid=1","type":"application/json"}`) {
		t.Errorf("got %s", got)
	}
	for _, args := range []string{`{"X-Team":"red"}`, `{"sid":"2"}`} {
		if got, ok := answer(t, op, args); ok || !strings.Contains(got, "there is no argument") {
			t.Errorf("%s: got %s", args, got)
		}
	}
}

// A document that says nowhere what it needs is sent what the operator gives.
func TestUnsaidSecurity(t *testing.T) {
	s := serve(t, echo)
	op := tool(t, "op", openapi.Options{URL: s.URL, Auth: map[string]openapi.Credential{"t": {Token: "tok-1"}}, Source: "openapi: 3.0.3\npaths: {/a: {get: {operationId: op" + echoed + "}}}\ncomponents: {securitySchemes: {t: {type: http, scheme: bearer}}}\n"})
	if got, _ := answer(t, op, "{}"); !strings.Contains(got, "Bearer tok-1") {
		t.Errorf("got %s", got)
	}
}

// TestSecretsAreHidden masks credentials that an answer repeats in an error.
func TestSecretsAreHidden(t *testing.T) {
	s := serve(t, func(w http.ResponseWriter, r *http.Request) {
		http.Error(w, "bad: "+r.URL.RawQuery+" "+r.Header.Get("X-Team"), http.StatusTeapot)
	})
	op := tool(t, "query", openapi.Options{Source: secured, URL: s.URL, Auth: map[string]openapi.Credential{"query": {Token: "k&2 é-key"}}, Headers: map[string]string{"X-Team": "team-secret"}})
	basic := tool(t, "login", openapi.Options{Source: secured, Transport: roundTrip(func(r *http.Request) (*http.Response, error) {
		return reply(http.StatusForbidden, r.Header.Get("Authorization")), nil
	}), URL: "https://api.example", Auth: map[string]openapi.Credential{"login": {Username: "ann", Password: "pass-1"}}})
	if got, ok := answer(t, basic, "{}"); ok || !strings.HasSuffix(got, "403 Forbidden: Basic ***") {
		t.Errorf("got %s", got)
	}
	if got, ok := answer(t, op, "{}"); ok || !strings.HasSuffix(got, "418 I'm a teapot: bad: key=*** ***") {
		t.Errorf("got %s", got)
	}
}

// TestClientCredentials fetches a token once, and again after it is refused or ends.
func TestClientCredentials(t *testing.T) {
	var asked, served atomic.Int32
	var refuse, expires atomic.Int32
	s := serve(t, func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/token" {
			body, _ := io.ReadAll(r.Body)
			user, password, _ := r.BasicAuth()
			if string(body) != "grant_type=client_credentials&scope=read+write" || user != "me%3A1" || password != "secret-1" {
				w.WriteHeader(http.StatusBadRequest)
				_, _ = fmt.Fprintf(w, `{"error":"invalid_client","error_description":"not %s"}`, password)
				return
			}
			_, _ = fmt.Fprintf(w, `{"access_token":"token-%d","expires_in":%d}`, asked.Add(1), expires.Load())
			return
		}
		served.Add(1)
		if refuse.Load() > 0 {
			refuse.Add(-1)
			http.Error(w, "refused: "+r.Header.Get("Authorization"), http.StatusUnauthorized)
			return
		}
		_, _ = fmt.Fprintf(w, `{"auth":%q}`, r.Header.Get("Authorization"))
	})
	expires.Store(3600)
	o := openapi.Options{Source: secured, URL: s.URL, Auth: map[string]openapi.Credential{"oauth": {ClientID: "me:1", ClientSecret: "secret-1"}}}
	op := tool(t, "oauth", o)
	call := func(want string) {
		t.Helper()
		if got, _ := answer(t, op, "{}"); !strings.Contains(got, want) {
			t.Errorf("got %s, want %s", got, want)
		}
	}
	call("Bearer token-1")
	call("Bearer token-1")
	refuse.Store(1)
	call("Bearer token-2")
	call("Bearer token-2")
	refuse.Store(5)
	served.Store(0)
	call("answered 401 Unauthorized: refused: Bearer ***")
	if served.Load() != 2 || asked.Load() != 3 {
		t.Errorf("%d requests and %d tokens, want 2 and 3", served.Load(), asked.Load())
	}
	refuse.Store(0)

	o.Auth["oauth"] = openapi.Credential{ClientID: "me", ClientSecret: "secret-2"}
	if got, ok := answer(t, tool(t, "oauth", o), "{}"); ok || !strings.Contains(got, "GET "+s.URL+"/oauth is not requested: its token cannot be fetched: "+s.URL+"/token answered 400 Bad Request: invalid_client not ***") {
		t.Errorf("got %s", got)
	}
	for text, credential := range map[string]openapi.Credential{
		"takes a token, or a clientId": {Username: "x"},
	} {
		o.Auth["oauth"] = credential
		if got := loadError(t, o); !strings.Contains(got, text) {
			t.Errorf("got %s, want %s", got, text)
		}
	}
}

// roundTrip is a transport of the test's own.
type roundTrip func(*http.Request) (*http.Response, error)

func (f roundTrip) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

// reply is an answer of JSON.
func reply(status int, body string) *http.Response {
	return &http.Response{StatusCode: status, Header: http.Header{"Content-Type": {"application/json"}}, Body: io.NopCloser(strings.NewReader(body)), ContentLength: -1}
}

// TestRetries repeats requests that only read, after answers that say that a server is
// overloaded.
func TestRetries(t *testing.T) {
	for _, c := range []struct {
		tool, args       string
		status, requests int
		want             string
	}{
		{"getOrder", `{"id":1}`, 503, 3, `{"id":1}`},
		{"checkReport", `{}`, 429, 3, `"status":200`},
		{"getOrder", `{"id":1}`, 500, 1, "500 Internal Server Error"},
		{"create_order", `{"body":{"lines":[],"secret":"s"}}`, 503, 1, "503 Service Unavailable"},
		{"put_orders_id", `{"id":1}`, 503, 1, "503 Service Unavailable"},
	} {
		synctest.Test(t, func(t *testing.T) {
			requests := 0
			op := tool(t, c.tool, openapi.Options{Source: "shop.yaml", Dir: "testdata", Transport: roundTrip(func(*http.Request) (*http.Response, error) {
				if requests++; requests < 3 {
					return reply(c.status, "null"), nil
				}
				return reply(http.StatusOK, `{"id":1}`), nil
			})})
			if got, _ := answer(t, op, c.args); requests != c.requests || !strings.Contains(got, c.want) {
				t.Errorf("%s %d: got %s after %d requests, want %s after %d", c.tool, c.status, got, requests, c.want, c.requests)
			}
		})
	}
}

// A repeated request waits as long as the server asks, and is not repeated if that is longer than
// a request may take.
func TestRetriesWaitAsAsked(t *testing.T) {
	for asked, want := range map[string]struct {
		requests int
		waited   time.Duration
	}{"3": {3, 6 * time.Second}, "3600": {1, 0}} {
		synctest.Test(t, func(t *testing.T) {
			requests, began := 0, time.Now()
			op := tool(t, "checkReport", openapi.Options{Source: "shop.yaml", Dir: "testdata", Transport: roundTrip(func(*http.Request) (*http.Response, error) {
				requests++
				r := reply(http.StatusTooManyRequests, "null")
				r.Header.Set("Retry-After", asked)
				return r, nil
			})})
			answer(t, op, `{}`)
			if waited := time.Since(began); requests != want.requests || waited != want.waited {
				t.Errorf("asked for %s s: %d requests in %s, want %d in %s", asked, requests, waited, want.requests, want.waited)
			}
		})
	}
}

// A document that was fetched does not say where else credentials are sent. One of the
// operator's own does.
func TestOtherOrigins(t *testing.T) {
	const doc = "openapi: 3.0.3\nservers: [{url: 'https://api.example/v1'}]\npaths: {/a: {get: {operationId: a}}}\n" +
		"components: {securitySchemes: {oauth: {type: oauth2, flows: {clientCredentials: {tokenUrl: 'https://login.example/token'}}}}}\n"
	s := serve(t, func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, doc) })
	var notes []string
	o := openapi.Options{Source: s.URL, Note: func(text string) { notes = append(notes, text) }, Reach: func(url string) { t.Errorf("reach %s", url) }}
	if got, ok := answer(t, tool(t, "a", o), "{}"); ok || !strings.Contains(got, "set url") || len(notes) != 1 || !strings.Contains(notes[0], "the server https://api.example/v1 is not used") {
		t.Errorf("got %s and the notes %q", got, notes)
	}
	o.Auth = map[string]openapi.Credential{"oauth": {ClientID: "me", ClientSecret: "secret"}}
	if got := loadError(t, o); !strings.Contains(got, "takes a tokenUrl, because that of the document, https://login.example/token, is of another origin") {
		t.Errorf("got %s", got)
	}
	var reached []string
	o.Source, o.Reach = doc, func(url string) { reached = append(reached, url) }
	if _, err := openapi.Tools(t.Context(), o); err != nil || strings.Join(reached, " ") != "https://api.example/v1 https://login.example/token" {
		t.Errorf("%v, reached %q", err, reached)
	}
}

// Calls at the same time share one token.
func TestOneTokenForAll(t *testing.T) {
	var fetched atomic.Int32
	op := tool(t, "oauth", openapi.Options{
		Source: secured, URL: "https://api.example", Auth: map[string]openapi.Credential{"oauth": {ClientID: "me", ClientSecret: "secret-1"}},
		Transport: roundTrip(func(r *http.Request) (*http.Response, error) {
			if r.URL.Path == "/token" {
				return reply(http.StatusOK, fmt.Sprintf(`{"access_token":"token-%d"}`, fetched.Add(1))), nil
			}
			return reply(http.StatusOK, `"`+r.Header.Get("Authorization")+`"`), nil
		}),
	})
	var work sync.WaitGroup
	for range 20 {
		work.Go(func() {
			if got, ok := answer(t, op, "{}"); !ok || !strings.Contains(got, "Bearer token-1") {
				t.Errorf("got %s", got)
			}
		})
	}
	work.Wait()
	if n := fetched.Load(); n != 1 {
		t.Errorf("%d tokens", n)
	}
}

// TestClientsInBodies sends the client where the server takes it: in the body if it
// refuses the header, or if its metadata says so.
func TestClientsInBodies(t *testing.T) {
	const doc = "openapi: 3.0.3\npaths: {/a: {get: {operationId: a}}}\ncomponents: {securitySchemes: {oauth: {type: oauth2, flows: {clientCredentials: {tokenUrl: /token, scopes: {}}}}}}\n"
	discovered := strings.Replace(doc, "oauth2, flows: {clientCredentials: {tokenUrl: /token, scopes: {}}}", "openIdConnect, openIdConnectUrl: /.well-known/openid-configuration", 1)
	for name, c := range map[string]struct {
		doc, metadata string
		takes         string // "header", "body" or "neither"
		want          string // requests for a token
		answer        string
	}{
		"header":        {doc, "", "header", "header header", "Bearer t2"},
		"body":          {doc, "", "body", "header body body", "Bearer t2"},
		"neither":       {doc, "", "neither", "header body", "/token answered 401 Unauthorized: in the header; and with the client in the body of the request: %s/token answered 401 Unauthorized: in the body"},
		"says body":     {discovered, `{"token_endpoint":"%s/token","token_endpoint_auth_methods_supported":["client_secret_post","private_key_jwt"]}`, "body", "body body", "Bearer t2"},
		"says header":   {discovered, `{"token_endpoint":"%s/token","token_endpoint_auth_methods_supported":["client_secret_basic"]}`, "neither", "header", "/token answered 401 Unauthorized: in the header"},
		"says both":     {discovered, `{"token_endpoint":"%s/token","token_endpoint_auth_methods_supported":["client_secret_basic","client_secret_post"]}`, "body", "header body body", "Bearer t2"},
		"says nothing":  {discovered, `{}`, "header", "", "/.well-known/openid-configuration answered 200 OK without a token_endpoint: set tokenUrl"},
		"says anywhere": {discovered, `{"token_endpoint":"https://elsewhere.example/token"}`, "header", "", "names the token_endpoint https://elsewhere.example/token, which is of another origin: set tokenUrl"},
	} {
		var asked []string
		tokens, refuse := 0, true
		s := serve(t, nil)
		s.Config.Handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Type", "application/json")
			switch r.URL.Path {
			case "/.well-known/openid-configuration":
				_, _ = io.WriteString(w, strings.ReplaceAll(c.metadata, "%s", s.URL))
			case "/token":
				_, _, basic := r.BasicAuth()
				got := "body"
				if basic {
					got = "header"
				}
				asked = append(asked, got)
				if right := r.PostFormValue("client_id") == "me" && r.PostFormValue("client_secret") == "secret-1"; got != c.takes || !basic && !right || basic && r.PostForm.Has("client_id") {
					w.WriteHeader(http.StatusUnauthorized)
					_, _ = fmt.Fprintf(w, `{"error":"in the %s"}`, got)
					return
				}
				tokens++
				_, _ = fmt.Fprintf(w, `{"access_token":"t%d"}`, tokens)
			default:
				if refuse {
					refuse = false
					w.WriteHeader(http.StatusUnauthorized)
				}
				_, _ = io.WriteString(w, `{"auth":"`+r.Header.Get("Authorization")+`"}`)
			}
		})
		op := tool(t, "a", openapi.Options{Source: c.doc, URL: s.URL, Auth: map[string]openapi.Credential{"oauth": {ClientID: "me", ClientSecret: "secret-1"}}})
		want := strings.ReplaceAll(c.answer, "%s", s.URL)
		if got, _ := answer(t, op, "{}"); !strings.Contains(got, want) || strings.Join(asked, " ") != c.want {
			t.Errorf("%s: got %s after %q, want %s after %q", name, got, asked, want, c.want)
		}
	}
}

// TestTokenRequests adds the operator's parameters, and reads how long a token lasts
// however that is written.
func TestTokenRequests(t *testing.T) {
	for expires, lasts := range map[string]time.Duration{`3600`: 3570 * time.Second, `"3600"`: 3570 * time.Second, `"1 hour"`: 5 * time.Minute, `null`: 5 * time.Minute, `{}`: 5 * time.Minute} {
		synctest.Test(t, func(t *testing.T) {
			var asked []string
			op := tool(t, "oauth", openapi.Options{
				Source: secured, URL: "https://api.example",
				Auth: map[string]openapi.Credential{"oauth": {ClientID: "me", ClientSecret: "secret-1", Parameters: map[string]string{"audience": "https://api.example", "resource": "urn:a b"}}},
				Transport: roundTrip(func(r *http.Request) (*http.Response, error) {
					if r.URL.Path == "/token" {
						body, _ := io.ReadAll(r.Body)
						asked = append(asked, string(body))
						return reply(http.StatusOK, `{"access_token":"t1","expires_in":`+expires+`}`), nil
					}
					return reply(http.StatusOK, `{}`), nil
				}),
			})
			for _, wait := range []time.Duration{0, lasts - time.Second, 2 * time.Second} {
				time.Sleep(wait)
				if got, ok := answer(t, op, "{}"); !ok {
					t.Errorf("%s: %s", expires, got)
				}
			}
			const want = "audience=https%3A%2F%2Fapi.example&grant_type=client_credentials&resource=urn%3Aa+b&scope=read+write"
			if len(asked) != 2 || asked[0] != want {
				t.Errorf("%s: asked %d times with %q, want 2 times with %q", expires, len(asked), asked, want)
			}
		})
	}
}
