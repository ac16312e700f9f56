package egress_test

import (
	"context"
	"encoding/json"
	"errors"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/internal/servers/egress"
)

func TestParsePrefix(t *testing.T) {
	for text, want := range map[string]string{
		"https://api.example.com":      "https://api.example.com/",
		"https://API.example.com:443/": "https://api.example.com/",
		"api.example.com/v1":           "https://api.example.com/v1/",
		"http://localhost:8080/a/b/":   "http://localhost:8080/a/b/",
		"https://*.example.com":        "https://*.example.com/",
		"https://*":                    "https://*/",
		"http://[::1]:80":              "http://[::1]/",
	} {
		if p, err := egress.ParsePrefix(text); err != nil || p.String() != want {
			t.Errorf("%s: got %s, %v, want %s", text, p, err, want)
		}
	}
	for _, text := range []string{"", "ftp://x.example", "https://", "https://a:b@x.example", "https://x.example?q", "https://x.example/#f", "https://x.*.example", "https://a*.example", "https://ü.example", "https://x.example/a/../b", "http://[::1"} {
		if p, err := egress.ParsePrefix(text); err == nil {
			t.Errorf("%q is taken for %s", text, p)
		}
	}
}

func TestAllows(t *testing.T) {
	c := client(t, egress.Options{}, "https://api.example.com/v1/", "https://*.example.org", "http://plain.example:8080")
	for url, want := range map[string]string{
		"https://api.example.com/v1":               "",
		"https://api.example.com/v1/items?x=../y":  "",
		"HTTPS://API.Example.Com:443/v1/items":     "",
		"https://api.example.com./v1/items":        "",
		"https://a.b.example.org/any":              "",
		"http://plain.example:8080/":               "",
		"https://api.example.com/v1/${TOKEN}":      "",
		"https://api.example.com/v10":              "http-not-allowed",
		"https://api.example.com/":                 "http-not-allowed",
		"http://api.example.com/v1/":               "http-not-allowed",
		"https://api.example.com:8443/v1/":         "http-not-allowed",
		"https://example.org/":                     "http-not-allowed",
		"https://evilexample.org/":                 "http-not-allowed",
		"https://api.example.com.evil.example/v1/": "http-not-allowed",
		"http://plain.example/":                    "http-not-allowed",
		"https://api.example.com/v1/../admin":      "bad-request",
		"https://api.example.com/v1/%2e%2E/admin":  "bad-request",
		"https://api.example.com/v1/..%2fadmin":    "bad-request",
		"https://api.example.com/v1/%252e%252e/x":  "bad-request",
		"https://api.example.com/v1%2fadmin":       "http-not-allowed",
		"https://api.example.com/%761/items":       "http-not-allowed",
		"https://api.example.com/v1/..;x=1/admin":  "bad-request",
		`https://api.example.com/v1/..\admin`:      "bad-request",
		"https://api.example.com@evil.example/v1/": "bad-request",
		"https://api。example.com/v1/":              "bad-request",
		"https://api.example.com/v1/\r\nX: 1":      "bad-request",
		"//api.example.com/v1/":                    "bad-request",
		"/v1/":                                     "bad-request",
		"javascript:alert(1)":                      "bad-request",
		"https://api.example.com/v1/${NOT}":        "bad-request",
		"":                                         "bad-request",
	} {
		f := c.Allows(url, nil)
		got := ""
		if f != nil {
			got = f.Code
		}
		if got != want {
			t.Errorf("%q: got %q, want %q (%v)", url, got, want, f)
		}
	}
	if f := c.Allows("https://other.example/x", nil); !strings.Contains(f.Hint, `egress: {allow: ["https://other.example/"]}`) || !strings.Contains(f.Hint, "https://api.example.com/v1/") {
		t.Errorf("the hint must say what is allowed and what to add: %s", f.Hint)
	}
}

// TestBegins judges texts that a URL begins with: what may still become an allowed
// URL is let through.
func TestBegins(t *testing.T) {
	c := client(t, egress.Options{}, "https://api.example.com/v1/items/")
	for text, want := range map[string]string{
		"https://api.example.com/v1/items/": "", "https://api.example.com/v1/items/5?q=": "", "https://api.example.com/": "", "https://api.example.com/v1/it": "",
		"https://api.example.com": "", "https://": "", "/v1": "", "": "",
		"https://api.example.com/v2/": "http-not-allowed", "https://other.example/": "http-not-allowed", "http://api.example.com/v1": "http-not-allowed",
		"https://other.example?q=": "http-not-allowed", "ftp://api.example.com/": "bad-request",
	} {
		got := ""
		if f := c.Begins(text); f != nil {
			got = f.Code
		}
		if got != want {
			t.Errorf("%q: got %q, want %q", text, got, want)
		}
	}
}

