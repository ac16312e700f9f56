package openapi

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

const (
	firstWait     = 200 * time.Millisecond // before the second attempt
	maxRetryAfter = 5 * time.Second
)

// call makes a request and reads its answer.
func (op *operation) call(ctx context.Context, c *client, arguments json.RawMessage) (*mcp.CallToolResult, error) {
	m, err := op.message(arguments)
	if err != nil {
		return nil, err
	}
	where := op.method + " " + m.url
	if u, err := url.Parse(m.url); err == nil {
		where = op.method + " " + shown(u)
	}
	ctx, cancel := context.WithTimeout(ctx, c.timeout)
	defer cancel()
	a, err := op.exchange(ctx, c, m)
	if err != nil {
		return nil, fmt.Errorf("%s failed: %w", where, err)
	}
	if a.status/100 != 2 {
		return nil, op.refusal(where, a)
	}
	return op.result(where, a)
}

// An answer is what a server sent, read whole.
type answer struct {
	status int
	header http.Header
	body   []byte
}

// exchange sends a request and reads the answer. One that only reads is sent again
// after a lost connection and after an answer that says that the server is busy; every
// one is, once, after a token was refused.
func (op *operation) exchange(ctx context.Context, c *client, m *message) (*answer, error) {
	renewed := false
	for attempt := 1; ; attempt++ {
		a, token, err := op.attempt(ctx, c, m)
		if err == nil && a.status == http.StatusUnauthorized && !renewed && op.renew(token) {
			renewed = true
			continue
		}
		if !op.readsOnly() || attempt >= maxAttempts || ctx.Err() != nil {
			return a, err
		}
		wait := firstWait << (attempt - 1)
		if err == nil {
			if !slices.Contains([]int{429, 502, 503, 504}, a.status) {
				return a, nil
			}
			if seconds, wrong := strconv.Atoi(a.header.Get("Retry-After")); wrong == nil && seconds >= 0 {
				if wait = time.Duration(min(seconds, 3600)) * time.Second; wait > maxRetryAfter {
					return a, nil
				}
			}
		} else if _, lost := errors.AsType[*lostError](err); !lost {
			return nil, err
		}
		if c.wait(ctx, wait) != nil {
			return a, err
		}
	}
}

func (op *operation) readsOnly() bool {
	return op.method == http.MethodGet || op.method == http.MethodHead || op.method == http.MethodOptions
}

// renew drops a token that was refused, and reports whether there can be another.
func (op *operation) renew(authorization string) bool {
	for _, s := range op.auth {
		if s.tokens != nil {
			s.tokens.forget(strings.TrimPrefix(authorization, "Bearer "))
			return true
		}
	}
	return false
}

// A lostError is about a request without an answer.
type lostError struct{ error }

// attempt sends a request once. It also returns the request's header Authorization.
func (op *operation) attempt(ctx context.Context, c *client, m *message) (*answer, string, error) {
	var body io.Reader
	if m.body != nil {
		body = bytes.NewReader(m.body)
	}
	req, err := http.NewRequestWithContext(ctx, op.method, m.url, body)
	if err != nil {
		return nil, "", errors.New("its URL is not valid")
	}
	maps.Copy(req.Header, m.header)
	req.Header.Set("Accept", op.responses.accept())
	if m.contentType != "" {
		req.Header.Set("Content-Type", m.contentType)
	}
	c.setHeaders(req)
	for _, s := range op.auth {
		if err := s.apply(ctx, req); err != nil {
			return nil, "", err
		}
	}
	resp, err := c.send(req)
	if err != nil {
		return nil, "", &lostError{err}
	}
	defer resp.Body.Close() //nolint:errcheck // it was only read
	text, err := c.body(ctx, resp, c.maxBytes)
	if err != nil {
		return nil, "", fmt.Errorf("its answer (%s) %w", status(resp.StatusCode), err)
	}
	return &answer{resp.StatusCode, resp.Header, text}, req.Header.Get("Authorization"), nil
}
