// Package issuer verifies the access tokens (JWT) of an authorization server. It finds
// the server's keys by its metadata and keeps them. It knows OAuth, not MCP; it imports
// access, for the identity that a token gives its bearer.
package issuer

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/go-jose/go-jose/v4"
	"github.com/go-jose/go-jose/v4/jwt"

	"github.com/patchbay-mcp/patchbay/internal/policy/access"
)

// algorithms are those of signatures that are accepted: with a public key only.
var algorithms = []jose.SignatureAlgorithm{jose.RS256, jose.ES256, jose.EdDSA}

const (
	leeway       = time.Minute      // that clocks may differ
	keep         = 15 * time.Minute // for which keys are not asked for again
	refetchEvery = 30 * time.Second // between two questions for a key that is not known
	retryAfter   = 2 * time.Second  // between two questions if the first was not answered
	timeout      = 10 * time.Second // of a question
	maxDocument  = 1 << 20          // bytes
)

// Options say which tokens are accepted.
type Options struct {
	URL       string            // of the issuer, as its tokens have it
	Audience  string            // that must be among those of a token
	Rights    access.Rights     // of every bearer, without its scopes: those are in the token
	Transport http.RoundTripper // that reaches the issuer
	// Reach is called with the URL of the keys before it is requested: it may be at another
	// origin. It may be nil.
	Reach func(url string)
	Now   func() time.Time // nil means time.Now
}

// An Issuer verifies the tokens of one authorization server. It is safe for concurrent
// use.
type Issuer struct {
	o      Options
	client *http.Client

	fetching sync.Mutex // held while the keys are read

	mu   sync.Mutex
	keys jose.JSONWebKeySet
	read time.Time // when the keys were read
	next time.Time // when they may be read again
}

// New returns an issuer. Nothing is requested before the first token comes.
func New(o Options) *Issuer {
	if o.Now == nil {
		o.Now = time.Now
	}
	refuse := func(*http.Request, []*http.Request) error {
		return errors.New("the issuer redirects, which is not allowed")
	}
	return &Issuer{o: o, client: &http.Client{Transport: o.Transport, Timeout: timeout, CheckRedirect: refuse}}
}

// URL is that of the issuer.
func (i *Issuer) URL() string { return i.o.URL }

// claims are those of a token that are read.
type claims struct {
	jwt.Claims
	Scope any `json:"scope"` // a text, separated by spaces
	Scp   any `json:"scp"`   // the same, or a list
}

// Verify returns whose token it is. The error is access.ErrUnknown for a token that is not
// valid, access.ErrExpired for one that was, and any other if the keys cannot be had.
func (i *Issuer) Verify(ctx context.Context, token string) (*access.Identity, error) {
	signed, err := jwt.ParseSigned(token, algorithms)
	if err != nil || len(signed.Headers) != 1 {
		return nil, access.ErrUnknown
	}
	candidates, err := i.keysFor(ctx, signed.Headers[0])
	if err != nil {
		return nil, err
	}
	var c claims
	if !slices.ContainsFunc(candidates, func(key jose.JSONWebKey) bool {
		return key.Valid() && key.IsPublic() && signed.Claims(key.Key, &c) == nil
	}) {
		return nil, access.ErrUnknown
	}
	now := i.o.Now()
	err = c.ValidateWithLeeway(jwt.Expected{Issuer: i.o.URL, AnyAudience: jwt.Audience{i.o.Audience}, Time: now}, leeway)
	switch {
	case errors.Is(err, jwt.ErrExpired):
		return nil, access.ErrExpired
	case err != nil, c.Subject == "", c.Expiry == nil, i.o.Audience == "":
		return nil, access.ErrUnknown
	}
	rights := i.o.Rights
	rights.Scopes = append(words(c.Scope), words(c.Scp)...)
	// The SDK compares the end with the clock without leeway.
	return &access.Identity{Principal: "oauth:" + c.Subject, Rights: rights, Expires: c.Expiry.Time().Add(leeway)}, nil
}

