package openapi

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/internal/servers/apis"
)

const (
	tokenMargin  = 30 * time.Second // how long before its end a token is renewed
	defaultToken = 5 * time.Minute  // how long a token is used that does not say its end
)

// tokens fetches and keeps the token of one OAuth 2 client.
type tokens struct {
	client     *client
	credential Credential
	scopes     []string // that operations ask for

	turn      chan struct{} // who has put something in fetches, and may use what follows
	url       *url.URL      // nil until the metadata says it
	discovery *url.URL      // of the metadata; nil if url is known
	inBody    bool          // the client is in the body of a request, not in its header
	settled   bool          // inBody is known to be right

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

// current returns the token, or "" without one that is valid.
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

// fetch asks for a token. A server that does not say how it wants the client's secret gets
// it in the header first, and in the body if it refuses that.
func (t *tokens) fetch(ctx context.Context) (string, time.Duration, error) {
	if err := t.discover(ctx); err != nil {
		return "", 0, err
	}
	token, lasts, err := t.ask(ctx)
	if refusal, ok := errors.AsType[*tokenRefusal](err); ok && !t.settled && refusal.status/100 == 4 {
		t.inBody = !t.inBody
		var other error
		if token, lasts, other = t.ask(ctx); other != nil {
			t.inBody = !t.inBody
			if other.Error() != err.Error() {
				err = fmt.Errorf("%w; and with the client in the body of the request: %w", err, other)
			}
			return "", 0, err
		}
		err = nil
	}
	t.settled = t.settled || err == nil
	return token, lasts, err
}

// discover reads the metadata of the server (OpenID Connect Discovery, section 3), once.
func (t *tokens) discover(ctx context.Context) error {
	if t.url != nil {
		return nil
	}
	at := apis.Address(t.discovery.String())
	resp, err := t.client.plain.Do(ctx, &apis.Request{Method: http.MethodGet, URL: t.discovery.String(), Header: http.Header{"Accept": {"application/json"}}, Repeatable: true})
	if err != nil {
		return err
	}
	var metadata struct {
		Endpoint string   `json:"token_endpoint"`
		Methods  []string `json:"token_endpoint_auth_methods_supported"`
	}
	if resp.Status/100 != 2 || json.Unmarshal(resp.Body, &metadata) != nil || metadata.Endpoint == "" {
		return fmt.Errorf("%s answered %s without a token_endpoint: set tokenUrl", at, status(resp.Status))
	}
	u, err := url.Parse(metadata.Endpoint)
	if err != nil || origin(u) != origin(t.discovery) {
		return fmt.Errorf("%s names the token_endpoint %s, which is of another origin: set tokenUrl", at, apis.Address(metadata.Endpoint))
	}
	t.url = u
	if basic := slices.Contains(metadata.Methods, "client_secret_basic"); basic != slices.Contains(metadata.Methods, "client_secret_post") {
		t.inBody, t.settled = !basic, true
	}
	return nil
}

// A tokenRefusal is the answer of a server that gives no token.
type tokenRefusal struct {
	error
	status int
}

// ask asks for a token as RFC 6749, section 4.4, says.
func (t *tokens) ask(ctx context.Context) (string, time.Duration, error) {
	form := url.Values{"grant_type": {"client_credentials"}}
	scopes := t.credential.Scopes
	if scopes == nil {
		scopes = t.scopes
	}
	if len(scopes) > 0 {
		form.Set("scope", strings.Join(scopes, " "))
	}
	header := http.Header{"Content-Type": {"application/x-www-form-urlencoded"}, "Accept": {"application/json"}}
	if t.inBody {
		form.Set("client_id", t.credential.ClientID)
		form.Set("client_secret", t.credential.ClientSecret)
	} else {
		header.Set("Authorization", basicAuth(url.QueryEscape(t.credential.ClientID), url.QueryEscape(t.credential.ClientSecret)))
	}
	for name, value := range t.credential.Parameters {
		form.Set(name, value)
	}
	resp, err := t.client.plain.Do(ctx, &apis.Request{Method: http.MethodPost, URL: t.url.String(), Body: []byte(form.Encode()), Header: header})
	if err != nil {
		return "", 0, err
	}
	var answer struct {
		Token       string `json:"access_token"`
		Expires     any    `json:"expires_in"` // a number; some servers write a text
		Error       string `json:"error"`
		Description string `json:"error_description"`
	}
	wrong := json.Unmarshal(resp.Body, &answer)
	switch {
	case resp.Status/100 != 2:
		return "", 0, &tokenRefusal{fmt.Errorf("%s answered %s", apis.Address(t.url.String()), strings.TrimRight(status(resp.Status)+": "+diag.Excerpt(answer.Error+" "+answer.Description), ": ")), resp.Status}
	case wrong != nil || answer.Token == "" || !isFieldValue(answer.Token):
		return "", 0, fmt.Errorf("the answer of %s has no access_token", apis.Address(t.url.String()))
	}
	lasts := defaultToken
	if seconds, err := strconv.ParseFloat(fmt.Sprint(answer.Expires), 64); err == nil && seconds > 0 {
		lasts = time.Duration(min(seconds, 1e7) * float64(time.Second))
		lasts -= min(tokenMargin, lasts/10)
	}
	return answer.Token, lasts, nil
}
