package config

import (
	"net/netip"
	"net/url"
	"strings"
	"time"

	"github.com/patchbay-mcp/patchbay/graph"
)

// Serve is how the server is offered over HTTP.
type Serve struct {
	Addr           string   // host:port, or "" for stdio only
	AllowedOrigins []string // in addition to the server's own
	AllTools       bool     // does nothing; former versions did not list all tools
	TokensFile     string   // has the hashes of tokens; "" when there is no place for it

	// Zero means that none was set.
	MaxSessions       int           // open at the same time
	MaxConnections    int           // open at the same time
	MaxRequests       int           // in progress at the same time
	RequestsPerMinute int           // of one principal
	BodyTimeout       time.Duration // for the body of a request to arrive
	WriteTimeout      time.Duration // for a client to take what is written

	RequireToken   bool           // also on a loopback address
	URL            string         // by which clients reach the server, or ""
	Hosts          []string       // names of the server, in addition to those of URL and its certificate
	Cert, Key      string         // files for TLS, or ""
	TrustedProxies []netip.Prefix // whose X-Forwarded-* are heeded
	OAuth          OAuth
}

// OAuth says whose access tokens are accepted, of nobody without an issuer.
type OAuth struct {
	Issuer   string
	Audience string // that tokens must have; "" is Serve.URL
	Names           // tools and graphs that their bearers may use
}

// serveSettings are about what is served.
var serveSettings = []setting{
	{
		"allTools", needsTrust, "Does nothing, as `--all-tools`: clients see all tools in `tools/list`.", "false",
		when(func(c *Config) *bool { return &c.Serve.AllTools }),
	},
	{"addr", needsTrust, "Where `patchbay serve` listens. An address that other machines can reach needs TLS and a token ([serving a team](team.md)). Without it, the server uses stdin and stdout.", "stdio", value{"`host:port`", (*loader).addr, nil}},
	{
		"allowedOrigins", needsTrust, "Origins of web pages that may call the server, in addition to its own.", "none",
		texts("origins", (*loader).allowOrigin),
	},
	{
		"maxSessions", needsTrust, "Sessions at the same time, at most half of them of one principal that has a token. A further one takes the place of a session in which nothing was asked for a minute and no stream is open, or for five seconds in one that was never used; where there is none, it gets status 503 with `Retry-After`. A session ends with the client's DELETE, or after an hour without a request. Requests of one that has ended get status 404, upon which clients open another.", "1000",
		number(1, 1_000_000, func(c *Config, n int64) { c.Serve.MaxSessions = int(n) }),
	},
	{
		"maxConnections", needsTrust, "Connections at the same time. Further ones get status 503 with `Retry-After`.", "4000",
		number(1, 1_000_000, func(c *Config, n int64) { c.Serve.MaxConnections = int(n) }),
	},
	{
		"bodyTimeoutMs", needsTrust, "How long the body of a request may take to arrive, in milliseconds. A later one gets status 408.", "30000",
		millis(1, 3_600_000, func(c *Config) *time.Duration { return &c.Serve.BodyTimeout }),
	},
	{
		"writeTimeoutMs", needsTrust, "How long a client may take to receive what is written to it, in milliseconds. The connection of a slower one is closed.", "30000",
		millis(1, 3_600_000, func(c *Config) *time.Duration { return &c.Serve.WriteTimeout }),
	},
	{
		"maxRequests", needsTrust, "Requests in progress at the same time, streams included. Further ones get status 503 with `Retry-After`.", "4000",
		number(1, 1_000_000, func(c *Config, n int64) { c.Serve.MaxRequests = int(n) }),
	},
	{
		"requestsPerMinute", needsTrust, "Requests of one principal in a minute, that is, of one token or of one subject of the issuer. Further ones get status 429 with `Retry-After`.", "6000",
		number(1, 10_000_000, func(c *Config, n int64) { c.Serve.RequestsPerMinute = int(n) }),
	},
	{"requireToken", needsTrust, "Whether a token is needed on a loopback address too. On another address, and with `trustedProxies` or `oauth`, it always is.", "false", when(func(c *Config) *bool { return &c.Serve.RequireToken })},
	{"url", needsTrust, "The address by which clients reach the server, such as `https://patchbay.example.com/mcp`. Its host may be the Host of requests.", "none", webAddress("https://patchbay.example.com/mcp", true, func(c *Config) *string { return &c.Serve.URL })},
	{
		"hosts", needsTrust, "More names that may be the Host of requests. Loopback names, the names in the certificate and the address that the server listens on always may.", "none",
		texts("hosts", host("patchbay.example.com", func(c *Config) *[]string { return &c.Serve.Hosts })),
	},
	{"tls", needsTrust, "The certificate of the server. Both files are read again when they change.", "", group([]setting{
		{"cert", needsTrust, "The file of the certificate and its chain, PEM.", "none", folder(func(c *Config, file string) { c.Serve.Cert = file })},
		{"key", needsTrust, "The file of the private key, PEM.", "none", folder(func(c *Config, file string) { c.Serve.Key = file })},
	})},
	{
		"trustedProxies", needsTrust, "Addresses or networks of proxies that end TLS in front of the server. Their `X-Forwarded-For`, `X-Forwarded-Host` and `X-Forwarded-Proto` are heeded, and nobody else's.", "none",
		texts("addresses", (*loader).trustedProxy),
	},
	{"oauth", needsTrust, "An authorization server whose access tokens (JWT) are accepted.", "", group([]setting{
		{"issuer", needsTrust, "Its URL, whose metadata say where its keys are.", "none", webAddress("https://login.example.com", true, func(c *Config) *string { return &c.Serve.OAuth.Issuer })},
		{"audience", needsTrust, "What must be among the audiences of a token.", "`serve.url`", expandedText("an audience", func(c *Config, s string) { c.Serve.OAuth.Audience = s })},
		{
			"allow", needsTrust, "Tools and graphs that the bearers of its tokens may use, as patterns of `SERVER/TOOL` and `graph:NAME`.", "everything",
			patterns(func(c *Config) *[]string { return &c.Serve.OAuth.Allow }),
		},
		{
			"deny", needsTrust, "Tools and graphs that they may not use, as such patterns.", "none",
			patterns(func(c *Config) *[]string { return &c.Serve.OAuth.Deny }),
		},
	})},
	{"tokensFile", needsTrust, "The file with the hashes of the tokens that `patchbay token add` has made.", "`$XDG_STATE_HOME/patchbay/access/tokens.json`", folder(func(c *Config, file string) { c.Serve.TokensFile = file })},
}