// words are those of a text, or of a list of texts, that are scopes.
func words(v any) (scopes []string) {
	var all []string
	switch v := v.(type) {
	case string:
		all = strings.Fields(v)
	case []any:
		for _, item := range v {
			text, _ := item.(string)
			all = append(all, strings.Fields(text)...)
		}
	}
	for _, word := range all {
		if slices.Contains(access.Scopes, word) {
			scopes = append(scopes, word)
		}
	}
	return scopes
}

// keysFor are the keys with which a token may be signed. They are read again from time to
// time, and when a token names one that is not known.
func (i *Issuer) keysFor(ctx context.Context, h jose.Header) ([]jose.JSONWebKey, error) {
	found, due := i.known(h)
	if !due {
		return found, nil
	}
	if len(found) > 0 && !i.fetching.TryLock() {
		return found, nil // somebody reads them
	} else if len(found) == 0 {
		i.fetching.Lock()
	}
	defer i.fetching.Unlock()
	if found, due = i.known(h); !due { // somebody has read them meanwhile
		return found, nil
	}
	keys, err := i.fetch(ctx)
	i.mu.Lock()
	now := i.o.Now()
	if err == nil {
		i.keys, i.read, i.next = keys, now, now.Add(refetchEvery)
	} else {
		i.next = now.Add(retryAfter)
	}
	i.mu.Unlock()
	found, _ = i.known(h)
	if err != nil && len(found) == 0 {
		return nil, fmt.Errorf("the keys of the issuer %s cannot be read: %w", i.o.URL, err)
	}
	return found, nil
}

// known are the keys for a token that are known, and whether they are to be read again.
func (i *Issuer) known(h jose.Header) (found []jose.JSONWebKey, due bool) {
	i.mu.Lock()
	defer i.mu.Unlock()
	found, now := i.fitting(h), i.o.Now()
	return found, (len(found) == 0 || now.Sub(i.read) > keep) && !now.Before(i.next)
}

// fitting are the known keys for the signature of a token.
func (i *Issuer) fitting(h jose.Header) (found []jose.JSONWebKey) {
	for _, key := range i.keys.Keys {
		if (h.KeyID == "" || key.KeyID == h.KeyID) && (key.Use == "" || key.Use == "sig") && (key.Algorithm == "" || key.Algorithm == h.Algorithm) {
			found = append(found, key)
		}
	}
	return found
}

// fetch reads the keys by the metadata of the issuer.
func (i *Issuer) fetch(ctx context.Context) (keys jose.JSONWebKeySet, err error) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), timeout)
	defer cancel()
	var meta struct {
		Issuer string `json:"issuer"`
		Keys   string `json:"jwks_uri"`
	}
	var first error
	for _, place := range i.metadata() {
		if err = i.get(ctx, place, &meta); err == nil {
			break
		}
		first = cmp.Or(first, err)
	}
	switch {
	case err != nil:
		return keys, first
	case meta.Issuer != i.o.URL:
		return keys, fmt.Errorf("its metadata are those of %q", meta.Issuer)
	case meta.Keys == "":
		return keys, errors.New("its metadata have no jwks_uri")
	}
	if i.o.Reach != nil {
		i.o.Reach(meta.Keys)
	}
	err = i.get(ctx, meta.Keys, &keys)
	return keys, err
}

// metadata are the places of the metadata, by OpenID Connect Discovery and by RFC 8414.
func (i *Issuer) metadata() []string {
	base := strings.TrimSuffix(i.o.URL, "/")
	places := []string{base + "/.well-known/openid-configuration"}
	if u, err := url.Parse(base); err == nil {
		path := u.Path
		u.Path = "/.well-known/oauth-authorization-server" + path
		places = append(places, u.String())
	}
	return places
}

func (i *Issuer) get(ctx context.Context, place string, into any) error {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, place, nil)
	if err != nil {
		return err
	}
	req.Header.Set("Accept", "application/json")
	resp, err := i.client.Do(req)
	if err != nil {
		return err
	}
	defer resp.Body.Close() //nolint:errcheck // it was read
	if resp.StatusCode != http.StatusOK {
		return fmt.Errorf("%s answers with status %d", place, resp.StatusCode)
	}
	b, err := io.ReadAll(io.LimitReader(resp.Body, maxDocument))
	if err != nil {
		return err
	}
	return json.Unmarshal(b, into)
}
