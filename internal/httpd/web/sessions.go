package web

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"sync"
	"time"
)

const (
	maxSessions = 1000
	maxStreams  = 16             // of one principal
	sessionIdle = 12 * time.Hour // until a session ends that is not used
)

// sessions are the browsers that have signed in. They end with the process.
type sessions struct {
	now func() time.Time

	mu    sync.Mutex
	links map[[sha256.Size]byte]bool     // by the hash of a token that is good once
	open  map[[sha256.Size]byte]*session // by the hash of the credentials
}

// credentials are what a page needs for its session: the cookie that the browser keeps, and
// the key that the page holds.
type credentials struct{ cookie, key string }

func (c credentials) hash() [sha256.Size]byte { return sha256.Sum256([]byte(c.cookie + " " + c.key)) }

// A session is one browser that has signed in.
type session struct {
	token    string // as which each request is judged; "" needs none
	operator bool   // a person has opened it by a link
	peer     string // tells it from others
	used     time.Time
}

func newSessions() *sessions {
	return &sessions{now: time.Now, links: map[[sha256.Size]byte]bool{}, open: map[[sha256.Size]byte]*session{}}
}

// secret returns 256 random bits as text.
func secret() string {
	var b [32]byte
	_, _ = rand.Read(b[:])
	return base64.RawURLEncoding.EncodeToString(b[:])
}

// link returns a token that is good once.
func (s *sessions) link() string {
	token := secret()
	s.mu.Lock()
	defer s.mu.Unlock()
	s.links[sha256.Sum256([]byte(token))] = true
	return token
}

// takeLink reports whether a token is that of a link that was not used before.
func (s *sessions) takeLink(token string) bool {
	hash := sha256.Sum256([]byte(token))
	s.mu.Lock()
	defer s.mu.Unlock()
	ok := s.links[hash]
	delete(s.links, hash)
	return ok
}

// start opens a session for the page with a key and returns what its cookie has.
func (s *sessions) start(key, token string, operator bool) (cookie string) {
	cookie = secret()
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.open) >= maxSessions {
		s.makeRoom()
	}
	s.open[credentials{cookie, key}.hash()] = &session{token: token, operator: operator, peer: "ui " + secret()[:8], used: s.now()}
	return cookie
}

// makeRoom ends the session that was not used for the longest time, one of an operator last.
func (s *sessions) makeRoom() {
	var oldest [sha256.Size]byte
	var found *session
	for hash, one := range s.open {
		if found == nil || found.operator && !one.operator || found.operator == one.operator && one.used.Before(found.used) {
			oldest, found = hash, one
		}
	}
	delete(s.open, oldest)
}

// find returns the session of a page, or nil.
func (s *sessions) find(c credentials) *session {
	hash := c.hash()
	s.mu.Lock()
	defer s.mu.Unlock()
	found := s.open[hash]
	if found == nil {
		return nil
	}
	if now := s.now(); now.Sub(found.used) < sessionIdle {
		found.used = now
		return found
	}
	delete(s.open, hash)
	return nil
}

// end ends the session of a page.
func (s *sessions) end(c credentials) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.open, c.hash())
}
