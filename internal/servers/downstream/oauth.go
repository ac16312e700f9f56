package downstream

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"os"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/modelcontextprotocol/go-sdk/auth"
	"github.com/modelcontextprotocol/go-sdk/auth/extauth"
	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/modelcontextprotocol/go-sdk/oauthex"
	"golang.org/x/oauth2"

	"github.com/patchbay-mcp/patchbay/internal/servers/apis"
	"github.com/patchbay-mcp/patchbay/internal/sys/files"
	"github.com/patchbay-mcp/patchbay/internal/sys/formats"
)

// Bounds on the renewal of a login, which other processes wait for.
const (
	renewTimeout = 20 * time.Second // of the request
	renewWait    = time.Minute      // for other processes
)

// oauthClient makes the requests of logins. Their bodies hold secrets and codes, so none
// is redirected to another origin.
var oauthClient = &http.Client{CheckRedirect: apis.CheckRedirect}

// ClientCredentials is the grant of a client that logs in by itself.
const ClientCredentials = "client_credentials"

// An Auth is how a remote server knows who calls, if not by a header.
type Auth struct {
	Grant        string // [ClientCredentials], or "" for a login by a person
	ClientID     string // "" registers a client at the login; of a client metadata document the URL
	ClientSecret string
	TokenFile    string // where the token of a login is kept; "" keeps none
}

// A login is what is kept of one: the token, and how to renew it.
type login struct {
	Token        *oauth2.Token    `json:"token"`
	ClientID     string           `json:"client_id"`
	ClientSecret string           `json:"client_secret,omitempty"`
	TokenURL     string           `json:"token_url"`
	Style        oauth2.AuthStyle `json:"auth_style"`
	Scopes       []string         `json:"scopes,omitempty"`
	Wanted       []string         `json:"wanted,omitempty"` // scopes that the server has asked for since
}

func readLogin(file string) (*login, error) {
	b, err := files.Read(file, 1<<20)
	if err != nil {
		return nil, err
	}
	var l login
	err = formats.Logins.Decode(b, &l)
	if newer, ok := errors.AsType[*formats.NewerError](err); ok {
		return nil, fmt.Errorf("its token cannot be used: %w", newer)
	}
	if err != nil || l.Token == nil {
		return nil, errors.New("its token cannot be read")
	}
	return &l, nil
}

func (l *login) text() ([]byte, error) { return json.Marshal(formats.Logins.Wrap(l)) }

// write puts a new login in place of what the file has.
func (l *login) write(file string) error {
	return files.Update(file, 0o600, func([]byte) ([]byte, error) { return l.text() })
}

// renew asks for a new token.
func (l *login) renew(ctx context.Context) (*oauth2.Token, error) {
	config := &oauth2.Config{ClientID: l.ClientID, ClientSecret: l.ClientSecret, Scopes: l.Scopes, Endpoint: oauth2.Endpoint{TokenURL: l.TokenURL, AuthStyle: l.Style}}
	return config.TokenSource(context.WithValue(ctx, oauth2.HTTPClient, oauthClient), l.Token).Token()
}

// authorization returns what adds tokens to the requests of a session, nil if nothing
// does. It calls learn with each token before it is sent.
func (s *Server) authorization(ctx context.Context, learn func(tokens ...string)) (auth.OAuthHandler, error) {
	if s.Auth.Grant == ClientCredentials {
		h, err := extauth.NewClientCredentialsHandler(&extauth.ClientCredentialsHandlerConfig{Credentials: s.credentials(), HTTPClient: oauthClient})
		if err != nil {
			return nil, err
		}
		return &learning{h, learn}, nil
	}
	if s.Auth.TokenFile == "" {
		return nil, nil //nolint:nilnil // nothing is added
	}
	kept, err := readLogin(s.Auth.TokenFile)
	if errors.Is(err, os.ErrNotExist) {
		return nil, nil //nolint:nilnil // there is no login yet
	}
	if err != nil {
		return nil, fmt.Errorf("%w: patchbay mcp login %s", err, s.Name)
	}
	learn(kept.ClientSecret, kept.Token.AccessToken, kept.Token.RefreshToken)
	return &loggedIn{name: s.Name, file: s.Auth.TokenFile, learn: learn, done: ctx, timeout: renewTimeout, kept: kept, stored: kept.Token}, nil
}

func (s *Server) credentials() *oauthex.ClientCredentials {
	c := &oauthex.ClientCredentials{ClientID: s.Auth.ClientID}
	if s.Auth.ClientSecret != "" {
		c.ClientSecretAuth = &oauthex.ClientSecretAuth{ClientSecret: s.Auth.ClientSecret}
	}
	return c
}

// learnTokens reports tokens as secrets.
func (s *session) learnTokens(tokens ...string) {
	if learn := s.hub.options.Learn; learn != nil {
		learn(s.Name, tokens...)
	}
}

