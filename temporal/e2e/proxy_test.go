package e2e_test

import (
	"net"
	"sync"
	"testing"
)

// A proxy is the network between a server and those that use it.
type proxy struct {
	target string
	l      net.Listener

	mu    sync.Mutex
	conns map[net.Conn]bool
	back  chan struct{} // closed when the network is back; nil while it is there
}

func newProxy(t *testing.T, target string) *proxy {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0") //nolint:noctx // it listens at once
	if err != nil {
		t.Fatal(err)
	}
	p := &proxy{target: target, l: l, conns: map[net.Conn]bool{}}
	t.Cleanup(func() { _ = l.Close() })
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			go p.serve(c)
		}
	}()
	return p
}

func (p *proxy) address() string { return p.l.Addr().String() }

// cut loses all that is sent from now on, without closing a connection.
func (p *proxy) cut() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.back = make(chan struct{})
}

// restore ends the outage. The connections that were there do not come back.
func (p *proxy) restore() {
	p.mu.Lock()
	defer p.mu.Unlock()
	for c := range p.conns {
		_ = c.Close()
	}
	close(p.back)
	p.back = nil
}

func (p *proxy) serve(from net.Conn) {
	defer func() { _ = from.Close() }()
	if !p.add(from) {
		return
	}
	to, err := net.Dial("tcp", p.target) //nolint:noctx // it is there, or refuses
	if err != nil {
		return
	}
	defer func() { _ = to.Close() }()
	if !p.add(to) {
		return
	}
	go p.pump(from, to)
	p.pump(to, from)
}

// add reports whether a connection can be used: during an outage, when it is over.
func (p *proxy) add(c net.Conn) bool {
	p.mu.Lock()
	p.conns[c] = true
	p.mu.Unlock()
	return p.passes()
}

// passes waits for the end of an outage, and then reports that what was sent is lost.
func (p *proxy) passes() bool {
	p.mu.Lock()
	back := p.back
	p.mu.Unlock()
	if back == nil {
		return true
	}
	<-back
	return false
}

func (p *proxy) pump(to, from net.Conn) {
	defer func() {
		_ = to.Close()
		_ = from.Close()
		p.mu.Lock()
		defer p.mu.Unlock()
		delete(p.conns, from)
	}()
	b := make([]byte, 64<<10)
	for {
		n, err := from.Read(b)
		if !p.passes() || err != nil {
			return
		}
		if _, err := to.Write(b[:n]); err != nil {
			return
		}
	}
}
