package issuer_test

import (
	"context"
	"crypto"
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/rsa"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/go-jose/go-jose/v4"
	"github.com/go-jose/go-jose/v4/jwt"

	"github.com/patchbay-mcp/patchbay/internal/httpd/issuer"
	"github.com/patchbay-mcp/patchbay/internal/policy/access"
)

const audience = "https://patchbay.example.com/mcp"

// local is an authorization server of the test's own.
type local struct {
	*httptest.Server
	mu      sync.Mutex
	keys    jose.JSONWebKeySet
	read    int    // how often the keys were read
	claimed string // the issuer in its metadata, if it is not the right one
	broken  bool
}

func serve(t *testing.T) *local {
	t.Helper()
	l := &local{}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /.well-known/oauth-authorization-server", func(w http.ResponseWriter, _ *http.Request) {
		l.mu.Lock()
		defer l.mu.Unlock()
		name := l.URL
		if l.claimed != "" {
			name = l.claimed
		}
		_ = json.NewEncoder(w).Encode(map[string]string{"issuer": name, "jwks_uri": l.URL + "/keys"})
	})
	mux.HandleFunc("GET /keys", func(w http.ResponseWriter, _ *http.Request) {
		l.mu.Lock()
		defer l.mu.Unlock()
		l.read++
		if l.broken {
			http.Error(w, "no", http.StatusInternalServerError)
			return
		}
		_ = json.NewEncoder(w).Encode(l.keys)
	})
	l.Server = httptest.NewServer(mux)
	t.Cleanup(l.Close)
	return l
}

// publish adds a public key.
func (l *local) publish(id string, key crypto.PublicKey) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.keys.Keys = append(l.keys.Keys, jose.JSONWebKey{Key: key, KeyID: id, Use: "sig"})
}

// set changes what the server answers.
func (l *local) set(f func()) {
	l.mu.Lock()
	defer l.mu.Unlock()
	f()
}

// reads is how often the keys were read.
func (l *local) reads() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.read
}

// sign signs claims.
func sign(t *testing.T, alg jose.SignatureAlgorithm, id string, key any, claims map[string]any) string {
	t.Helper()
	signer, err := jose.NewSigner(jose.SigningKey{Algorithm: alg, Key: key}, (&jose.SignerOptions{}).WithHeader("kid", id))
	if err != nil {
		t.Fatal(err)
	}
	token, err := jwt.Signed(signer).Claims(claims).Serialize()
	if err != nil {
		t.Fatal(err)
	}
	return token
}

var start = time.Date(2026, 11, 22, 12, 0, 0, 0, time.UTC)

// claims are those of a valid token, changed.
func claims(issuer string, change ...any) map[string]any {
	c := map[string]any{"iss": issuer, "aud": audience, "sub": "ann", "exp": start.Add(time.Hour).Unix(), "nbf": start.Add(-time.Minute).Unix(), "scope": "openid catalog:read graph:run"}
	for i := 0; i+1 < len(change); i += 2 {
		key := change[i].(string)
		if change[i+1] == nil {
			delete(c, key)
		} else {
			c[key] = change[i+1]
		}
	}
	return c
}

