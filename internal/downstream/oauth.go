package downstream

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/google/renameio/v2/maybe"
	"github.com/modelcontextprotocol/go-sdk/auth"
	"github.com/modelcontextprotocol/go-sdk/auth/extauth"
	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/modelcontextprotocol/go-sdk/oauthex"
	"golang.org/x/oauth2"

	"github.com/patchbay-mcp/patchbay/internal/files"
	"github.com/patchbay-mcp/patchbay/internal/formats"
)

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

// write keeps a login where only the operator can read it.
func (l *login) write(file string) error {
	b, err := json.Marshal(formats.Logins.Wrap(l))
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
		return err
	}
	return maybe.WriteFile(file, b, 0o600)
}

// authorization returns what adds tokens to the requests of a session, nil if nothing
// does. It calls learn with each token before it is sent.
func (s *Server) authorization(ctx context.Context, learn func(tokens ...string)) (auth.OAuthHandler, error) {
	if s.Auth.Grant == ClientCredentials {
		h, err := extauth.NewClientCredentialsHandler(&extauth.ClientCredentialsHandlerConfig{Credentials: s.credentials()})
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
		return nil, nil //nolint:nilnil // nobody has logged in
	}
	if err != nil {
		return nil, fmt.Errorf("%w: patchbay mcp login %s", err, s.Name)
	}
	config := &oauth2.Config{ClientID: kept.ClientID, ClientSecret: kept.ClientSecret, Scopes: kept.Scopes, Endpoint: oauth2.Endpoint{TokenURL: kept.TokenURL, AuthStyle: kept.Style}}
	learn(kept.ClientSecret, kept.Token.AccessToken, kept.Token.RefreshToken)
	return &loggedIn{name: s.Name, file: s.Auth.TokenFile, learn: learn, kept: kept, source: config.TokenSource(ctx, kept.Token)}, nil
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

// loggedIn adds the token of a login, and keeps what it is renewed to.
type loggedIn struct {
	name, file string
	learn      func(tokens ...string)
	source     oauth2.TokenSource

	mu   sync.Mutex
	kept *login
}

// TokenSource implements [auth.OAuthHandler].
func (l *loggedIn) TokenSource(context.Context) (oauth2.TokenSource, error) { return l, nil }

// Token implements [oauth2.TokenSource].
func (l *loggedIn) Token() (*oauth2.Token, error) {
	token, err := l.source.Token()
	if err != nil {
		return nil, fmt.Errorf("the login has expired: patchbay mcp login %s", l.name)
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if token.AccessToken != l.kept.Token.AccessToken {
		l.learn(token.AccessToken, token.RefreshToken)
		renewed := *l.kept
		renewed.Token = token
		l.kept = &renewed
		_ = renewed.write(l.file) // else the next process renews the older one
	}
	return token, nil
}

// Authorize implements [auth.OAuthHandler]: only a person can log in again. The next
// login asks for the scopes that were missing.
func (l *loggedIn) Authorize(_ context.Context, _ *http.Request, resp *http.Response) error {
	_ = resp.Body.Close()
	if wanted := wantedScopes(resp.Header); len(wanted) > 0 {
		l.mu.Lock()
		asking := *l.kept
		asking.Wanted = wanted
		l.kept = &asking
		_ = asking.write(l.file) // else the next login asks for what the server offers
		l.mu.Unlock()
	}
	return fmt.Errorf("the server refuses the login: patchbay mcp login %s", l.name)
}

// Login logs in to a remote server: show gets the address that a person opens in a
// browser, which leads back to a listener of this process. The token is kept in the
// server's file. The error of a server that asks for no login says so.
func Login(ctx context.Context, s *Server, show func(address string)) error {
	if s.URL == "" || s.Auth.TokenFile == "" {
		return errors.New("it is not a remote server, or there is no place to keep a token")
	}
	listener, err := (&net.ListenConfig{}).Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	results := make(chan *auth.AuthorizationResult, 1)
	back := &http.Server{ReadHeaderTimeout: 10 * time.Second, Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		q := r.URL.Query()
		select {
		case results <- &auth.AuthorizationResult{Code: q.Get("code"), State: q.Get("state"), Iss: q.Get("iss")}:
		default:
		}
		_, _ = w.Write([]byte("You can close this page.\n"))
	})}
	go func() { _ = back.Serve(listener) }()
	defer back.Close() //nolint:errcheck // it only answered a browser
	redirect := "http://" + listener.Addr().String() + "/callback"
	done := false
	var wanted []string
	if kept, err := readLogin(s.Auth.TokenFile); err == nil && len(kept.Wanted) > 0 {
		wanted = union(kept.Scopes, kept.Wanted)
	}
	config := &auth.AuthorizationCodeHandlerConfig{
		RedirectURL: redirect, RequestRefreshToken: true,
		ScopeFilter: func(offered []string) []string { return union(wanted, offered) },
		AuthorizationCodeFetcher: func(ctx context.Context, args *auth.AuthorizationArgs) (*auth.AuthorizationResult, error) {
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
	session, err := client.Connect(ctx, &mcp.StreamableClientTransport{Endpoint: s.URL, OAuthHandler: handler}, nil)
	if session != nil {
		_ = session.Close()
	}
	switch {
	case done: // also if the server then refuses something else
		return nil
	case err != nil:
		return errors.New(plainError(err))
	}
	return errors.New("it asks for no login")
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
