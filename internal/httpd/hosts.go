package httpd

import (
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"slices"
	"strings"
)

// refused answers requests that a page of another origin makes a browser send, whatever
// their method, and those that did not come by a way that the operator allows. A page
// whose name was pointed at this machine has its own name for host, and its GET requests
// have no Origin: so the Host must be a name or an address of this server.
func refused(w http.ResponseWriter, r *http.Request, o *Options) bool {
	switch origin := r.Header.Get("Origin"); {
	case o.ProxiedOnly && !cameByProxy(r):
		http.Error(w, "this server answers requests of its proxies only, by https", http.StatusForbidden)
	case !o.isOwn(r):
		hint := "use localhost or 127.0.0.1"
		if len(o.Hosts) > 0 {
			hint = "the operator names others in serve.hosts"
		}
		http.Error(w, fmt.Sprintf("the Host %q of the request is not this machine: %s", r.Host, hint), http.StatusForbidden)
	case origin != "" && !sameHost(origin, r.Host) && !slices.Contains(o.AllowedOrigins, origin):
		http.Error(w, "the Origin of the request is not this server's", http.StatusForbidden)
	default:
		return false
	}
	return true
}

// isOwn reports whether the Host of a request is a name of this server: a loopback name,
// one that the operator has given, or the address at which the connection came in, to
// which no name can be pointed that a browser would send as an address.
func (o *Options) isOwn(r *http.Request) bool {
	if IsLoopback(r.Host) {
		return true
	}
	host := hostName(r.Host)
	names := o.Hosts
	if o.Certificate != nil {
		names = slices.Concat(names, o.Certificate.Names())
	}
	if slices.ContainsFunc(names, func(name string) bool { return nameMatches(name, host) }) {
		return true
	}
	ip, err := netip.ParseAddr(host)
	local, ok := r.Context().Value(http.LocalAddrContextKey).(*net.TCPAddr)
	return err == nil && ok && !local.IP.IsLoopback() && local.AddrPort().Addr().Unmap() == ip.Unmap()
}

// nameMatches reports whether a host has a name. Its first label may be * as in
// certificates.
func nameMatches(name, host string) bool {
	if rest, wild := strings.CutPrefix(name, "*."); wild {
		_, after, found := strings.Cut(host, ".")
		return found && strings.EqualFold(after, rest)
	}
	return strings.EqualFold(name, host)
}

// hostName is a Host header without its port.
func hostName(host string) string {
	if name, _, err := net.SplitHostPort(host); err == nil {
		host = name
	}
	return strings.TrimSuffix(strings.TrimPrefix(host, "["), "]")
}

// IsLoopback reports whether a Host header, or an address with a port, names this machine, with any port.
func IsLoopback(host string) bool {
	host = hostName(host)
	return strings.EqualFold(host, "localhost") || net.ParseIP(host).IsLoopback()
}

func sameHost(origin, host string) bool {
	u, err := url.Parse(origin)
	return err == nil && u.Host != "" && u.Host == host
}

// allowCORS lets pages of allowed origins read the response, and answers what their
// browsers ask beforehand. It reports whether it has answered.
func allowCORS(w http.ResponseWriter, r *http.Request) bool {
	origin := r.Header.Get("Origin")
	if origin == "" {
		return false
	}
	h := w.Header()
	h.Add("Vary", "Origin")
	h.Set("Access-Control-Allow-Origin", origin)
	h.Set("Access-Control-Expose-Headers", "Mcp-Session-Id, WWW-Authenticate, Retry-After")
	if r.Method != http.MethodOptions || r.Header.Get("Access-Control-Request-Method") == "" {
		return false
	}
	h.Set("Access-Control-Allow-Methods", "GET, POST, DELETE")
	h.Set("Access-Control-Allow-Headers", "Authorization, Content-Type, Accept, Last-Event-ID, Mcp-Session-Id, Mcp-Protocol-Version, Mcp-Method, Mcp-Name")
	h.Set("Access-Control-Max-Age", "600")
	w.WriteHeader(http.StatusNoContent)
	return true
}
