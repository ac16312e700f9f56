package egress_test

import (
	"encoding/json"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/patchbay-mcp/patchbay/internal/servers/egress"
	"github.com/patchbay-mcp/patchbay/run"
)

// TestOutcomes tells requests that did not reach a server or that it refused from those
// that may have taken effect.
func TestOutcomes(t *testing.T) {
	hang := make(chan struct{})
	defer close(hang)
	for _, c := range []struct {
		name   string
		answer http.HandlerFunc
		want   run.CallOutcome
	}{
		{"the connection is lost", func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }, run.CallUnknown},
		{"no answer in time", func(_ http.ResponseWriter, r *http.Request) {
			_, _ = io.ReadAll(r.Body)
			select {
			case <-hang:
			case <-r.Context().Done():
			}
		}, run.CallUnknown},
		{"a redirect that is not followed", func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, "http://example.org/", http.StatusSeeOther)
		}, run.CallUnknown},
		{"an answer that is too large", func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, strings.Repeat("x", 2000)) }, run.CallCompleted},
		{"a large error", func(w http.ResponseWriter, _ *http.Request) {
			http.Error(w, strings.Repeat("x", 2000), http.StatusBadRequest)
		}, run.CallRefused},
		{"a large error of a gateway", func(w http.ResponseWriter, _ *http.Request) {
			http.Error(w, strings.Repeat("x", 2000), http.StatusBadGateway)
		}, run.CallUnknown},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := serve(t, c.answer)
			policy := egress.Policy{MaxBytes: 1000}
			if c.name == "no answer in time" {
				policy.Timeout = 50 * time.Millisecond
			}
			if got := posted(t, client(t, egress.Options{Policy: policy}, s.URL), s.URL); got != c.want {
				t.Errorf("outcome %d, want %d", got, c.want)
			}
		})
	}
	down := httptest.NewServer(http.HandlerFunc(echo))
	down.Close()
	tls := httptest.NewUnstartedServer(http.HandlerFunc(echo))
	tls.Config.ErrorLog = log.New(io.Discard, "", 0)
	tls.StartTLS()
	defer tls.Close()
	for name, url := range map[string]string{"nothing listens": down.URL, "the certificate is not trusted": tls.URL} {
		if got := posted(t, client(t, egress.Options{}, url), url); got != run.CallNotSent {
			t.Errorf("%s: outcome %d", name, got)
		}
	}
	if got := posted(t, client(t, egress.Options{}), down.URL); got != run.CallNotSent {
		t.Errorf("an address that is not allowed: outcome %d", got)
	}
}

// posted makes a POST that must fail, and returns what the error says came of it.
func posted(t *testing.T, c *egress.Client, url string) run.CallOutcome {
	t.Helper()
	_, _, err := c.Do(t.Context(), json.RawMessage(`{"method":"POST","url":"`+url+`"}`), "key")
	if err == nil {
		t.Error("the request succeeded")
	}
	return run.OutcomeOf(err)
}

// A request that is lost on a connection that was used before is not sent again by the
// transport, which would do so for its idempotency key.
func TestALostRequestIsNotRepeated(t *testing.T) {
	for _, body := range []string{"", `,"body":{"n":1}`} {
		var requests atomic.Int32
		s := serve(t, func(_ http.ResponseWriter, r *http.Request) {
			if r.Header.Get("Idempotency-Key") != "key" {
				t.Errorf("headers: %v", r.Header)
			}
			if requests.Add(1) > 1 {
				panic(http.ErrAbortHandler)
			}
		})
		c := client(t, egress.Options{}, s.URL)
		request := json.RawMessage(`{"method":"POST","url":"` + s.URL + `"` + body + `}`)
		if _, _, err := c.Do(t.Context(), request, "key"); err != nil {
			t.Fatal(err)
		}
		if _, _, err := c.Do(t.Context(), request, "key"); err == nil || requests.Load() != 2 {
			t.Errorf("%v after %d requests, want 2", err, requests.Load())
		}
	}
}
