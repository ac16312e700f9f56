package openapi

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/patchbay-mcp/patchbay/internal/servers/apis"
)

// call makes a request and reads its answer.
func (op *operation) call(ctx context.Context, c *client, arguments json.RawMessage) (*mcp.CallToolResult, error) {
	m, err := op.message(arguments)
	if err != nil {
		return nil, err
	}
	where := op.method + " " + apis.Address(m.URL)
	resp, err := op.exchange(ctx, c, m)
	switch {
	case err != nil && ctx.Err() != nil:
		return nil, fmt.Errorf("%s failed: %w", where, err)
	case err != nil:
		return nil, fmt.Errorf("%s %w", op.method, err)
	}
	if resp.Status/100 != 2 {
		return nil, op.refusal(where, resp)
	}
	return op.result(where, resp)
}

// exchange sends a request and reads the answer. It sends it again, once, after a token
// was refused.
func (op *operation) exchange(ctx context.Context, c *client, m *apis.Request) (*apis.Response, error) {
	for again := false; ; again = true {
		r := *m
		r.Header = m.Header.Clone()
		for name := range c.headers { // the operator's take precedence
			if !strings.EqualFold(name, "Content-Type") {
				r.Header.Del(name)
			}
		}
		var renew func()
		for _, s := range op.auth {
			drop, err := s.apply(ctx, &r)
			if err != nil {
				return nil, fmt.Errorf("%s is not requested: %w", apis.Address(r.URL), err)
			}
			if drop != nil {
				renew = drop
			}
		}
		resp, err := c.api.Do(ctx, &r)
		if err != nil || resp.Status != http.StatusUnauthorized || renew == nil {
			return resp, err
		}
		renew()
		if again {
			return resp, nil
		}
	}
}

// readsOnly reports whether an operation changes nothing, so that it may be repeated.
func (op *operation) readsOnly() bool {
	return op.method == http.MethodGet || op.method == http.MethodHead || op.method == http.MethodOptions
}
