// Package egress makes the requests of http nodes, and connects to the APIs that the
// operator configured ([Client.APITransport]). Only through it does a graph reach
// an address that its author chose, and only if the operator allows it.
//
// No request is made unless a [Prefix] allows it. An address is judged
// twice: the URL, again after every redirect, by the list of prefixes; and the
// IP address that its host's name resolves to, when the connection is made, so
// that no name leads into the operator's own network. The values of ${NAME} are
// inserted here. An answer that holds them is not changed: they are masked where it
// leaves the program. It imports diag,
// secrets and run.
package egress

import (
	"context"
	"crypto/tls"
	"encoding/json"
	"maps"
	"net"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/internal/secrets"
)

// The bounds of one request where the operator sets none.
const (
	DefaultTimeout  = 30 * time.Second
	DefaultMaxBytes = 10 << 20
)

// A Policy is what the operator allows. The zero Policy allows nothing.
type Policy struct {
	Allow     []Prefix            // what may be asked for
	Private   []string            // hosts that may be at a private address; one that Allow names as an IP address or localhost needs no mention
	Variables map[string]Variable // by the name in ${NAME}
	Timeout   time.Duration       // of a request with its redirects and its answer; 0 is [DefaultTimeout]
	MaxBytes  int64               // of an answer's body, decompressed; 0 is [DefaultMaxBytes]
}

// Options of a [Client]. The zero Options allow nothing.
type Options struct {
	Policy

	// Redact masks the operator's secrets in messages; answers pass as they are. Nil
	// masks the values of Variables where they occur literally.
	Redact func(string) string

	Dial func(ctx context.Context, network, addr string) (net.Conn, error) // takes the place of the dialer and its check of addresses; for tests
	TLS  *tls.Config                                                       // nil means the system's certificates
}

// A Variable is a value of the operator's that a graph may use without seeing it.
type Variable struct {
	Value string
	For   []Prefix // where it may be sent; none means wherever a request may go
}

// String does not say the value.
func (Variable) String() string { return secrets.Hidden }

// GoString is String, for %#v.
func (v Variable) GoString() string { return v.String() }

// MarshalJSON does not say the value either.
func (v Variable) MarshalJSON() ([]byte, error) { return json.Marshal(v.String()) }

// A Client makes requests. It is safe for concurrent use.
type Client struct {
	o         Options
	transport *http.Transport

	mu   sync.Mutex
	apis map[string]*Client // of [Client.APITransport], by their origins
}

// New returns a client; nil Options allow nothing.
func New(o *Options) *Client {
	c := &Client{}
	if o != nil {
		c.o = *o
	}
	if c.o.Timeout <= 0 {
		c.o.Timeout = DefaultTimeout
	}
	if c.o.MaxBytes <= 0 {
		c.o.MaxBytes = DefaultMaxBytes
	}
	if c.o.Redact == nil {
		var values []secrets.Secret
		for name, v := range c.o.Variables {
			values = append(values, secrets.Secret{Name: name, Value: v.Value})
		}
		c.o.Redact = secrets.NewRedactor(values).Redact
	}
	c.transport = &http.Transport{
		DialContext:            c.dial,
		TLSClientConfig:        c.o.TLS,
		TLSHandshakeTimeout:    10 * time.Second,
		ForceAttemptHTTP2:      true,
		MaxIdleConns:           64,
		MaxIdleConnsPerHost:    8,
		IdleConnTimeout:        30 * time.Second,
		MaxResponseHeaderBytes: 256 << 10,
	}
	return c
}

// Close closes idle connections.
func (c *Client) Close() {
	c.transport.CloseIdleConnections()
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, api := range c.apis {
		api.Close()
	}
}

// Variables lists the names for ${NAME}, sorted.
func (c *Client) Variables() []string { return slices.Sorted(maps.Keys(c.o.Variables)) }

// Allows says why a request that uses the variables named must not go to a URL,
// in which ${NAME} may occur; nil means that it may.
func (c *Client) Allows(address string, variables []string) *diag.Fault {
	text, used, fault := c.expand(address)
	if fault != nil {
		return fault
	}
	u, fault := parseURL(text)
	if fault != nil {
		return c.hide(expandedFault(fault, address, used), nil)
	}
	return c.hide(c.allows(u, append(used, variables...)), c.asHost(used))
}

// Begins says why no URL that begins with a text may be asked for; nil means that
// one may, or that the text does not say which host is meant.
func (c *Client) Begins(beginning string) *diag.Fault {
	_, rest, ok := strings.Cut(beginning, "://")
	if !ok || !strings.ContainsAny(rest, "/?") {
		return nil
	}
	u, fault := parseURL(beginning)
	if fault == nil && !slices.ContainsFunc(c.o.Allow, func(p Prefix) bool { return p.mayCover(u) }) {
		fault = c.notAllowed(u)
	}
	return c.hide(fault, nil)
}

// hide masks the operator's secrets in a fault, and some more.
func (c *Client) hide(f *diag.Fault, more []string) *diag.Fault {
	if f == nil {
		return nil
	}
	mask := secrets.NewRedactor(secrets.Named("", more...))
	for _, text := range []*string{&f.Message, &f.Hint} {
		*text = c.o.Redact(mask.Redact(*text))
	}
	return f
}
