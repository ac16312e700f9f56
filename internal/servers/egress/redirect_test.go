package egress_test

import (
	"net"
	"net/http"
	"strings"
	"testing"

	"github.com/patchbay-mcp/patchbay/internal/servers/egress"
)

func TestRedirects(t *testing.T) {
	other := serve(t, echo)
	var s http.HandlerFunc = func(w http.ResponseWriter, r *http.Request) {
		switch status, to, _ := strings.Cut(strings.TrimPrefix(r.URL.Path, "/"), "/"); {
		case r.URL.Path == "/end":
			echo(w, r)
		case r.URL.Path == "/round":
			http.Redirect(w, r, "/round", http.StatusFound)
		case to == "other":
			w.Header().Set("Location", other.URL+"/end")
			w.WriteHeader(map[string]int{"302": 302, "303": 303, "307": 307}[status])
		default:
			w.Header().Set("Location", r.URL.Query().Get("to"))
			w.WriteHeader(map[string]int{"301": 301, "302": 302, "303": 303, "307": 307, "308": 308}[status])
		}
	}
	at := serve(t, s)
	c := client(t, egress.Options{}, at.URL, other.URL)
	const secrets = `,"auth":{"bearer":"${TOKEN}"},"headers":{"X-Key":"plain","Accept":"text/csv","Accept-Language":"${KEY}"}`

	answered := []struct {
		name, request string
		has, hasNot   []string
	}{
		{"the same origin keeps all", `"method":"GET","url":"` + at.URL + `/302/x?to=/end"` + secrets, []string{"Authorization", "X-Key", `"Accept":["text/csv"]`}, nil},
		{"another keeps what is harmless", `"method":"GET","url":"` + at.URL + `/302/other"` + secrets, []string{`"Accept":["text/csv"]`}, []string{"Authorization", "X-Key", "Accept-Language", "Referer"}},
		{"302 makes a GET of a POST", `"method":"POST","body":{"a":1},"url":"` + at.URL + `/302/x?to=/end"`, []string{`"method":"GET"`, `"body":""`}, []string{"Content-Type\":[\"application/json"}},
		{"303 of a PUT too", `"method":"PUT","body":{"a":1},"url":"` + at.URL + `/303/x?to=/end"`, []string{`"method":"GET"`}, nil},
		{"302 does not of a PUT", `"method":"PUT","body":{"a":1},"url":"` + at.URL + `/302/x?to=/end"`, []string{`"method":"PUT"`, `{\"a\":1}`}, nil},
		{"308 keeps method and body", `"method":"POST","body":{"a":1},"url":"` + at.URL + `/308/x?to=/end"`, []string{`"method":"POST"`, `{\"a\":1}`}, nil},
		{"307 without a body goes to another", `"method":"POST","url":"` + at.URL + `/307/other"`, []string{`"method":"POST"`, `"body":""`}, nil},
		{"303 takes no body to another", `"method":"POST","body":{"a":"${TOKEN}"},"url":"` + at.URL + `/303/other"`, []string{`"method":"GET"`, `"body":""`}, nil},
		{"the query does not go along", `"method":"GET","query":{"key":"${TOKEN}"},"url":"` + at.URL + `/302/other"`, []string{`"uri":"/end"`}, nil},
	}
	for _, tt := range answered {
		t.Run(tt.name, func(t *testing.T) {
			answer, _ := ask(t, c, "{"+tt.request+"}")
			got := body(t, answer)
			for _, want := range tt.has {
				if !strings.Contains(got, want) {
					t.Errorf("no %s in %s", want, got)
				}
			}
			for _, never := range tt.hasNot {
				if strings.Contains(got, never) {
					t.Errorf("%s is in %s", never, got)
				}
			}
		})
	}

	refused := []struct{ name, request, code, want string }{
		{"a body with variables", `"method":"POST","body":{"a":"${TOKEN}"},"url":"` + at.URL + `/307/other"`, "http-refused", "its body would go from " + at.URL + "/ to " + other.URL + "/"},
		{"a body without variables", `"method":"POST","body":{"a":1},"url":"` + at.URL + `/307/other"`, "http-refused", "its body would go from " + at.URL + "/ to " + other.URL + "/"},
		{"the body of a PUT", `"method":"PUT","body":"x","url":"` + at.URL + `/302/other"`, "http-refused", "its body would go"},
		{"where nothing is allowed", `"method":"GET","url":"` + at.URL + `/302/x?to=https://evil.example/x"`, "http-not-allowed", "requests to https://evil.example"},
		{"the addresses of machinery", `"method":"GET","url":"` + at.URL + `/302/x?to=http://169.254.169.254/latest/"`, "http-not-allowed", "169.254.169.254"},
		{"another scheme", `"method":"GET","url":"` + at.URL + `/302/x?to=file:///etc/passwd"`, "http-refused", "not an http or https URL"},
		{"a name and password", `"method":"GET","url":"` + at.URL + `/302/x?to=http://a:b@` + strings.TrimPrefix(at.URL, "http://") + `/end"`, "http-refused", "carries a name"},
		{"round and round", `"method":"GET","url":"` + at.URL + `/round"`, "http-refused", "more than 5 times"},
	}
	for _, tt := range refused {
		t.Run(tt.name, func(t *testing.T) {
			if f := refusal(t, c, "{"+tt.request+"}"); f.Code != tt.code || !strings.Contains(f.Message, tt.want) {
				t.Errorf("got %+v", f)
			}
		})
	}
}

