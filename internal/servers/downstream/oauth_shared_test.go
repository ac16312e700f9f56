package downstream

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"golang.org/x/oauth2"

	"github.com/patchbay-mcp/patchbay/internal/sys/files"
)

// rotating makes the issuer give a new refresh token at each renewal, and revoke all that
// it has given if one is used twice. The access tokens before the latest are not accepted
// if strict is set.
type rotating struct {
	*guarded
	mu       sync.Mutex
	renewals int
	revoked  bool
	strict   bool
	lifetime int // of an access token, in seconds
}

func newRotating(t *testing.T) *rotating {
	g := &rotating{guarded: newGuarded(t), lifetime: 1}
	inner := g.Config.Handler
	g.Config.Handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		g.mu.Lock()
		defer g.mu.Unlock()
		latest := fmt.Sprint("token-", g.renewals)
		switch {
		case r.URL.Path == "/mcp" && g.strict && r.Header.Get("Authorization") != "Bearer "+latest:
			http.Error(w, "renewed since", http.StatusUnauthorized)
		case r.URL.Path == "/mcp":
			g.mu.Unlock()
			inner.ServeHTTP(w, r)
			g.mu.Lock()
		case r.FormValue("refresh_token") != fmt.Sprint("renew-", g.renewals) || g.revoked:
			g.revoked = true
			w.Header().Set("Content-Type", "application/json")
			w.WriteHeader(http.StatusBadRequest)
			_, _ = w.Write([]byte(`{"error": "invalid_grant"}`))
		default:
			g.renewals++
			w.Header().Set("Content-Type", "application/json")
			_ = json.NewEncoder(w).Encode(map[string]any{"access_token": fmt.Sprint("token-", g.renewals), "refresh_token": fmt.Sprint("renew-", g.renewals), "token_type": "Bearer", "expires_in": g.lifetime})
		}
	})
	return g
}

// login is one that has expired, in a file.
func (g *rotating) login(t *testing.T) Server {
	t.Helper()
	file := filepath.Join(t.TempDir(), "fake.json")
	l := &login{Token: &oauth2.Token{AccessToken: "token-0", RefreshToken: "renew-0", Expiry: time.Unix(1, 0)}, ClientID: "me", TokenURL: g.URL + "/token", Style: oauth2.AuthStyleInParams}
	if err := l.write(file); err != nil {
		t.Fatal(err)
	}
	return Server{Name: "fake", URL: g.URL + "/mcp", Transport: "streamableHttp", Auth: Auth{TokenFile: file}}
}

// authorized is what a process has of the login.
func authorized(t *testing.T, s *Server) *loggedIn {
	t.Helper()
	h, err := s.authorization(t.Context(), func(...string) {})
	if err != nil {
		t.Fatal(err)
	}
	return h.(*loggedIn)
}

// Two processes that renew one login at once both keep working.
func TestHubsShareALogin(t *testing.T) {
	g := newRotating(t)
	server := g.login(t)
	hubs := []*Hub{startHub(t, nil, server), startHub(t, nil, server)}
	var work sync.WaitGroup
	for _, h := range hubs {
		work.Go(func() {
			for range 10 {
				if _, fault := call(t, h, `{}`); fault != nil {
					t.Error(fault)
				}
			}
		})
	}
	work.Wait()
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.revoked || g.renewals < 20 {
		t.Errorf("the issuer has revoked the login: %t, after %d renewals", g.revoked, g.renewals)
	}
}

// A token that another process has renewed is used, at once if the server does not accept
// the older one any more.
func TestRenewedElsewhere(t *testing.T) {
	g := newRotating(t)
	g.lifetime, g.strict = 3600, true
	server := g.login(t)
	first, second := startHub(t, nil, server), startHub(t, nil, server)
	for range 2 {
		for _, h := range []*Hub{first, second} {
			if _, fault := call(t, h, `{}`); fault != nil {
				t.Fatal(fault)
			}
		}
	}
	if g.renewals != 1 {
		t.Errorf("the login was renewed %d times", g.renewals)
	}
	other := authorized(t, &server)
	other.kept.Token.Expiry = time.Unix(1, 0)
	other.stored = &oauth2.Token{AccessToken: "token-1", RefreshToken: "renew-1"}
	if _, err := other.Token(); err != nil {
		t.Fatal(err)
	}
	for _, h := range []*Hub{first, second} {
		if _, fault := call(t, h, `{}`); fault != nil {
			t.Error(fault)
		}
	}
	if g.renewals != 2 || g.revoked {
		t.Errorf("the login was renewed %d times, revoked: %t", g.renewals, g.revoked)
	}
}

