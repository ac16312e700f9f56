package patchbay_test

import (
	"context"
	"crypto/tls"
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/patchbay-mcp/patchbay/internal/servers/egress"
)

// newWeb is the web that examples ask: all of it is one server, which answers for
// api.example.com and wants a token. It is busy at first.
func newWeb(t *testing.T) *egress.Client {
	t.Helper()
	prices := map[string]string{"lamp": `{"name":"Lamp","price":19.50}`, "desk/oak": `{"name":"Oak desk","price":420}`}
	var asked atomic.Int64
	mux := http.NewServeMux()
	mux.HandleFunc("GET /v1/articles/{article}", func(w http.ResponseWriter, r *http.Request) {
		switch body, ok := prices[r.PathValue("article")]; {
		case asked.Add(1) == 1:
			w.WriteHeader(http.StatusServiceUnavailable)
		case !ok || r.URL.RawQuery != "fields=name&fields=price":
			w.WriteHeader(http.StatusNotFound)
		default:
			w.Header().Set("Content-Type", "application/json")
			fmt.Fprint(w, body)
		}
	})
	mux.HandleFunc("POST /v1/alerts", func(w http.ResponseWriter, r *http.Request) {
		var alert struct{ Articles []string }
		if err := json.NewDecoder(r.Body).Decode(&alert); err != nil {
			w.WriteHeader(http.StatusBadRequest)
			return
		}
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(http.StatusCreated)
		fmt.Fprintf(w, `{"id":"alert %d: %s"}`, len(alert.Articles), strings.Join(alert.Articles, ", "))
	})
	s := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Authorization") != "Bearer token-of-the-examples" {
			w.WriteHeader(http.StatusUnauthorized)
			return
		}
		mux.ServeHTTP(w, r)
	}))
	t.Cleanup(s.Close)
	allowed, err := egress.ParsePrefix("https://api.example.com/v1/")
	if err != nil {
		t.Fatal(err)
	}
	c := egress.New(&egress.Options{Policy: egress.Policy{Allow: []egress.Prefix{allowed}, Variables: map[string]egress.Variable{"API_TOKEN": {Value: "token-of-the-examples"}}}, Dial: func(ctx context.Context, network, _ string) (net.Conn, error) {
		return (&net.Dialer{}).DialContext(ctx, network, s.Listener.Addr().String())
	}, TLS: &tls.Config{RootCAs: s.Client().Transport.(*http.Transport).TLSClientConfig.RootCAs, MinVersion: tls.VersionTLS12}})
	t.Cleanup(c.Close)
	return c
}
