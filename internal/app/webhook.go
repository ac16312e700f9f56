package app

import (
	"context"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/json"
	"net/http"
	"strings"
	"time"

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

// A Delivery is a request that a webhook has accepted, by its signature; the zero Delivery may
// come again.
type Delivery struct{ webhook, signature string }

// maxDeliveries is how many deliveries are remembered: the latest since the program started.
const maxDeliveries = 10_000

// Accept returns why a request is not accepted: it has not the token of the webhook, if there
// is one, or no signature with the secret, if there is one. Both are compared in constant time.
// Of a request whose sender says when or as which delivery it was sent, the same signature is
// accepted once. A delivery that has started nothing can be forgotten.
func (h *Webhook) Accept(header http.Header, body []byte, now time.Time) (d Delivery, fault *diag.Fault) {
	token, _ := strings.CutPrefix(header.Get("Authorization"), "Bearer ")
	if h.Token != "" && subtle.ConstantTimeCompare(digest(token), digest(h.Token)) != 1 {
		return d, notAccepted("the token of the request is not that of the webhook")
	}
	if h.Secret == "" {
		return d, nil
	}
	mac, once, fault := h.signature(header, body, now)
	if fault != nil || !once {
		return d, fault
	}
	d = Delivery{h.Name, string(mac)}
	if !h.pb.received.Add(d, true) {
		return Delivery{}, diag.Faultf("received-before", "the webhook has accepted this request before")
	}
	return d, nil
}

// Forget makes a delivery one that can come again.
func (h *Webhook) Forget(d Delivery) { h.pb.received.Remove(d) }

func notAccepted(format string, args ...any) *diag.Fault {
	return diag.Faultf("not-accepted", format, args...)
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
