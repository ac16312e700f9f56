package egress_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/patchbay-mcp/patchbay/internal/servers/egress"
)

// TestReach requests the origins that it was given, and those that were added.
func TestReach(t *testing.T) {
	var urls []string
	for range 3 {
		s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "here") }))
		t.Cleanup(s.Close)
		urls = append(urls, s.URL)
	}
	c := egress.New(nil)
	t.Cleanup(c.Close)
	reach := c.APIReach("openapi.yaml", "", urls[0])
	reached := func(url string) bool {
		req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, url+"/a", nil)
		if err != nil {
			t.Fatal(err)
		}
		resp, err := reach.RoundTrip(req)
		if err == nil {
			_ = resp.Body.Close()
		}
		return err == nil
	}
	check := func(want ...bool) {
		t.Helper()
		for i, url := range urls {
			if got := reached(url); got != want[i] {
				t.Errorf("server %d is reached: %t", i, got)
			}
		}
	}
	check(true, false, false)
	reach.Add(urls[1] + "/v1")
	check(true, true, false)
}
