package httpd

import (
	"crypto/tls"
	"io/fs"
	"log/slog"
	"os"
	"slices"
	"sync"
)

// A Certificate is the certificate of a server, in two files that may be replaced while
// it serves.
type Certificate struct {
	cert, key string
	log       *slog.Logger

	mu      sync.Mutex
	seen    [2]fs.FileInfo // of the files that were read last, also of unusable ones
	current *tls.Certificate
}

// LoadCertificate reads a certificate and its key, PEM files. Changes that cannot be used
// are logged, and the former certificate stays in effect.
func LoadCertificate(cert, key string, log *slog.Logger) (*Certificate, error) {
	c := &Certificate{cert: cert, key: key, log: log}
	c.seen = c.look()
	pair, err := tls.LoadX509KeyPair(cert, key)
	if err != nil {
		return nil, err
	}
	c.current = &pair
	return c, nil
}

// Config is the configuration of TLS with the certificate.
func (c *Certificate) Config() *tls.Config {
	return &tls.Config{MinVersion: tls.VersionTLS12, GetCertificate: func(*tls.ClientHelloInfo) (*tls.Certificate, error) { return c.get(), nil }}
}

// Names are the names that the certificate has now.
func (c *Certificate) Names() []string {
	if leaf := c.get().Leaf; leaf != nil {
		return slices.Clone(leaf.DNSNames)
	}
	return nil
}

// get returns the certificate, read again if a file has changed.
func (c *Certificate) get() *tls.Certificate {
	now := c.look()
	c.mu.Lock()
	defer c.mu.Unlock()
	if sameFile(now[0], c.seen[0]) && sameFile(now[1], c.seen[1]) {
		return c.current
	}
	c.seen = now
	pair, err := tls.LoadX509KeyPair(c.cert, c.key)
	if err != nil {
		c.log.Warn("the changed certificate cannot be used; the former one stays in effect", "error", err)
		return c.current
	}
	c.current = &pair
	return c.current
}

func (c *Certificate) look() [2]fs.FileInfo {
	cert, _ := os.Stat(c.cert)
	key, _ := os.Stat(c.key)
	return [2]fs.FileInfo{cert, key}
}

func sameFile(a, b fs.FileInfo) bool {
	if a == nil || b == nil {
		return a == nil && b == nil
	}
	return os.SameFile(a, b) && a.ModTime().Equal(b.ModTime()) && a.Size() == b.Size()
}