// webAddress is a URL; a bare one has no user and no fragment.
func webAddress(example string, bare bool, to func(*Config) *string) value {
	return value{"URL", func(l *loader, o origin, v graph.Value) {
		text, ok := l.expanded(o, v, "a URL")
		if u, err := url.Parse(text); ok && (err != nil || u.Host == "" || bare && (u.User != nil || u.Fragment != "") || u.Scheme != "https" && u.Scheme != "http") {
			o.bad(v, "a URL, such as "+example)
		} else if ok {
			*to(l.cfg) = text
		}
	}, nil}
}

// host reads a host of a list.
func host(example string, to func(*Config) *[]string) func(*loader, origin, graph.Value) {
	return func(l *loader, o origin, v graph.Value) {
		name := strings.ToLower(strings.Trim(v.Text(), "[]"))
		if name == "" || strings.ContainsAny(name, "/*@ ") || strings.Count(name, ":") == 1 {
			o.bad(v, "a host without scheme and port, such as "+example)
			return
		}
		*to(l.cfg) = append(*to(l.cfg), name)
	}
}

func (l *loader) trustedProxy(o origin, v graph.Value) {
	network, err := netip.ParsePrefix(v.Text())
	if addr, single := netip.ParseAddr(v.Text()); single == nil {
		network, err = addr.Unmap().Prefix(addr.Unmap().BitLen())
	}
	if err != nil {
		o.bad(v, "an address or a network, such as 10.0.0.5 or 10.0.0.0/8")
		return
	}
	l.cfg.Serve.TrustedProxies = append(l.cfg.Serve.TrustedProxies, network.Masked())
}
