package egress

import (
	"net/http"
	"net/netip"
	"testing"
)

func TestRefusedAddresses(t *testing.T) {
	c := New(&Options{Policy: Policy{Allow: []Prefix{{"https", "*", "443", ""}, {"http", "10.0.0.7", "80", ""}, {"http", "localhost", "80", ""}, {"http", "169.254.7.7", "80", ""}, {"http", "fe80::1", "80", ""}}, Private: []string{"intranet.example"}}})
	refused := []struct{ host, ip string }{
		{"a.example", "127.0.0.1"},
		{"a.example", "10.1.2.3"},
		{"a.example", "172.31.0.1"},
		{"a.example", "192.168.0.1"},
		{"a.example", "100.64.0.1"},
		{"a.example", "0.0.0.0"},
		{"a.example", "169.254.169.254"},
		{"a.example", "224.0.0.1"},
		{"a.example", "255.255.255.255"},
		{"a.example", "168.63.129.16"},
		{"a.example", "198.18.0.1"},
		{"a.example", "::1"},
		{"a.example", "::"},
		{"a.example", "::ffff:127.0.0.1"},
		{"a.example", "::7f00:1"},
		{"a.example", "fe80::1%eth0"},
		{"a.example", "fd00::1"},
		{"a.example", "ff02::1"},
		{"a.example", "64:ff9b::a9fe:a9fe"},
		{"a.example", "2002:7f00:1::"},
		{"a.example", "2001::1"},
		{"a.example", "fd00:ec2::254"},
		{"10.0.0.8", "10.0.0.8"},
		{"127.0.0.1", "127.0.0.1"},
		{"localhost", "10.0.0.7"},
		{"intranet.example", "169.254.169.254"},
		{"intranet.example", "fd00:ec2::254"},
		{"intranet.example", "100.100.100.200"},
		{"intranet.example", "fe80::1"},
		{"sub.intranet.example", "10.0.0.1"},
	}
	for _, tt := range refused {
		if f := c.refuses(tt.host, "80", netip.MustParseAddr(tt.ip)); f == nil || f.Code != "http-refused" || f.Hint == "" {
			t.Errorf("%s at %s: got %v", tt.host, tt.ip, f)
		}
	}
	fine := []struct{ host, ip string }{
		{"a.example", "93.184.215.14"},
		{"a.example", "2606:2800:21f:cb07:6820:80da:af6b:8b2c"},
		{"a.example", "64:ff9b::5db8:d70e"},
		{"10.0.0.7", "10.0.0.7"},
		{"localhost", "127.0.0.1"},
		{"LOCALHOST.", "::1"},
		{"169.254.7.7", "169.254.7.7"},
		{"fe80::1", "fe80::1"},
		{"intranet.example", "10.0.0.1"},
		{"Intranet.example", "fd00::1"},
		{"intranet.example", "127.0.0.1"},
	}
	for _, tt := range fine {
		if f := c.refuses(tt.host, "80", netip.MustParseAddr(tt.ip)); f != nil {
			t.Errorf("%s at %s: %v", tt.host, tt.ip, f)
		}
	}
}

// No variable of the environment leads requests through another machine.
func TestTransportHasNoProxy(t *testing.T) {
	if New(nil).transport.Proxy != nil {
		t.Error("the transport asks the environment for a proxy")
	}
	if http.DefaultTransport == http.RoundTripper(New(nil).transport) {
		t.Error("the transport is shared")
	}
}