func TestVerify(t *testing.T) {
	l := serve(t)
	rsaKey, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		t.Fatal(err)
	}
	ec, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	edPublic, ed, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	stranger, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	l.publish("r", &rsaKey.PublicKey)
	l.publish("e", &ec.PublicKey)
	l.publish("d", edPublic)
	i := issuer.New(issuer.Options{URL: l.URL, Audience: audience, Rights: access.Rights{Deny: []string{"shop/*"}}, Transport: l.Client().Transport, Now: func() time.Time { return start }})
	none := func(c map[string]any) string {
		b, _ := json.Marshal(c)
		return base64.RawURLEncoding.EncodeToString([]byte(`{"alg":"none"}`)) + "." + base64.RawURLEncoding.EncodeToString(b) + "."
	}
	valid := sign(t, jose.ES256, "e", ec, claims(l.URL))
	parts := strings.Split(valid, ".")
	forged, _ := json.Marshal(claims(l.URL, "sub", "root", "scope", "admin"))
	public, _ := json.Marshal(&rsaKey.N)
	for name, tt := range map[string]struct {
		token  string
		err    error
		scopes string
	}{
		"RS256":                 {token: sign(t, jose.RS256, "r", rsaKey, claims(l.URL)), scopes: "[catalog:read graph:run]"},
		"ES256":                 {token: valid, scopes: "[catalog:read graph:run]"},
		"EdDSA":                 {token: sign(t, jose.EdDSA, "d", ed, claims(l.URL)), scopes: "[catalog:read graph:run]"},
		"several audiences":     {token: sign(t, jose.ES256, "e", ec, claims(l.URL, "aud", []string{"other", audience})), scopes: "[catalog:read graph:run]"},
		"scp":                   {token: sign(t, jose.ES256, "e", ec, claims(l.URL, "scope", nil, "scp", []string{"admin", "other"})), scopes: "[admin]"},
		"no scope":              {token: sign(t, jose.ES256, "e", ec, claims(l.URL, "scope", nil)), scopes: "[]"},
		"without kid":           {token: sign(t, jose.ES256, "", ec, claims(l.URL)), scopes: "[catalog:read graph:run]"},
		"none":                  {token: none(claims(l.URL)), err: access.ErrUnknown},
		"HS256":                 {token: sign(t, jose.HS256, "r", public, claims(l.URL)), err: access.ErrUnknown},
		"RS512":                 {token: sign(t, jose.RS512, "r", rsaKey, claims(l.URL)), err: access.ErrUnknown},
		"PS256":                 {token: sign(t, jose.PS256, "r", rsaKey, claims(l.URL)), err: access.ErrUnknown},
		"another's key":         {token: sign(t, jose.ES256, "e", stranger, claims(l.URL)), err: access.ErrUnknown},
		"unknown key":           {token: sign(t, jose.ES256, "x", stranger, claims(l.URL)), err: access.ErrUnknown},
		"forged claims":         {token: parts[0] + "." + base64.RawURLEncoding.EncodeToString(forged) + "." + parts[2], err: access.ErrUnknown},
		"another's audience":    {token: sign(t, jose.ES256, "e", ec, claims(l.URL, "aud", "https://other.example.com")), err: access.ErrUnknown},
		"no audience":           {token: sign(t, jose.ES256, "e", ec, claims(l.URL, "aud", nil)), err: access.ErrUnknown},
		"another issuer":        {token: sign(t, jose.ES256, "e", ec, claims(l.URL+"/x")), err: access.ErrUnknown},
		"expired":               {token: sign(t, jose.ES256, "e", ec, claims(l.URL, "exp", start.Add(-2*time.Minute).Unix())), err: access.ErrExpired},
		"expired within leeway": {token: sign(t, jose.ES256, "e", ec, claims(l.URL, "exp", start.Add(-30*time.Second).Unix())), scopes: "[catalog:read graph:run]"},
		"without an end":        {token: sign(t, jose.ES256, "e", ec, claims(l.URL, "exp", nil)), err: access.ErrUnknown},
		"not yet":               {token: sign(t, jose.ES256, "e", ec, claims(l.URL, "nbf", start.Add(2*time.Minute).Unix())), err: access.ErrUnknown},
		"without a subject":     {token: sign(t, jose.ES256, "e", ec, claims(l.URL, "sub", nil)), err: access.ErrUnknown},
		"not a token":           {token: "a.b.c", err: access.ErrUnknown},
		"empty":                 {token: "..", err: access.ErrUnknown},
	} {
		id, err := i.Verify(t.Context(), tt.token)
		switch {
		case !errors.Is(err, tt.err):
			t.Errorf("%s: %v, want %v", name, err, tt.err)
		case err == nil && (id.Principal != "oauth:ann" || fmt.Sprint(id.Rights.Scopes) != tt.scopes || id.Rights.Tool("shop", "buy")):
			t.Errorf("%s: %+v, want %s", name, id, tt.scopes)
		}
	}
}

// TestKeys: keys are kept, rotated, and not asked for by each bad token.
func TestKeys(t *testing.T) {
	l := serve(t)
	first, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	second, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	now := start
	i := issuer.New(issuer.Options{URL: l.URL, Audience: audience, Transport: l.Client().Transport, Now: func() time.Time { return now }})
	verify := func(key *ecdsa.PrivateKey, id string) error {
		_, err := i.Verify(context.Background(), sign(t, jose.ES256, id, key, claims(l.URL)))
		return err
	}
	l.set(func() { l.claimed = "https://other.example.com" })
	if err := verify(first, "1"); err == nil || !strings.Contains(err.Error(), "https://other.example.com") {
		t.Errorf("with the metadata of another issuer: %v", err)
	}
	l.set(func() { l.claimed = "" })
	l.publish("1", &first.PublicKey)
	now = now.Add(3 * time.Second)
	for range 3 {
		if err := verify(first, "1"); err != nil {
			t.Fatal(err)
		}
	}
	for range 3 {
		if err := verify(second, "2"); !errors.Is(err, access.ErrUnknown) {
			t.Fatalf("a key that is not published: %v", err)
		}
	}
	if n := l.reads(); n != 1 {
		t.Errorf("the keys were read %d times", n)
	}
	l.publish("2", &second.PublicKey)
	now = now.Add(time.Minute)
	if err := verify(second, "2"); err != nil || l.reads() != 2 {
		t.Errorf("after a rotation: %v, read %d times", err, l.reads())
	}
	l.set(func() { l.broken = true })
	now = now.Add(20 * time.Minute)
	if err := verify(first, "1"); err != nil {
		t.Errorf("a known key while the issuer fails: %v", err)
	}
	l.set(func() { l.broken, l.keys.Keys = false, l.keys.Keys[1:] })
	now = now.Add(time.Minute)
	if err := verify(first, "1"); !errors.Is(err, access.ErrUnknown) {
		t.Errorf("a key that was withdrawn: %v", err)
	}
}

// TestRedirects: the issuer's metadata are not followed elsewhere.
func TestRedirects(t *testing.T) {
	s := httptest.NewServer(http.RedirectHandler("http://169.254.169.254/", http.StatusFound))
	t.Cleanup(s.Close)
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	i := issuer.New(issuer.Options{URL: s.URL, Audience: audience, Transport: s.Client().Transport})
	if _, err := i.Verify(t.Context(), sign(t, jose.ES256, "1", key, claims(s.URL))); err == nil || !strings.Contains(err.Error(), "redirect") {
		t.Errorf("%v", err)
	}
}
