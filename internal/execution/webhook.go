package execution

import (
	"bytes"
	"context"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/json"
	"mime"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/internal/config"
	"github.com/patchbay-mcp/patchbay/internal/plans"
	"github.com/patchbay-mcp/patchbay/internal/request"
	"github.com/patchbay-mcp/patchbay/internal/sys/cache"
)

// webhooks are the graphs that requests start.
type webhooks struct {
	execution *Execution
	received  *cache.Cache[Delivery, bool] // the latest
}

// A Webhook is a graph that a request starts.
type Webhook struct {
	config.Webhook
	execution *Execution
}

// Named returns the webhook of a name, nil if the configuration has none.
func (wh *webhooks) Named(name string) *Webhook {
	for _, h := range wh.execution.process.Config().Webhooks {
		if h.Name == name {
			return &Webhook{h, wh.execution}
		}
	}
	return nil
}

// Authenticates reports whether the webhook itself says who may send to it, by a token or a
// signature.
func (h *Webhook) Authenticates() bool { return h.Token != "" || h.Secret != "" }

// A Delivery is a request that a webhook has accepted. Without a signature it may come again.
type Delivery struct{ webhook, signature, header string }

// Slack reports whether Slack has signed the request.
func (d Delivery) Slack() bool { return d.header == slackHeader }

// maxDeliveries is how many deliveries are remembered: the latest since the program started.
const maxDeliveries = 10_000

var (
	CodeReceivedBefore = diag.DefineFault("received-before", diag.RefusesRequest, "the webhook has accepted the same signed request before ([webhooks](schedules.md#webhooks))", "send a new request, with its own time or body")
	codeNotAccepted    = diag.DefineFault("not-accepted", diag.RefusesRequest, "the token or the signature of a request is not that of the webhook, or the time that is signed is too far from now", "correct what the sender has, its clock, or `token`, `secret` and `signature`")
)

// Accept returns why a request is not accepted: it lacks the token of the webhook, if there
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
	mac, in, once, fault := h.signature(header, body, now)
	if fault != nil || !once {
		return d, fault
	}
	d = Delivery{h.Name, string(mac), in}
	if !h.execution.Webhooks.received.Add(d, true) {
		return Delivery{}, diag.Faultf(CodeReceivedBefore, "the webhook has accepted this request before")
	}
	return d, nil
}

// Forget makes a delivery one that can come again.
func (h *Webhook) Forget(d Delivery) { h.execution.Webhooks.received.Remove(d) }

func notAccepted(format string, args ...any) *diag.Fault {
	return diag.Faultf(codeNotAccepted, format, args...)
}

// digest makes texts of different lengths comparable in constant time.
func digest(text string) []byte {
	sum := sha256.Sum256([]byte(text))
	return sum[:]
}

// Arguments makes the arguments of the graph of a request: its body, and the headers and the
// parameters of the query that the operator names, which replace members of the body.
func (h *Webhook) Arguments(header http.Header, query url.Values, body []byte) (json.RawMessage, *diag.Fault) {
	value, fault := bodyValue(header.Get("Content-Type"), body)
	if fault != nil {
		return nil, fault
	}
	arguments := map[string]json.RawMessage{}
	switch {
	case h.Body != "":
		arguments[h.Body] = value
	case value[0] != '{':
		return nil, diag.BadArgument("", "the operator can write body: NAME, which makes it one argument", "the body of the request is not a JSON object of arguments")
	case len(h.Headers)+len(h.Query) == 0:
		return value, nil
	default:
		_ = json.Unmarshal(value, &arguments)
	}
	for argument, name := range h.Headers {
		delete(arguments, argument)
		if list := header.Values(name); len(list) > 0 {
			arguments[argument], _ = json.Marshal(strings.Join(list, ", "))
		}
	}
	for argument, name := range h.Query {
		delete(arguments, argument)
		if query.Has(name) {
			arguments[argument], _ = json.Marshal(query.Get(name))
		}
	}
	all, err := json.Marshal(arguments)
	if err != nil {
		return nil, notJSON()
	}
	return all, nil
}

// bodyValue is the body of a request as JSON. A form becomes an object of texts and, for fields
// that come more than once, lists of texts; one whose only field is payload is the JSON in it.
// Nothing is {}.
func bodyValue(contentType string, body []byte) (json.RawMessage, *diag.Fault) {
	text := bytes.TrimSpace(body)
	media, _, _ := mime.ParseMediaType(contentType)
	switch {
	case len(text) == 0:
		return json.RawMessage(`{}`), nil
	case media != "application/x-www-form-urlencoded" || text[0] == '{' || text[0] == '[': // curl -d says that JSON is a form
		if !json.Valid(text) {
			return nil, notJSON()
		}
		return text, nil
	}
	fields, err := url.ParseQuery(string(text))
	if err != nil {
		return nil, diag.BadArgument("", "send application/json, or escape the fields of the form", "the body of the request is not a form: %v", err)
	}
	if payload := fields.Get("payload"); len(fields) == 1 && json.Valid([]byte(payload)) {
		return json.RawMessage(strings.TrimSpace(payload)), nil
	}
	object := map[string]any{}
	for name, values := range fields {
		if object[name] = values; len(values) == 1 {
			object[name] = values[0]
		}
	}
	value, err := json.Marshal(object)
	if err != nil {
		return nil, notJSON()
	}
	return value, nil
}

func notJSON() *diag.Fault {
	return diag.BadArgument("", "send application/json or a form", "the body of the request is not JSON")
}

// Start starts the graph. It returns when the run has begun, or if the client of ctx waits, when
// it has stopped or the client does not wait any more.
func (h *Webhook) Start(ctx context.Context, arguments json.RawMessage) (*RunResult, *diag.Fault) {
	if h.Authenticates() {
		ctx = request.WithActor(ctx, operators)
	}
	r, fault := h.execution.startGraph(ctx, "webhook "+h.Name, h.Graph, arguments, "")
	if fault != nil && fault.Code == plans.NeedsApproval {
		h.execution.process.Log.Error("a webhook cannot start its graph", "webhook", h.Name, "graph", h.Graph, "error", fault)
	}
	return r, fault
}
