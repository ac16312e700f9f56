package egress

import (
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"testing"

	"github.com/patchbay-mcp/patchbay/diag"
)

func get(t *testing.T, rt http.RoundTripper, url string) (string, error) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, url, nil)
	if err != nil {
		t.Fatal(err)
	}
	resp, err := rt.RoundTrip(req)
	if err != nil {
		return "", err
	}
	defer resp.Body.Close() //nolint:errcheck // it was read
	body, err := io.ReadAll(resp.Body)
	return string(body), err
}

// The URLs that an API's entry names are reached, at private addresses too, and nothing else is.
func TestAPITransport(t *testing.T) {
	api := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "api") }))
	defer api.Close()
	other := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { t.Error("another origin was asked") }))
	defer other.Close()
	c := New(nil)
	defer c.Close()
	rt := c.APITransport("schema.graphql", api.URL+"/graphql")
	if body, err := get(t, rt, api.URL+"/other/path"); err != nil || body != "api" {
		t.Errorf("%q, %v", body, err)
	}
	for _, url := range []string{other.URL, strings.Replace(api.URL, "http:", "https:", 1), strings.Replace(api.URL, "127.0.0.1", "localhost", 1)} {
		if _, err := get(t, rt, url); err == nil {
			t.Errorf("%s was reached", url)
		} else if fault, ok := errors.AsType[*diag.Fault](err); !ok || fault.Code != "http-refused" {
			t.Errorf("%s: %v", url, err)
		}
	}
	if _, err := get(t, c.APITransport("http://*/"), api.URL); err == nil {
		t.Error("a pattern is the URL of an API")
	}
	if fault := c.Allows(api.URL, nil); fault == nil {
		t.Error("http nodes may request the API")
	}
	if c.APITransport(api.URL) != c.APITransport(api.URL) {
		t.Error("each start of an API has its own connections")
	}
}

// No host name leads to a metadata service, also if the operator has named it.
func TestAPITransportRefusesMetadata(t *testing.T) {
	own := New(nil).APITransport("http://metadata.example.com/").(apiTransport)
	for _, address := range []string{"169.254.169.254", "fd00:ec2::254"} {
		if own.refuses("metadata.example.com", "80", netip.MustParseAddr(address)) == nil {
			t.Errorf("%s is allowed", address)
		}
	}
	if fault := own.refuses("metadata.example.com", "80", netip.MustParseAddr("10.0.0.7")); fault != nil {
		t.Errorf("a private address of a host that is named: %v", fault)
	}
}