// A variable in the name of a host comes back in small letters: in what is refused,
// and in what is not found.
func TestVariablesAsHosts(t *testing.T) {
	o := egress.Options{Policy: egress.Policy{Variables: map[string]egress.Variable{"TOKEN": {Value: "Tok-0815-Secret"}}}}
	url := "http://${TOKEN}.invalid:8080/x"
	for _, c := range []*egress.Client{client(t, o), client(t, o, "http://*.invalid:8080")} {
		f := refusal(t, c, `{"method":"GET","url":"`+url+`"}`)
		if strings.Contains(f.Message+f.Hint, "0815") || f.Hint == "" {
			t.Errorf("got %+v", f)
		}
	}
	if f := client(t, o).Allows(url, nil); f == nil || strings.Contains(f.Message+f.Hint, "0815") {
		t.Errorf("the checker says %+v", f)
	}
}

func TestNothingIsAllowedByDefault(t *testing.T) {
	s := serve(t, echo)
	for _, c := range []*egress.Client{egress.New(nil), egress.New(&egress.Options{})} {
		if f := refusal(t, c, `{"method":"GET","url":"`+s.URL+`"}`); f.Code != "http-not-allowed" || !strings.Contains(f.Hint, s.URL) {
			t.Errorf("got %+v", f)
		}
	}
}

// TestNoProxy sets what other programs take for a proxy, to an address where
// there is none.
func TestNoProxy(t *testing.T) {
	for _, name := range []string{"HTTP_PROXY", "http_proxy", "HTTPS_PROXY", "ALL_PROXY"} {
		t.Setenv(name, "http://127.0.0.1:1")
	}
	s := serve(t, echo)
	c := client(t, egress.Options{Dial: func(ctx context.Context, network, addr string) (net.Conn, error) {
		if addr != "api.example.com:80" {
			t.Errorf("connects to %s", addr)
		}
		return (&net.Dialer{}).DialContext(ctx, network, strings.TrimPrefix(s.URL, "http://"))
	}}, "http://api.example.com")
	ask(t, c, `{"method":"GET","url":"http://api.example.com/x"}`)
}

// FuzzDo makes requests of any text to a server that repeats them: there is an
// answer or a fault, which never tells a secret, and never a request to another
// place.
func FuzzDo(f *testing.F) {
	f.Add("GET", "/a?b=c", `{"q":"${TOKEN}"}`, `{"X-A":"b"}`, `{"bearer":"${TOKEN}"}`, `{"a":["${TOKEN}","$${x}"]}`)
	f.Add("POST", "/%2e%2e/", `{"a":[1,null]}`, `{"Content-Type":"application/x-www-form-urlencoded"}`, `{"basic":{"username":"u","password":"${TOKEN}"}}`, `{"a":"b"}`)
	s := httptest.NewServer(nil)
	s.Config.Handler = http.HandlerFunc(echo)
	defer s.Close()
	p, err := egress.ParsePrefix(s.URL)
	if err != nil {
		f.Fatal(err)
	}
	c := egress.New(&egress.Options{Policy: egress.Policy{Allow: []egress.Prefix{p}, Variables: map[string]egress.Variable{"TOKEN": {Value: "tok-0815-secret"}}}})
	f.Fuzz(func(t *testing.T, method, path, query, headers, auth, body string) {
		request := map[string]any{"method": method, "url": s.URL + path}
		for name, text := range map[string]string{"query": query, "headers": headers, "auth": auth, "body": body} {
			if json.Valid([]byte(text)) {
				request[name] = json.RawMessage(text)
			}
		}
		b, err := json.Marshal(request)
		if err != nil {
			return
		}
		_, _, err = c.Do(t.Context(), b, "")
		said := ""
		if fault, ok := errors.AsType[*diag.Fault](err); ok {
			said = fault.Message + fault.Hint
		} else if err != nil {
			t.Fatalf("%s: %v is not a fault", b, err)
		}
		if strings.Contains(said, "0815") && !strings.Contains(string(b), "0815") {
			t.Errorf("%s: a secret is in %s", b, said)
		}
	})
}
