package app

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/hex"
	"encoding/json"
	"strings"

	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/internal/config"
)

// A Webhook is a graph that a request starts.
type Webhook struct {
	config.Webhook
	pb *App
}

// Webhook returns the webhook of a name, nil if the configuration has none.
func (pb *App) Webhook(name string) *Webhook {
	for _, h := range pb.Config().Webhooks {
		if h.Name == name {
			return &Webhook{h, pb}
		}
	}
	return nil
}

// Authenticates reports whether the webhook itself says who may send to it, by a token or a
// signature.
func (h *Webhook) Authenticates() bool { return h.Token != "" || h.Secret != "" }

// Accepts reports whether a request has the token of the webhook, if there is one, and a
// signature of its body with the secret, if there is one: the HMAC-SHA-256 in hexadecimal
// after "sha256=", as GitHub sends it. Both are compared in constant time.
func (h *Webhook) Accepts(token, signature string, body []byte) bool {
	if h.Token != "" && subtle.ConstantTimeCompare(digest(token), digest(h.Token)) != 1 {
		return false
	}
	if h.Secret == "" {
		return true
	}
	sent, err := hex.DecodeString(strings.TrimPrefix(signature, "sha256="))
	mac := hmac.New(sha256.New, []byte(h.Secret))
	_, _ = mac.Write(body)
	return err == nil && hmac.Equal(sent, mac.Sum(nil))
}

// digest makes texts of different lengths comparable in constant time.
func digest(text string) []byte {
	sum := sha256.Sum256([]byte(text))
	return sum[:]
}

// Start starts the graph with the body of a request, JSON; nothing is {}. It returns when the
// run has begun, or if the client of ctx waits, when it has stopped or the client does not wait
// any more.
func (h *Webhook) Start(ctx context.Context, body []byte) (*RunResult, *diag.Fault) {
	arguments := json.RawMessage(body)
	if strings.TrimSpace(string(body)) == "" {
		arguments = json.RawMessage(`{}`)
	}
	if !json.Valid(arguments) {
		return nil, diag.BadArgument("", "send application/json", "the body of the request is not JSON")
	}
	switch {
	case h.Body != "":
		b, err := json.Marshal(map[string]json.RawMessage{h.Body: arguments})
		if err != nil {
			return nil, diag.BadArgument("", "send application/json", "the body of the request is not JSON")
		}
		arguments = b
	case !strings.HasPrefix(strings.TrimSpace(string(arguments)), "{"):
		return nil, diag.BadArgument("", "the operator can write body: NAME, which makes it one argument", "the body of the request is not a JSON object of arguments")
	}
	if h.Authenticates() {
		ctx = WithActor(ctx, operators)
	}
	r, fault := h.pb.startGraph(ctx, "webhook "+h.Name, h.Graph, arguments, "")
	if fault != nil && fault.Code == needsApproval {
		h.pb.log.Error("a webhook cannot start its graph", "webhook", h.Name, "graph", h.Graph, "error", fault)
	}
	return r, fault
}
