package httpd

import (
	"cmp"
	"io"
	"net"
	"sync"
	"sync/atomic"
	"time"
)

const (
	turningAway = 64          // connections that are told why at the same time
	lastWords   = time.Second // for a connection that is turned away
)

// Bound returns a listener whose connections are at most so many at the same time; 0
// means [DefaultMaxConnections]. Further ones are answered with status 503.
func Bound(l net.Listener, most int) net.Listener {
	return &boundListener{Listener: l, most: int64(cmp.Or(most, DefaultMaxConnections)), away: make(chan struct{}, turningAway)}
}

type boundListener struct {
	net.Listener
	most int64
	open atomic.Int64
	away chan struct{}
}

// Accept implements [net.Listener].
func (l *boundListener) Accept() (net.Conn, error) {
	for {
		c, err := l.Listener.Accept()
		if err != nil {
			return nil, err
		}
		if l.open.Add(1) <= l.most {
			return &boundConn{Conn: c, listener: l}, nil
		}
		l.open.Add(-1)
		select {
		case l.away <- struct{}{}:
			go func() {
				turnAway(c)
				<-l.away
			}()
		default:
			_ = c.Close()
		}
	}
}

// turnAway says on a connection that there are too many, and closes it. What the client
// has sent is read, so that it is not told of a broken connection instead.
func turnAway(c net.Conn) {
	defer func() { _ = c.Close() }()
	const text = "there are too many connections\n"
	_ = c.SetDeadline(time.Now().Add(lastWords))
	_, err := io.WriteString(c, "HTTP/1.1 503 Service Unavailable\r\nRetry-After: "+retryAfter+"\r\nConnection: close\r\nContent-Type: text/plain; charset=utf-8\r\n\r\n"+text)
	if half, ok := c.(interface{ CloseWrite() error }); ok && err == nil && half.CloseWrite() == nil {
		_, _ = io.Copy(io.Discard, io.LimitReader(c, 64<<10))
	}
}

type boundConn struct {
	net.Conn
	listener *boundListener
	closing  sync.Once
}

// Close implements [net.Conn].
func (c *boundConn) Close() error {
	c.closing.Do(func() { c.listener.open.Add(-1) })
	return c.Conn.Close()
}

// CloseWrite ends what is written, as the HTTP server does before it closes.
func (c *boundConn) CloseWrite() error {
	if half, ok := c.Conn.(interface{ CloseWrite() error }); ok {
		return half.CloseWrite()
	}
	return nil
}
