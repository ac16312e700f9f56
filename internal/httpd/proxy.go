package httpd

import (
	"context"
	"net/http"
	"net/netip"
	"slices"
	"strings"
)

type proxiedKey struct{}

// forwarded returns a request as the client has sent it to a trusted proxy, and any
// other request unchanged: what others say in X-Forwarded-* does not count.
func forwarded(r *http.Request, proxies []netip.Prefix) *http.Request {
	if len(proxies) == 0 || !trusts(proxies, r.RemoteAddr) {
		return r
	}
	secure := strings.EqualFold(last(r.Header.Values("X-Forwarded-Proto")), "https")
	out := r.WithContext(context.WithValue(r.Context(), proxiedKey{}, secure))
	if host := last(r.Header.Values("X-Forwarded-Host")); host != "" {
		out.Host = host
	}
	hops := elements(r.Header.Values("X-Forwarded-For"))
	for _, hop := range slices.Backward(hops) { // the last one that is not a proxy of ours is the client
		out.RemoteAddr = hop
		if !trusts(proxies, hop) {
			break
		}
	}
	return out
}

// cameByProxy reports whether a trusted proxy got the request by https.
func cameByProxy(r *http.Request) bool {
	secure, _ := r.Context().Value(proxiedKey{}).(bool)
	return secure
}

// IsSecure reports whether a request came by https, to this server or to a proxy of it.
func IsSecure(r *http.Request) bool { return r.TLS != nil || cameByProxy(r) }

// trusts reports whether an address, with or without a port, is that of a proxy.
func trusts(proxies []netip.Prefix, address string) bool {
	ip, err := netip.ParseAddr(hostName(address))
	return err == nil && slices.ContainsFunc(proxies, func(p netip.Prefix) bool { return p.Contains(ip.Unmap().WithZone("")) })
}

// elements are those of a header that is a list.
func elements(values []string) (list []string) {
	for _, v := range values {
		for e := range strings.SplitSeq(v, ",") {
			list = append(list, strings.TrimSpace(e))
		}
	}
	return list
}

// last is the last element of a header that is a list: the one that the nearest proxy has
// added.
func last(values []string) string {
	list := elements(values)
	if len(list) == 0 {
		return ""
	}
	return list[len(list)-1]
}
