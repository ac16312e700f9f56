package openapi

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"time"

	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/internal/apis"
)

const (
	tokenMargin  = 30 * time.Second // how long before its end a token is renewed
	defaultToken = 5 * time.Minute  // how long a token is used that does not say its end
)

// tokens fetches and keeps the token of one OAuth 2 client.
type tokens struct {
	client     *client
	url        *url.URL
	credential Credential
	scopes     []string // that operations ask for

	turn chan struct{} // who has put something in fetches

	mu     sync.Mutex
	token  string
	until  time.Time
	former string // that was refused
}

// get returns a token that has not ended.
func (t *tokens) get(ctx context.Context) (string, error) {
	select {
	case t.turn <- struct{}{}:
		defer func() { <-t.turn }()
	case <-ctx.Done():
		return "", ctx.Err()
	}
	if token := t.current(); token != "" {
		return token, nil
	}
	token, lasts, err := t.fetch(ctx)
	if err != nil {
		return "", fmt.Errorf("its token cannot be fetched: %w", err)
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.token, t.until = token, time.Now().Add(lasts)
	return token, nil
}

// current returns the token, "" if there is none or it has ended.
func (t *tokens) current() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	if time.Now().After(t.until) {
		return ""
	}
	return t.token
}

// forget drops a token that was refused, unless it has been replaced already.
func (t *tokens) forget(token string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.token == token {
		t.token, t.former = "", token
	}
}

// fetch asks for a token as RFC 6749, section 4.4, says.
func (t *tokens) fetch(ctx context.Context) (string, time.Duration, error) {
	form := url.Values{"grant_type": {"client_credentials"}}
	scopes := t.credential.Scopes
	if scopes == nil {
		scopes = t.scopes
	}
	if len(scopes) > 0 {
		form.Set("scope", strings.Join(scopes, " "))
	}
	resp, err := t.client.plain.Do(ctx, &apis.Request{
		Method: http.MethodPost, URL: t.url.String(), Body: []byte(form.Encode()),
		Header: http.Header{
			"Content-Type": {"application/x-www-form-urlencoded"}, "Accept": {"application/json"},
			"Authorization": {basicAuth(url.QueryEscape(t.credential.ClientID), url.QueryEscape(t.credential.ClientSecret))},
		},
	})
	if err != nil {
		return "", 0, err
	}
	var answer struct {
		Token       string      `json:"access_token"`
		Expires     json.Number `json:"expires_in"`
		Error       string      `json:"error"`
		Description string      `json:"error_description"`
	}
	wrong := json.Unmarshal(resp.Body, &answer)
	switch {
	case resp.Status/100 != 2:
		return "", 0, fmt.Errorf("%s answered %s", apis.Address(t.url.String()), strings.TrimRight(status(resp.Status)+": "+diag.Excerpt(answer.Error+" "+answer.Description), ": "))
	case wrong != nil || answer.Token == "" || !isFieldValue(answer.Token):
		return "", 0, fmt.Errorf("the answer of %s has no access_token", apis.Address(t.url.String()))
	}
	lasts := defaultToken
	if seconds, err := answer.Expires.Float64(); err == nil && seconds > 0 {
		lasts = time.Duration(min(seconds, 1e7) * float64(time.Second))
		lasts -= min(tokenMargin, lasts/10)
	}
	return answer.Token, lasts, nil
}