// learning tells of the tokens that a handler gets.
type learning struct {
	auth.OAuthHandler
	learn func(tokens ...string)
}

// TokenSource implements [auth.OAuthHandler].
func (l *learning) TokenSource(ctx context.Context) (oauth2.TokenSource, error) {
	source, err := l.OAuthHandler.TokenSource(ctx)
	if source == nil || err != nil {
		return source, err
	}
	return &learningSource{source, l.learn}, nil
}

type learningSource struct {
	oauth2.TokenSource
	learn func(tokens ...string)
}

// Token implements [oauth2.TokenSource].
func (l *learningSource) Token() (*oauth2.Token, error) {
	token, err := l.TokenSource.Token()
	if err == nil {
		l.learn(token.AccessToken, token.RefreshToken)
	}
	return token, err
}

// loggedIn adds the token of a login, and renews it. The processes that share the login
// take turns: some servers revoke a login if its refresh token is used twice.
type loggedIn struct {
	name, file string
	learn      func(tokens ...string)
	done       context.Context // of the session
	timeout    time.Duration

	mu     sync.Mutex
	kept   *login
	stored *oauth2.Token // what the file had when it was last read or written
}

// TokenSource implements [auth.OAuthHandler].
func (l *loggedIn) TokenSource(context.Context) (oauth2.TokenSource, error) { return l, nil }

// Token implements [oauth2.TokenSource].
func (l *loggedIn) Token() (*oauth2.Token, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.kept.Token.Valid() {
		return l.kept.Token, nil
	}
	release, err := l.follow()
	if err != nil {
		return nil, err
	}
	defer release()
	if l.kept.Token.Valid() {
		return l.kept.Token, nil
	}
	ctx, cancel := context.WithTimeout(l.done, l.timeout)
	defer cancel()
	token, err := l.kept.renew(ctx)
	if refused, ok := errors.AsType[*oauth2.RetrieveError](err); l.kept.Token.RefreshToken == "" || ok && refused.Response.StatusCode < http.StatusInternalServerError {
		return nil, fmt.Errorf("the login has expired: patchbay mcp login %s", l.name)
	}
	if err != nil {
		return nil, fmt.Errorf("the login cannot be renewed: %s", plainError(err))
	}
	l.learn(token.AccessToken, token.RefreshToken)
	renewed := *l.kept
	renewed.Token = token
	l.store(&renewed)
	return token, nil
}

// follow takes the lock of the file and reads what another process has made of the login.
// l.mu is held.
func (l *loggedIn) follow() (release func(), err error) {
	ctx, cancel := context.WithTimeout(l.done, renewWait)
	defer cancel()
	release, err = files.LockContext(ctx, l.file)
	switch {
	case ctx.Err() != nil:
		return nil, fmt.Errorf("the login cannot be renewed: %w", err)
	case err != nil:
		release = func() {} // where no lock can be made, no other process writes the file either
	}
	now, err := readLogin(l.file)
	if err != nil {
		release()
		if errors.Is(err, os.ErrNotExist) {
			err = errors.New("the login was removed")
		}
		return nil, fmt.Errorf("%w: patchbay mcp login %s", err, l.name)
	}
	if now.Token.AccessToken != l.stored.AccessToken || now.Token.RefreshToken != l.stored.RefreshToken {
		l.learn(now.ClientSecret, now.Token.AccessToken, now.Token.RefreshToken)
		l.kept, l.stored = now, now.Token
	}
	return release, nil
}

// store keeps a login, in the file too if that can be written. l.mu and the lock of the
// file are held.
func (l *loggedIn) store(changed *login) {
	l.kept = changed
	text, err := changed.text()
	if err == nil {
		err = files.Write(l.file, text, 0o600)
	}
	if err == nil {
		l.stored = changed.Token
	}
}

// Authorize implements [auth.OAuthHandler]: only a person can log in again, unless another
// process has a newer token, with which the request is then repeated. The next login asks
// for the scopes that were missing.
func (l *loggedIn) Authorize(_ context.Context, req *http.Request, resp *http.Response) error {
	_ = resp.Body.Close()
	l.mu.Lock()
	defer l.mu.Unlock()
	release, err := l.follow()
	if err != nil {
		return err
	}
	defer release()
	if req.Header.Get("Authorization") != "Bearer "+l.kept.Token.AccessToken {
		return nil
	}
	if wanted := wantedScopes(resp.Header); len(wanted) > 0 {
		asking := *l.kept
		asking.Wanted = wanted
		l.store(&asking)
	}
	return fmt.Errorf("the server refuses the login: patchbay mcp login %s", l.name)
}

// callbackPath is where the login returns to.
const callbackPath = "/callback"