// TestNamesThatLeadInside asks for a name that is allowed and stands for this
// machine.
func TestNamesThatLeadInside(t *testing.T) {
	asked := false
	s := serve(t, func(http.ResponseWriter, *http.Request) { asked = true })
	_, port, err := net.SplitHostPort(strings.TrimPrefix(s.URL, "http://"))
	if err != nil {
		t.Fatal(err)
	}
	url := "http://localhost:" + port + "/"
	f := refusal(t, client(t, egress.Options{}, "http://*:"+port), `{"method":"GET","url":"`+url+`"}`)
	if f.Code != "http-refused" || !strings.Contains(f.Message, "localhost has a private address") || !strings.Contains(f.Hint, "private") || asked {
		t.Errorf("by a wildcard: got %+v", f)
	}
	f = refusal(t, client(t, egress.Options{}, "http://*:"+port), `{"method":"GET","url":"`+s.URL+`"}`)
	if f.Code != "http-refused" || asked {
		t.Errorf("as an address: got %+v", f)
	}
	ask(t, client(t, egress.Options{}, url), `{"method":"GET","url":"`+url+`"}`)
	ask(t, client(t, egress.Options{Policy: egress.Policy{Private: []string{"LOCALHOST"}}}, "http://*:"+port), `{"method":"GET","url":"`+url+`"}`)

	// An address that a redirect leads to is judged like any other.
	inside := serve(t, echo)
	start := serve(t, func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, strings.Replace(inside.URL, "127.0.0.1", "localhost", 1), http.StatusFound)
	})
	_, insidePort, _ := net.SplitHostPort(strings.TrimPrefix(inside.URL, "http://"))
	f = refusal(t, client(t, egress.Options{}, start.URL, "http://*:"+insidePort), `{"method":"GET","url":"`+start.URL+`"}`)
	if f.Code != "http-refused" || !strings.Contains(f.Message, "private address") {
		t.Errorf("by a redirect: got %+v", f)
	}
}

// A rule for one port of a host at a private address leaves its other ports closed, also
// where another rule allows that port of every host.
func TestRulesComparePorts(t *testing.T) {
	named, other := serve(t, echo), serve(t, func(http.ResponseWriter, *http.Request) { t.Error("another port was reached") })
	_, port, _ := net.SplitHostPort(other.Listener.Addr().String())
	for _, host := range []string{"127.0.0.1", "localhost"} {
		at := func(s string) string { return strings.Replace(s, "127.0.0.1", host, 1) }
		c := client(t, egress.Options{}, at(named.URL), "http://*:"+port)
		if _, ok := ask(t, c, `{"method":"GET","url":"`+at(named.URL)+`"}`); !ok {
			t.Errorf("%s: the port that is named was not reached", host)
		}
		f := refusal(t, c, `{"method":"GET","url":"`+at(other.URL)+`"}`)
		if f.Code != "http-refused" || !strings.Contains(f.Message, "private address") {
			t.Errorf("%s: %+v", host, f)
		}
	}
}
