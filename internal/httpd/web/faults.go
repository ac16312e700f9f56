package web

import (
	"bytes"
	"fmt"
	"net/http"
	"runtime/debug"
	"strings"

	"github.com/patchbay-mcp/patchbay/diag"
)

// withFaults answers in JSON where a handler answers with an error in plain text, so that
// pages read one shape. A handler that panics is one failed request.
func (u *UI) withFaults(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		out := &faultWriter{ResponseWriter: w}
		defer func() {
			if p := recover(); p != nil && p != http.ErrAbortHandler { //nolint:errorlint // it is the value itself
				if log := u.o.HTTP.Logger; log != nil {
					log.Error("a request of a page panicked", "path", r.URL.Path, "panic", fmt.Sprint(p), "stack", string(debug.Stack()))
				}
				out.failed()
			}
			out.finish()
		}()
		next.ServeHTTP(out, r)
	})
}

// A faultWriter keeps an error that is written as text.
type faultWriter struct {
	http.ResponseWriter
	began  bool
	status int // of the error, or 0
	text   bytes.Buffer
}

// WriteHeader implements [http.ResponseWriter].
func (w *faultWriter) WriteHeader(status int) {
	w.began = true
	if status >= 400 && strings.HasPrefix(w.Header().Get("Content-Type"), "text/plain") {
		w.status = status
		return
	}
	w.ResponseWriter.WriteHeader(status)
}

// Write implements [http.ResponseWriter].
func (w *faultWriter) Write(b []byte) (int, error) {
	w.began = true
	if w.status != 0 {
		return w.text.Write(b)
	}
	return w.ResponseWriter.Write(b)
}

// Unwrap is for [http.ResponseController].
func (w *faultWriter) Unwrap() http.ResponseWriter { return w.ResponseWriter }

// refusals are the codes of the faults by which requests are refused before they are read.
var refusals = map[int]string{
	http.StatusUnauthorized: "not-signed-in", http.StatusForbidden: "not-allowed", http.StatusNotFound: "not-found", http.StatusMethodNotAllowed: "not-found",
	http.StatusRequestEntityTooLarge: "request-too-large", http.StatusRequestTimeout: diag.CodeBadArgument, http.StatusTooManyRequests: "too-many-requests", http.StatusServiceUnavailable: "too-many-requests",
}

func (w *faultWriter) finish() {
	if w.status == 0 {
		return
	}
	code, ok := refusals[w.status]
	if !ok {
		code = diag.CodeBadArgument
		if w.status >= 500 {
			code = diag.CodeInternalError
		}
	}
	w.Header().Del("Content-Length")
	writeFault(w.ResponseWriter, w.status, code, strings.TrimSpace(w.text.String()), "")
}

// failed answers a request whose handler has panicked, if it has not begun to answer.
func (w *faultWriter) failed() {
	if w.began {
		return
	}
	w.text.WriteString("internal error: the request failed; the server keeps running")
	w.status = http.StatusInternalServerError
}
