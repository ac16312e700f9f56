package web

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"reflect"
	"strings"
	"time"

	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/internal/app"
	"github.com/patchbay-mcp/patchbay/internal/execution"
	"github.com/patchbay-mcp/patchbay/internal/httpd"
	"github.com/patchbay-mcp/patchbay/internal/library"
	"github.com/patchbay-mcp/patchbay/internal/plans"
	"github.com/patchbay-mcp/patchbay/internal/policy/access"
	"github.com/patchbay-mcp/patchbay/internal/request"
	"github.com/patchbay-mcp/patchbay/mcpserver"
	"github.com/patchbay-mcp/patchbay/run"
)

// A caller is who makes a request.
type caller struct {
	name     string
	identity *access.Identity // nil without a token
	session  *session
}

func callerFrom(r *http.Request) caller {
	s, _ := r.Context().Value(sessionKey{}).(*session)
	c := caller{name: "local", identity: httpd.Identity(r.Context()), session: s}
	switch {
	case c.identity != nil:
		c.name = c.identity.Principal
	case s.operator:
		c.name = "operator"
	}
	return c
}

// may reports whether the caller has a scope. Without a token, it has those of a client of
// MCP without one; what only a person may do needs a link.
func (c *caller) may(scope string) bool {
	if c.identity != nil {
		return c.identity.Rights.May(scope)
	}
	return c.session.operator || scope != access.Admin
}

// mayDo reports whether the caller may do an operation.
func (c *caller) mayDo(o app.Operation) bool {
	return c.may(o.Scope) && (!o.Local || c.identity == nil && c.session.operator)
}

// scopes are those of the caller.
func (c *caller) scopes() []string {
	list := []string{}
	for _, s := range access.Scopes {
		if c.may(s) {
			list = append(list, s)
		}
	}
	return list
}

// as is the context of what is done for the caller. An operation that is not a tool is a
// person's, and needs the scope of an operator.
func (u *UI) as(ctx context.Context, c caller, o app.Operation) context.Context {
	who := run.Actor{Principal: "local"}
	switch {
	case c.identity != nil:
		who = run.Actor{Principal: c.identity.Principal, Operator: o.Tool == "" && c.may(access.Admin)}
		ctx = request.WithRights(ctx, &c.identity.Rights)
	case c.session.operator:
		who = run.Actor{Operator: true}
	}
	ctx = request.WithClientID(request.WithActor(ctx, who), c.name)
	return request.WithClient(ctx, request.Client{Wait: u.o.Wait, Peer: c.session.peer, Session: ctx})
}

// operate does an operation.
func (u *UI) operate(w http.ResponseWriter, r *http.Request) {
	e, who := u.named[r.PathValue("name")], callerFrom(r)
	switch {
	case e == nil:
		writeFault(w, http.StatusNotFound, "unknown-operation", "this operation does not exist", "GET /ui/api/session lists them")
		return
	case !who.may(e.Operation.Scope):
		writeFault(w, http.StatusForbidden, "not-allowed", "the operation "+e.Name+" needs the scope "+e.Operation.Scope, u.howToMayMore(who))
		return
	case !who.mayDo(e.Operation):
		writeFault(w, http.StatusForbidden, "not-allowed", "the operation "+e.Name+" is for the operator at this machine", "patchbay ui, or patchbay "+e.Operation.Command)
		return
	case !u.o.HTTP.Auth.TakeCalls(w, r, 1) || !u.awaitCatalog(r.Context()):
		return
	}
	args, err := io.ReadAll(r.Body)
	if err != nil {
		writeFault(w, http.StatusBadRequest, diag.CodeBadArgument, "the body of the request cannot be read", "")
		return
	}
	began := time.Now()
	ctx := u.as(r.Context(), who, e.Operation)
	body, runID, fault := u.call(ctx, who, e, args)
	req := execution.Request{Tool: e.Name, Session: who.session.peer, Outcome: "ok", Run: runID, Took: time.Since(began), Sent: len(args), Received: len(body)}
	if fault != nil {
		req.Outcome = fault.Code
	}
	if u.pb.Reports.Wants(req.Took) {
		u.pb.Reports.Request(ctx, req)
	}
	if fault != nil {
		b, _ := mcpserver.Encode(map[string]any{"error": fault})
		send(w, httpStatus(fault), u.mask(b))
		return
	}
	send(w, http.StatusOK, body)
}

