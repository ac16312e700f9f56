package engine

import (
	"cmp"
	"fmt"

	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/expr"
)

// What the answer to a call begins with that a hook has stopped by failing.
const (
	CodeScriptError = "SCRIPT_ERROR"
	CodeTimeout     = "TIMEOUT"
	codeBlocked     = "BLOCKED" // of a hook that does not say
)

// A Block is why a hook has stopped a call: the details of a fault with the code
// hook-blocked, if the hook has decided so, or hook-failed.
type Block struct {
	Code    string `json:"code"` // what the hook has said, SCRIPT_ERROR or TIMEOUT
	Message string `json:"message"`
	Node    string `json:"node"`
}

// String is the text that answers the call.
func (b *Block) String() string { return fmt.Sprintf("%s: %s (hook %s)", b.Code, b.Message, b.Node) }

// HookBlock returns why a hook has stopped the call of a run with a fault, nil for any
// other fault.
func HookBlock(f *diag.Fault) *Block {
	if f == nil {
		return nil
	}
	b, _ := f.Details.(*Block)
	return b
}

var (
	codeHookFailed  = diag.DefineFault("hook-failed", diag.FailsAttempt, "a hook threw (`SCRIPT_ERROR`), returned something that is not an answer, or reached its limit (`TIMEOUT`)", "correct the hook, or raise its `timeoutMs`")
	CodeHookBlocked = diag.DefineFault("hook-blocked", diag.FailsAttempt, "a hook decided that the call stops", "read its message")
)

// failure is the fault of a hook that has failed.
func (h *hookNode) failure(code, message string) *diag.Fault {
	b := h.block(cmp.Or(code, CodeScriptError), message)
	return &diag.Fault{Code: codeHookFailed, Node: h.id, Message: b.String(), Details: b}
}

// stopped is the fault of a hook that has stopped the call.
func (h *hookNode) stopped(code, message string) *diag.Fault {
	b := h.block(cmp.Or(code, codeBlocked), cmp.Or(message, "the hook has stopped the call"))
	return &diag.Fault{Code: CodeHookBlocked, Node: h.id, Message: b.String(), Details: b}
}

func (h *hookNode) block(code, message string) *Block {
	return &Block{Code: diag.Excerpt(code), Message: diag.Cut(message, 1000), Node: h.id}
}

// settle reads what a blocking hook has returned: the context that follows, or why the
// call stops. left is the context as the hook has left it; of that only
// metadata.shared counts unless the hook returns it.
func (h *hookNode) settle(s *State, left expr.Object, returned expr.Value) (expr.Value, error) {
	next := s.context.value
	if shared := sharedContext(left); shared != nil && shared != sharedContext(next) {
		metadata, _ := objectAt(next, "metadata")
		next = with(next, "metadata", with(orEmpty(metadata), "shared", shared))
	}
	if returned == nil || expr.IsNull(returned) {
		return next, nil
	}
	r, ok := returned.(expr.Object)
	if !ok {
		return nil, h.failure(CodeScriptError, "the hook has not returned an object or nothing")
	}
	goesOn, decided := r.Get("continue")
	if decided && goesOn == false {
		e := expr.Member(r, "error")
		return nil, h.stopped(expr.TextAt(e, "code"), expr.TextAt(e, "message"))
	}
	if c, given := objectAt(r, "context"); given {
		r = c
	}
	return h.replace(next, r, decided)
}

// replace takes the request and the response of what a hook has returned.
func (h *hookNode) replace(next, r expr.Object, decided bool) (expr.Value, error) {
	request, asked := r.Get("request")
	response, answered := r.Get("response")
	if !asked && !answered && !decided && r.Len() > 0 {
		return nil, h.failure(CodeScriptError, "the hook has returned an object without request, response or continue")
	}
	was, _ := objectAt(next, "request")
	if asked {
		changed, ok := request.(expr.Object)
		if !ok {
			return nil, h.failure(CodeScriptError, "the request that the hook has returned is not an object")
		}
		if _, named := changed.Get("method"); named && expr.TextAt(changed, "method") != expr.TextAt(was, "method") {
			return nil, h.failure(CodeScriptError, "a hook must not change the method of the request")
		}
		params, ok := objectAt(changed, "params")
		if !ok {
			return nil, h.failure(CodeScriptError, "the request that the hook has returned has no params")
		}
		next = with(next, "request", with(was, "params", params))
	}
	if metadata, given := objectAt(r, "metadata"); given {
		own, _ := objectAt(next, "metadata")
		if expr.TextAt(metadata, "serverName") != expr.TextAt(own, "serverName") {
			return nil, h.failure(CodeScriptError, "a hook must not change the server of the request")
		}
		if shared := sharedContext(r); shared != nil {
			next = with(next, "metadata", with(orEmpty(own), "shared", shared))
		}
	}
	if answered && !expr.IsNull(response) {
		if _, ok := response.(expr.Object); !ok {
			return nil, h.failure(CodeScriptError, "the response that the hook has returned is not an object")
		}
		next = with(next, "response", response)
	}
	return next, nil
}

func sharedContext(c expr.Object) expr.Object {
	shared, _ := expr.Member(expr.Member(c, "metadata"), "shared").(expr.Object)
	return shared
}

func orEmpty(o expr.Object) expr.Object {
	if o == nil {
		return expr.NewObject()
	}
	return o
}
