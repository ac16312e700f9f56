package httpd

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/modelcontextprotocol/go-sdk/auth"
	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/modelcontextprotocol/go-sdk/oauthex"

	"github.com/patchbay-mcp/patchbay/internal/policy/access"
)

// DefaultRequestsPerMinute is how many requests of one principal are answered in a minute
// unless [Auth] says otherwise.
const DefaultRequestsPerMinute = 6000

// metadataPath is where clients find the issuer of a server, by RFC 9728.
const metadataPath = "/.well-known/oauth-protected-resource"

// Public is the scope of what needs no token.
const Public = ""

// AnyScope is the scope of handlers that check themselves what a principal may do.
const AnyScope = "any"

// An Issuer verifies the access tokens of an authorization server. The error for one that
// is not valid is access.ErrUnknown or access.ErrExpired.
type Issuer interface {
	Verify(ctx context.Context, token string) (*access.Identity, error)
	URL() string
}

// Auth says who makes a request over HTTP. All handlers of a server share one.
type Auth struct {
	Tokens   *access.Tokens // nil: there are none
	Issuer   Issuer         // nil: none
	Required bool           // without a token a request is refused; otherwise it is that of the local user
	URL      string         // by which clients reach the server; "" takes that of the request
	// PerMinute is how many requests of one principal are answered in a minute; 0 means
	// [DefaultRequestsPerMinute].
	PerMinute int
	Logger    *slog.Logger // nil logs nothing

	meter   access.Meter
	streams streams
}

// identityKey is under what the identity is in the Extra of what the SDK passes on.
const identityKey = "patchbay"

// Verify returns who sends a token.
func (a *Auth) Verify(ctx context.Context, token string) (*access.Identity, error) {
	id, err := (*access.Identity)(nil), access.ErrUnknown
	if a.Tokens != nil {
		id, err = a.Tokens.Verify(token, time.Now())
	}
	if err != nil && a.Issuer != nil && strings.Count(token, ".") == 2 {
		id, err = a.Issuer.Verify(ctx, token)
	}
	if err != nil && !errors.Is(err, access.ErrUnknown) && !errors.Is(err, access.ErrExpired) && a.Logger != nil {
		a.Logger.Warn("a token cannot be verified", "error", err)
	}
	return id, err
}

// Identity is who makes a request that [Auth.Require] has let pass; nil is the local user,
// who may do everything.
func Identity(ctx context.Context) *access.Identity {
	return tokenIdentity(auth.TokenInfoFromContext(ctx))
}

func tokenIdentity(info *auth.TokenInfo) *access.Identity {
	if info == nil {
		return nil
	}
	id, _ := info.Extra[identityKey].(*access.Identity)
	return id
}

// Caller returns who makes a request of MCP, nil for the local user.
func Caller(req mcp.Request) *access.Identity {
	if extra := req.GetExtra(); extra != nil {
		return tokenIdentity(extra.TokenInfo)
	}
	return nil
}

// Require lets the requests pass of those that may use a scope, within their rate. It
// answers the others with 401, 403 or 429. A nil Auth lets everybody pass.
func (a *Auth) Require(next http.Handler, scope string) http.Handler {
	if a == nil || scope == Public {
		return next
	}
	checked := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Del("WWW-Authenticate")
		id := Identity(r.Context())
		if scope != AnyScope && !id.Rights.May(scope) {
			w.Header().Set("WWW-Authenticate", fmt.Sprintf(`Bearer error="insufficient_scope", scope=%q`, scope))
			http.Error(w, "the token lacks the scope "+scope, http.StatusForbidden)
			return
		}
		per := cmp.Or(a.PerMinute, DefaultRequestsPerMinute)
		if wait := a.meter.Request(id.Principal, per, time.Now()); wait > 0 {
			tooMany(w, fmt.Sprintf("rate limit exceeded: %d requests a minute", per), wait)
			return
		}
		ctx, cancel := context.WithCancel(r.Context())
		defer cancel()
		defer a.streams.add(a, strings.Fields(r.Header.Get("Authorization"))[1], cancel)()
		next.ServeHTTP(w, r.WithContext(ctx))
	})
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Authorization") == "" && !a.Required {
			next.ServeHTTP(w, r)
			return
		}
		w.Header().Set("WWW-Authenticate", "Bearer") // the SDK adds where the issuer is named
		o := &auth.RequireBearerTokenOptions{AllowMissingExpiration: true}
		if a.Issuer != nil {
			w.Header().Del("WWW-Authenticate")
			o.ResourceMetadataURL = a.base(r) + metadataPath + "/mcp"
		}
		auth.RequireBearerToken(a.sdk, o)(checked).ServeHTTP(w, r)
	})
}

// sdk is [Auth.Verify] in the words of the SDK.
func (a *Auth) sdk(ctx context.Context, token string, _ *http.Request) (*auth.TokenInfo, error) {
	id, err := a.Verify(ctx, token)
	switch {
	case errors.Is(err, access.ErrExpired):
		return nil, fmt.Errorf("%w: it has expired", auth.ErrInvalidToken)
	case err != nil:
		return nil, auth.ErrInvalidToken
	}
	return TokenInfo(id), nil
}

// TokenInfo returns an identity in the form that the SDK passes on with a request.
func TokenInfo(id *access.Identity) *auth.TokenInfo {
	return &auth.TokenInfo{Scopes: id.Rights.Scopes, Expiration: id.Expires, UserID: id.Principal, Extra: map[string]any{identityKey: id}}
}

// TakeCalls notes calls of the principal of a request and reports whether they are within
// its quota; if not, it has answered. A nil Auth has no quotas.
func (a *Auth) TakeCalls(w http.ResponseWriter, r *http.Request, calls int) bool {
	id := Identity(r.Context())
	if a == nil || id == nil || id.Quota.Calls == 0 {
		return true
	}
	wait := a.meter.Calls(id, calls, time.Now())
	if wait > 0 {
		tooMany(w, "the quota of this token, "+id.Quota.String()+", is used up", wait)
	}
	return wait == 0
}

// tooMany answers that a client is to wait.
func tooMany(w http.ResponseWriter, why string, wait time.Duration) {
	w.Header().Set("Retry-After", strconv.FormatInt(max(1, int64((wait+time.Second-1)/time.Second)), 10))
	http.Error(w, why, http.StatusTooManyRequests)
}

// base is the address of the server without a path.
func (a *Auth) base(r *http.Request) string {
	if base, path, ok := strings.Cut(a.URL, "://"); ok {
		host, _, _ := strings.Cut(path, "/")
		return base + "://" + host
	}
	if IsSecure(r) {
		return "https://" + r.Host
	}
	return "http://" + r.Host
}

// Metadata serves what names the issuer to clients, at its path and below it.
func (a *Auth) Metadata(o Options) http.Handler {
	return o.Guard(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if a == nil || a.Issuer == nil {
			http.NotFound(w, r)
			return
		}
		auth.ProtectedResourceMetadataHandler(&oauthex.ProtectedResourceMetadata{
			Resource: cmp.Or(a.URL, a.base(r)+"/mcp"), AuthorizationServers: []string{a.Issuer.URL()}, ScopesSupported: access.Scopes, BearerMethodsSupported: []string{"header"}, ResourceName: "Patchbay",
		}).ServeHTTP(w, r)
	}), Public)
}