func (u *UI) howToMayMore(c caller) string {
	if c.identity == nil {
		return "what only a person may do needs a token with this scope, or patchbay ui"
	}
	return "the operator gives scopes to tokens: patchbay token add"
}

// awaitCatalog waits for the catalog to be loaded and reports whether the caller is still
// there.
func (u *UI) awaitCatalog(ctx context.Context) bool {
	if u.o.Loaded == nil {
		return true
	}
	select {
	case <-u.o.Loaded:
		return true
	case <-ctx.Done():
		return false
	}
}

// call does an operation and returns the reply as the page reads it.
func (u *UI) call(ctx context.Context, c caller, e *mcpserver.Endpoint, args []byte) (body json.RawMessage, runID string, fault *diag.Fault) {
	in, fault := e.Decode(args)
	if fault != nil {
		return nil, "", fault
	}
	sent := u.graphSent(in, c)
	out, fault := e.Operation.Call(ctx, u.pb, in)
	if fault != nil {
		return nil, "", fault
	}
	if edited, ok := out.(*library.EditResult); ok && sent && edited.Graph == "" {
		edited.Graph = edited.Source // the page keeps the text
	}
	if id, ok := reflect.Indirect(reflect.ValueOf(out)).Type().FieldByName("RunID"); ok {
		runID = reflect.Indirect(reflect.ValueOf(out)).FieldByIndex(id.Index).String()
	}
	reply, err := mcpserver.Encode(out)
	if err != nil {
		return nil, runID, &diag.Fault{Code: diag.CodeInvalidResult, Message: "the reply is not JSON: " + err.Error(), Err: err}
	}
	shown := u.mask(reply)
	if sent && !bytes.Equal(shown, reply) {
		shown = withOwnText(shown, reply)
	}
	return enclosed(`{"result":`, shown, `}`), runID, nil
}

// graphSent reports whether a page has sent the text of a graph. The text of the operator's
// file, as it is on the disk, is the operator's own graph.
func (u *UI) graphSent(in any, c caller) bool {
	field := reflect.ValueOf(in).Elem().FieldByName("GraphInput")
	if !field.IsValid() {
		return false
	}
	g, ok := reflect.TypeAssert[*plans.GraphInput](field.Addr())
	var text string
	if !ok || len(g.Graph) == 0 || json.Unmarshal(g.Graph, &text) != nil || strings.HasPrefix(text, "draft:") {
		return false
	}
	if u.file != nil && c.session.operator && u.file.has(text) {
		*g = plans.FromText(u.file.path, text, g.Tool)
	}
	return true
}

// withOwnText is a masked reply in which the text of a graph is as it is: a page has sent it,
// and writes it back.
func withOwnText(shown, reply json.RawMessage) json.RawMessage {
	var masked, plain map[string]json.RawMessage
	if json.Unmarshal(shown, &masked) != nil || json.Unmarshal(reply, &plain) != nil {
		return shown
	}
	for _, name := range []string{"graph", "fixed_graph"} {
		if text, ok := plain[name]; ok {
			masked[name] = text
		}
	}
	b, err := json.Marshal(masked)
	if err != nil {
		return shown
	}
	return b
}

// mask masks secrets and shows what is hidden in text.
func (u *UI) mask(b json.RawMessage) json.RawMessage {
	if u.o.Redact != nil {
		b = u.o.Redact(b)
	}
	return json.RawMessage(diag.Visible(string(b)))
}

// httpStatus is the status of a fault.
func httpStatus(f *diag.Fault) int {
	switch {
	case f.Code == diag.CodeBadArgument:
		return http.StatusBadRequest
	case strings.HasPrefix(f.Code, "unknown-"):
		return http.StatusNotFound
	case f.Code == diag.CodeStaleRevision:
		return http.StatusConflict
	case f.Code == diag.CodeTooManyRuns:
		return http.StatusServiceUnavailable
	}
	return http.StatusUnprocessableEntity
}

// enclosed is JSON between two texts.
func enclosed(before string, b []byte, after string) []byte {
	out := make([]byte, 0, len(before)+len(b)+len(after))
	return append(append(append(out, before...), b...), after...)
}