// Login logs in to a remote server: show gets the address that a person opens in a
// browser, which leads back to a listener of this process. The token is kept in the
// server's file. The error of a server that asks for no login says so.
func Login(ctx context.Context, s *Server, show func(address string)) error {
	switch {
	case s.URL == "":
		return errors.New("it is started by a command, and only a remote server has a login")
	case s.Auth.TokenFile == "":
		return errors.New("there is no folder to keep its token in; set HOME or XDG_STATE_HOME")
	}
	listener, err := (&net.ListenConfig{}).Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	results := make(chan *auth.AuthorizationResult, 1)
	var waited atomic.Value // the state of the login, once it waits
	pages := http.NewServeMux()
	pages.HandleFunc("GET "+callbackPath, func(w http.ResponseWriter, r *http.Request) {
		q := r.URL.Query()
		if state, _ := waited.Load().(string); state == "" || q.Get("state") != state {
			http.Error(w, "This is not the answer to the login that patchbay waits for. Open the address that it has printed.", http.StatusBadRequest)
			return
		}
		select {
		case results <- &auth.AuthorizationResult{Code: q.Get("code"), State: q.Get("state"), Iss: q.Get("iss")}:
		default:
		}
		_, _ = w.Write([]byte("You can close this page.\n"))
	})
	back := &http.Server{ReadHeaderTimeout: 10 * time.Second, Handler: pages}
	go func() { _ = back.Serve(listener) }()
	defer back.Close() //nolint:errcheck // it only answered a browser
	redirect := "http://" + listener.Addr().String() + callbackPath
	done := false
	var wanted []string
	if kept, err := readLogin(s.Auth.TokenFile); err == nil && len(kept.Wanted) > 0 {
		wanted = union(kept.Scopes, kept.Wanted)
	}
	config := &auth.AuthorizationCodeHandlerConfig{
		RedirectURL: redirect, RequestRefreshToken: true, Client: oauthClient,
		ScopeFilter: func(offered []string) []string { return union(wanted, offered) },
		AuthorizationCodeFetcher: func(ctx context.Context, args *auth.AuthorizationArgs) (*auth.AuthorizationResult, error) {
			address, err := url.Parse(args.URL)
			if err != nil {
				return nil, err
			}
			waited.Store(address.Query().Get("state"))
			show(args.URL)
			select {
			case r := <-results:
				return r, nil
			case <-ctx.Done():
				return nil, ctx.Err()
			}
		},
		NewTokenSource: func(ctx context.Context, c *oauth2.Config, token *oauth2.Token) (oauth2.TokenSource, error) {
			done = true
			l := &login{Token: token, ClientID: c.ClientID, ClientSecret: c.ClientSecret, TokenURL: c.Endpoint.TokenURL, Style: c.Endpoint.AuthStyle, Scopes: c.Scopes}
			return c.TokenSource(ctx, token), l.write(s.Auth.TokenFile)
		},
	}
	document := s.Auth.ClientSecret == "" && strings.HasPrefix(s.Auth.ClientID, "https://")
	if document {
		config.ClientIDMetadataDocumentConfig = &auth.ClientIDMetadataDocumentConfig{URL: s.Auth.ClientID}
	}
	if s.Auth.ClientID != "" && !document {
		config.PreregisteredClient = s.credentials()
	} else {
		config.DynamicClientRegistrationConfig = &auth.DynamicClientRegistrationConfig{Metadata: &oauthex.ClientRegistrationMetadata{
			RedirectURIs: []string{redirect}, ClientName: "Patchbay", TokenEndpointAuthMethod: "none",
			GrantTypes: []string{"authorization_code", "refresh_token"}, ResponseTypes: []string{"code"},
		}}
	}
	handler, err := auth.NewAuthorizationCodeHandler(config)
	if err != nil {
		return err
	}
	client := mcp.NewClient(&mcp.Implementation{Name: "patchbay", Version: "1"}, nil)
	session, err := client.Connect(ctx, &mcp.StreamableClientTransport{Endpoint: s.URL, OAuthHandler: handler, HTTPClient: oauthClient}, nil)
	if session != nil {
		_ = session.Close()
	}
	switch {
	case done: // also if the server then refuses something else
		return nil
	case err != nil:
		return errors.New(plainError(err))
	}
	return errors.New("the server does not ask for a login")
}

// wantedScopes are those that a refusal says are missing.
func wantedScopes(h http.Header) []string {
	challenges, err := oauthex.ParseWWWAuthenticate(h.Values("WWW-Authenticate"))
	if err != nil {
		return nil
	}
	for _, c := range challenges {
		if c.Scheme == "bearer" && c.Params["error"] == "insufficient_scope" {
			return strings.Fields(c.Params["scope"])
		}
	}
	return nil
}

// union is a, then what b has besides.
func union(a, b []string) []string {
	for _, scope := range b {
		if !slices.Contains(a, scope) {
			a = append(a, scope)
		}
	}
	return a
}