// An issuer that does not answer one process holds up the others only until its time is
// up, and the login is not said to have expired.
func TestIssuerHangs(t *testing.T) {
	g := newRotating(t)
	inner, hung, first := g.Config.Handler, make(chan struct{}), true
	g.Config.Handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/token" && first {
			first = false
			_ = r.ParseForm()
			close(hung)
			<-r.Context().Done()
			return
		}
		inner.ServeHTTP(w, r)
	})
	server := g.login(t)
	slow, other := authorized(t, &server), authorized(t, &server)
	slow.timeout = 100 * time.Millisecond
	failed := make(chan error, 1)
	go func() {
		_, err := slow.Token()
		failed <- err
	}()
	<-hung
	if token, err := other.Token(); err != nil || token.AccessToken != "token-1" {
		t.Errorf("the other process: %+v, %v", token, err)
	}
	if err := <-failed; err == nil || !strings.Contains(err.Error(), "cannot be renewed") {
		t.Errorf("the process whose request hangs: %v", err)
	}
	if token, err := slow.Token(); err != nil || token.AccessToken != "token-2" { // token-1 has expired too
		t.Errorf("its next request: %+v, %v", token, err)
	}
}

// A process that renews brings a login that was deleted meanwhile not back.
func TestLogoutStays(t *testing.T) {
	g := newRotating(t)
	server := g.login(t)
	process := authorized(t, &server)
	if err := os.Remove(server.Auth.TokenFile); err != nil {
		t.Fatal(err)
	}
	if _, err := process.Token(); err == nil || !strings.Contains(err.Error(), "patchbay mcp login fake") {
		t.Errorf("after the logout: %v", err)
	}
	if _, err := os.Stat(server.Auth.TokenFile); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the file is there again: %v", err)
	}
}

// Nothing is renewed while another process has the lock; where there can be no lock, as in
// a folder that cannot be written, it is.
func TestRenewalNeedsTheLock(t *testing.T) {
	g := newRotating(t)
	server := g.login(t)
	process := authorized(t, &server)
	release, err := files.Lock(server.Auth.TokenFile)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	process.done = ctx
	if _, err := process.Token(); err == nil || !strings.Contains(err.Error(), "cannot be renewed") {
		t.Errorf("while another process has the lock: %v", err)
	}
	if release(); g.renewals != 0 {
		t.Error("it was renewed without the lock")
	}
	process.done = t.Context()
	if err := os.Mkdir(filepath.Join(filepath.Dir(server.Auth.TokenFile), ".fake.json.lock"), 0o700); err != nil {
		t.Fatal(err)
	}
	if token, err := process.Token(); err != nil || token.AccessToken != "token-1" {
		t.Errorf("without a lock: %+v, %v", token, err)
	}
}

// No redirect carries a code or a secret of a login to another host.
func TestTokenRequestIsNotRedirected(t *testing.T) {
	other := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { t.Errorf("%s %s", r.Method, r.URL) }))
	defer other.Close()
	g := newGuarded(t)
	inner := g.Config.Handler
	g.Config.Handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/token" {
			http.Redirect(w, r, other.URL, http.StatusTemporaryRedirect)
			return
		}
		inner.ServeHTTP(w, r)
	})
	for _, a := range []Auth{{Grant: ClientCredentials, ClientID: "me", ClientSecret: "sesame-opens"}, {TokenFile: filepath.Join(t.TempDir(), "fake.json")}} {
		server := Server{Name: "fake", URL: g.URL + "/mcp", Transport: "streamableHttp", Auth: a}
		if a.TokenFile != "" {
			l := &login{Token: &oauth2.Token{AccessToken: "token-0", RefreshToken: "renew-0", Expiry: time.Unix(1, 0)}, TokenURL: g.URL + "/token", Style: oauth2.AuthStyleInParams}
			if err := l.write(a.TokenFile); err != nil {
				t.Fatal(err)
			}
		}
		h := startHub(t, nil, server)
		if _, fault := call(t, h, `{}`); fault == nil || !strings.Contains(fault.Message, "another origin") && a.Grant == "" {
			t.Errorf("%+v: %+v", a, fault)
		}
		h.Close()
	}
}
