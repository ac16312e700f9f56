package inbound

import (
	"cmp"
	"encoding/json"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"time"

	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/internal/app"
	"github.com/patchbay-mcp/patchbay/internal/execution"
	"github.com/patchbay-mcp/patchbay/internal/httpd"
	"github.com/patchbay-mcp/patchbay/internal/policy/access"
	"github.com/patchbay-mcp/patchbay/internal/request"
	"github.com/patchbay-mcp/patchbay/internal/sys/plainjson"
	"github.com/patchbay-mcp/patchbay/run"
)

// Webhooks serves POST /hooks/NAME, which starts the graph of the webhook of that name. A
// webhook with a token or a secret of its own needs nothing else; others are for those who may
// run graphs. The reply has the run, or with ?wait, or ?wait=SECONDS, what has become of it.
func Webhooks(pb *app.App, o httpd.Options, wait time.Duration) http.Handler {
	serve := webhookHandler{pb: pb, auth: o.Auth, wait: cmp.Or(wait, request.DefaultWait)}
	own, authorized := o.Guard(&serve, httpd.Public), o.Guard(&serve, access.Run)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if h := pb.Webhooks.Named(r.PathValue("name")); h != nil && h.Authenticates() {
			own.ServeHTTP(w, r)
			return
		}
		authorized.ServeHTTP(w, r)
	})
}

type webhookHandler struct {
	pb   *app.App
	auth *httpd.Auth
	wait time.Duration
}

var codeUnknownWebhook = diag.DefineFault("unknown-webhook", diag.RefusesRequest, "there is no [webhook](schedules.md#webhooks) of this name", "correct the address, or add it to `webhooks`")

// ServeHTTP implements [http.Handler].
func (s *webhookHandler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	h := s.pb.Webhooks.Named(r.PathValue("name"))
	if h == nil {
		webhookFault(w, http.StatusNotFound, diag.Faultf(codeUnknownWebhook, "there is no webhook of this name"))
		return
	}
	body, err := io.ReadAll(r.Body)
	if err != nil {
		http.Error(w, "the body of the request cannot be read", http.StatusBadRequest)
		return
	}
	if !s.auth.TakeCalls(w, r, 1) {
		return
	}
	delivery, fault := h.Accept(r.Header, body, time.Now())
	switch {
	case fault != nil && fault.Code == execution.CodeReceivedBefore:
		webhookFault(w, http.StatusConflict, fault)
		return
	case fault != nil:
		w.Header().Set("WWW-Authenticate", "Bearer")
		webhookFault(w, http.StatusUnauthorized, fault)
		return
	}
	c := request.Client{Background: true}
	if r.URL.Query().Has("wait") {
		c = request.Client{Wait: s.wait}
		if seconds, err := strconv.ParseFloat(r.URL.Query().Get("wait"), 64); err == nil && seconds > 0 && seconds < s.wait.Seconds() {
			c.Wait = time.Duration(seconds * float64(time.Second))
		}
	}
	ctx := request.WithActor(r.Context(), request.Local)
	if id := httpd.Identity(ctx); id != nil {
		ctx = request.WithRights(request.WithActor(ctx, run.Actor{Principal: id.Principal}), &id.Rights)
	}
	ctx = request.WithClient(ctx, c)
	if answer, ok := slackCheck(body); ok && delivery.Slack() {
		w.Header().Set("Content-Type", "text/plain")
		_, _ = io.WriteString(w, answer)
		return
	}
	arguments, fault := h.Arguments(r.Header, r.URL.Query(), body)
	var res *execution.RunResult
	if fault == nil {
		res, fault = h.Start(ctx, arguments)
	}
	if fault != nil || res.RunID == "" {
		h.Forget(delivery)
	}
	switch {
	case fault != nil && fault.Code == diag.CodeBadArgument:
		webhookFault(w, http.StatusBadRequest, fault)
	case fault != nil:
		webhookFault(w, http.StatusServiceUnavailable, fault)
	case delivery.Slack() && res.RunID != "" && (c.Background || httpStatus(res) == http.StatusAccepted): // it takes 200 alone
		w.WriteHeader(http.StatusOK)
	case delivery.Slack() && res.Status == string(run.Succeeded): // the result is what it shows
		webhookReply(w, http.StatusOK, res.Result)
	case c.Background && res.RunID != "":
		webhookReply(w, http.StatusAccepted, map[string]string{"run_id": res.RunID})
	default:
		webhookReply(w, httpStatus(res), res)
	}
}

// slackCheck returns the answer to a request with which Slack checks an address, and whether it
// is one.
func slackCheck(body []byte) (answer string, ok bool) {
	var event struct{ Type, Challenge string }
	if json.Unmarshal(body, &event) == nil {
		return event.Challenge, event.Type == "url_verification"
	}
	form, err := url.ParseQuery(string(body))
	return "", err == nil && form.Get("ssl_check") == "1"
}

// httpStatus is the status of the reply about a run.
func httpStatus(r *execution.RunResult) int {
	switch r.Status {
	case string(run.Succeeded):
		return http.StatusOK
	case string(run.Running), string(run.Interrupted):
		return http.StatusAccepted
	case string(run.Failed), string(run.Cancelled):
		return http.StatusInternalServerError
	}
	return http.StatusUnprocessableEntity // it did not run
}

func webhookFault(w http.ResponseWriter, status int, f *diag.Fault) {
	webhookReply(w, status, map[string]any{"error": f})
}

func webhookReply(w http.ResponseWriter, status int, v any) {
	b, err := plainjson.Marshal(v)
	if err != nil {
		http.Error(w, "the reply cannot be encoded", http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_, _ = w.Write(append(b, '\n'))
}
