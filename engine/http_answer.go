package engine

import (
	"encoding/json"
	"fmt"

	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/expr"
	"github.com/patchbay-mcp/patchbay/schema"
)

var codeHTTPStatus = diag.DefineFault("http-status", diag.FailsAttempt, "the status is not 2xx", "`error.details` has the status and body; handle it with `onError`")

// notOK is the fault of a response whose status is not 2xx.
func notOK(named string, answer expr.Value) *diag.Fault {
	body, status := expr.Member(answer, "body"), answerStatus(answer)
	f := diag.Faultf(codeHTTPStatus, "%s was answered with status %d", named, status)
	if text, ok := body.(string); ok && text != "" {
		f.Message += ": " + diag.Cut(text, 500)
	} else if body != nil && !ok && !expr.IsNull(body) {
		f.Message += ": " + diag.Cut(valueText(body), 500)
	}
	f.Details = answer
	switch {
	case status == 401 || status == 403:
		f.Hint = "check auth, and what it is allowed to do"
	case status == 404:
		f.Hint = "check the url"
	case temporary(status):
		f.Hint = "retry: {maxAttempts: 3} tries again; onError: <node id> continues at another node"
	default:
		f.Hint = "check url, query, headers and body; onError: <node id> continues at another node, with the response in error.details"
	}
	return f
}

func answerStatus(answer expr.Value) int {
	var status int
	_, _ = fmt.Sscan(valueText(expr.Member(answer, "status")), &status)
	return status
}

// temporary reports whether a status may be another one the next time.
func temporary(status int) bool {
	return status >= 500 || status == 408 || status == 425 || status == 429
}

// checkAnswer holds the body of an answer to the node's schema, with its defaults filled in.
func (r *httpRequest) checkAnswer(named string, answer expr.Value) error {
	if _, ok := answer.(expr.Object); r.answer == nil || !ok {
		return nil
	}
	body := expr.Member(answer, "body")
	found, err := satisfy(body, r.answer)
	if err != nil {
		return &diag.Fault{Code: diag.CodeInvalidResponse, Message: err.Error(), Err: err}
	}
	if len(found) == 0 {
		return nil
	}
	b, _ := expr.Encode(body)
	f := schema.Fault(diag.CodeInvalidResponse, "the response body of "+named+" does not satisfy responseSchema", "", found)
	f.Path, f.Got, f.Details = "", json.RawMessage(diag.CutJSON(b, 2048)), answer
	f.Hint = "change responseSchema or the request"
	return f
}

// satisfy fills the defaults of a schema into a value, and returns where the value breaks it.
func satisfy(v expr.Value, s *schema.Schema) ([]schema.Mismatch, error) {
	if err := s.FillDefaults(v, expr.Decode); err != nil {
		return nil, err
	}
	plain, err := expr.Plain(v)
	if err != nil {
		return nil, err
	}
	return s.CheckValue(plain), nil
}
