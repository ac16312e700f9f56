package egress

import (
	"net/http"
	"slices"
	"sync"
	"sync/atomic"
)

// A Reach is a transport to the origins of an API, which may have more than the
// configuration names: those of the servers in a document of the operator's own.
type Reach struct {
	client    *Client
	mu        sync.Mutex
	urls      []string
	transport atomic.Pointer[http.RoundTripper]
}

// APIReach returns the transport of [Client.APITransport], to which URLs can be added.
func (c *Client) APIReach(urls ...string) *Reach {
	r := &Reach{client: c}
	r.Add(urls...)
	return r
}

// Add allows the origins of more URLs.
func (r *Reach) Add(urls ...string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, url := range urls {
		if !slices.Contains(r.urls, url) {
			r.urls = append(r.urls, url)
		}
	}
	transport := r.client.APITransport(r.urls...)
	r.transport.Store(&transport)
}

// RoundTrip implements [http.RoundTripper].
func (r *Reach) RoundTrip(req *http.Request) (*http.Response, error) {
	return (*r.transport.Load()).RoundTrip(req)
}
