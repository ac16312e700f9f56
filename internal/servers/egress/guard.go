package egress

import (
	"context"
	"net"
	"net/netip"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/internal/sys/lists"
)

// reserved are the blocks that are not the public internet, by the registries of
// special-purpose addresses (RFC 6890 and those that update it).
var reserved = prefixes(
	"0.0.0.0/8", "10.0.0.0/8", "100.64.0.0/10", "127.0.0.0/8", "169.254.0.0/16", "172.16.0.0/12", "192.0.0.0/24", "192.0.2.0/24",
	"192.88.99.0/24", "192.168.0.0/16", "198.18.0.0/15", "198.51.100.0/24", "203.0.113.0/24", "224.0.0.0/4", "240.0.0.0/4",
	"::/96", "64:ff9b:1::/48", "100::/64", "2001::/23", "2001:db8::/32", "3fff::/20", "5f00::/16", "fc00::/7", "fe80::/10", "fec0::/10", "ff00::/8",
)

// metadataAddrs are addresses that no host name may lead to, even one that the
// operator allows: link-local ones, and the metadata services of clouds, which hand
// out credentials.
var metadataAddrs = prefixes("169.254.0.0/16", "fe80::/10", "fd00:ec2::254/128", "100.100.100.200/32", "168.63.129.16/32", "192.0.0.192/32")

func prefixes(texts ...string) []netip.Prefix {
	return lists.Each(texts, netip.MustParsePrefix)
}

func within(ip netip.Addr, list []netip.Prefix) bool {
	return slices.ContainsFunc(list, func(p netip.Prefix) bool { return p.Contains(ip) })
}

// embeddedIPv4 is the address that traffic to ip ends at: the IPv4 address inside one of
// NAT64 or 6to4.
func embeddedIPv4(ip netip.Addr) netip.Addr {
	ip = ip.Unmap().WithZone("")
	if ip.Is4() {
		return ip
	}
	b := ip.As16()
	switch {
	case netip.MustParsePrefix("64:ff9b::/96").Contains(ip):
		return netip.AddrFrom4([4]byte(b[12:16]))
	case netip.MustParsePrefix("2002::/16").Contains(ip):
		return netip.AddrFrom4([4]byte(b[2:6]))
	}
	return ip
}

// refuses returns why connecting to a port of a host at this address is not allowed, or nil.
func (c *Client) refuses(host, port string, ip netip.Addr) *diag.Fault {
	host = strings.TrimSuffix(strings.ToLower(host), ".")
	ip = embeddedIPv4(ip)
	literal, err := netip.ParseAddr(host)
	named := slices.ContainsFunc(c.o.Allow, func(p Prefix) bool { return p.Host == host && p.Port == port })
	private := slices.ContainsFunc(c.o.Private, func(h string) bool { return strings.EqualFold(h, host) })
	switch {
	case !within(ip, reserved) && !within(ip, metadataAddrs):
		return nil
	case err == nil && (named || private) && embeddedIPv4(literal) == ip:
		return nil // this very address
	case within(ip, metadataAddrs):
		return diag.Faultf(codeHTTPRefused, "%s resolves to a link-local or metadata address, which is never allowed for a host name", host).WithHint("name a public host")
	case private, named && host == "localhost" && ip.IsLoopback():
		return nil
	}
	return diag.Faultf(codeHTTPRefused, "%s has a private address", host).WithHint("to allow it, the operator adds to patchbay.yaml: egress: {private: [\"" + host + "\"]}")
}

// dial connects to a host. Every address that the host's name resolves to is
// checked where the connection is made, so that no second look-up can return
// another.
func (c *Client) dial(ctx context.Context, network, addr string) (net.Conn, error) {
	host, port, err := net.SplitHostPort(addr)
	if err != nil {
		return nil, err
	}
	if c.o.Dial != nil {
		return c.o.Dial(ctx, network, addr)
	}
	d := net.Dialer{Timeout: 10 * time.Second, ControlContext: func(_ context.Context, _, address string, _ syscall.RawConn) error {
		at, err := netip.ParseAddrPort(address)
		if err != nil {
			return err
		}
		if fault := c.refuses(host, port, at.Addr()); fault != nil {
			return fault
		}
		return nil
	}}
	return d.DialContext(ctx, network, addr)
}
