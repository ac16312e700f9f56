package inbound

import (
	"context"
	"encoding/json"
	"net/http"
	"strings"

	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/internal/app"
	"github.com/patchbay-mcp/patchbay/internal/httpd"
)

// answerPolicy lets a page load nothing, run nothing and be shown in no other page. Forms go
// back to this server.
const answerPolicy = "default-src 'none'; style-src 'sha256-" + answerStyleHash + "'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'"

// Answers serves the pages on which a person answers the question of a run. The link to a page
// is all that is needed: looking at it changes nothing, so that programs which preview links do
// no harm. Secrets are masked by redact, which may be nil.
func Answers(pb *app.App, o httpd.Options, redact func(json.RawMessage) json.RawMessage) http.Handler {
	return o.Guard(&answerPages{pb, redact}, httpd.Public)
}

type answerPages struct {
	pb   *app.App
	mask func(json.RawMessage) json.RawMessage
}

// ServeHTTP implements [http.Handler].
func (s *answerPages) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	h := w.Header()
	h.Set("Content-Security-Policy", answerPolicy)
	h.Set("Referrer-Policy", "same-origin") // the address is a secret
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Cache-Control", "no-store")
	h.Set("X-Robots-Tag", "noindex")
	h.Set("Content-Type", "text/html; charset=utf-8")
	token := r.PathValue("token")
	q, fault := s.pb.Links.Question(r.Context(), token)
	if fault != nil {
		s.write(w, http.StatusGone, answerMessage(fault.Message))
		return
	}
	form := readForm(q.Schema)
	if r.Method != http.MethodPost {
		s.write(w, http.StatusOK, answerForm(q, form, nil, ""))
		return
	}
	if err := r.ParseForm(); err != nil {
		s.write(w, http.StatusBadRequest, answerMessage("The form cannot be read."))
		return
	}
	action, content := r.PostForm.Get("action"), json.RawMessage(nil)
	if action == "accept" {
		content = form.content(r.PostForm)
	}
	switch fault := s.pb.Links.Answer(context.WithoutCancel(r.Context()), token, action, content); {
	case fault == nil:
		s.write(w, http.StatusOK, answerMessage("Thank you. The run continues."))
	case fault.Code == diag.CodeBadArgument && action == "accept":
		s.write(w, http.StatusUnprocessableEntity, answerForm(q, form, r.PostForm, faultText(fault)))
	default:
		s.write(w, http.StatusConflict, answerMessage(fault.Message))
	}
}

func faultText(f *diag.Fault) string { return strings.TrimSuffix(f.Message, ".") + "." }

// write writes a page. Text that the operator wants masked is masked in it.
func (s *answerPages) write(w http.ResponseWriter, status int, body string) {
	text := json.RawMessage(body)
	if s.mask != nil {
		text = s.mask(text)
	}
	body = diag.Visible(string(text))
	page := `<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><title>Patchbay asks</title><style>` + answerStyle + `</style></head><body><main>` + body + `</main></body></html>`
	w.WriteHeader(status)
	_, _ = w.Write([]byte(page))
}
