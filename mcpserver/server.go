// Package mcpserver is the MCP face of the product: it publishes the operations as
// tools, every published graph as a tool of its own, the guide and the catalog as
// resources, and serves them over stdio and streamable HTTP. It decides nothing:
// each handler decodes, calls its operation and encodes.
package mcpserver

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"runtime/debug"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/patchbay-mcp/patchbay/internal/app"
	"github.com/patchbay-mcp/patchbay/internal/discover/idioms"
	"github.com/patchbay-mcp/patchbay/internal/request"
	"github.com/patchbay-mcp/patchbay/internal/servers"
)

// Options of a server.
type Options struct {
	Name         string // what initialize answers (default "patchbay")
	Title        string
	Version      string
	Instructions string          // replaces [idioms.Instructions]
	Program      string          // the name of the program (default "patchbay"), which people type
	ToolsOnly    bool            // publish graphs, get_run and cancel_run only
	Expose       *servers.Expose // what passes through of downstream servers; nil is nothing
	DebugTools   bool            // have the tools for debugging runs
	Metrics      *Metrics        // nil counts nothing
	// Wait is how long the call of a tool waits for its run, unless the call says. A
	// run that takes longer continues. 0 means 45 s: clients usually wait for 60.
	Wait time.Duration
	// TaskAfter is how long the call of a client that has tasks waits for its run, before the
	// reply is a task. 0 means half a second.
	TaskAfter time.Duration
	// Sessions are those of HTTP, which [Handler] serves. Nil lets every run finish when
	// the session of its client ends.
	Sessions *Sessions
	Logger   *slog.Logger

	// Redact masks the operator's secrets in what clients are sent, JSON or text. Nil
	// masks nothing.
	Redact func(json.RawMessage) json.RawMessage

	// App returns the page that clients show which show pages, as HTML; nil offers none.
	App func() string

	// Loaded is closed when the catalog holds what is known at start. Requests
	// wait for it, but for those that open a session. Nil means it does.
	Loaded <-chan struct{}
	// FirstRequest is called once, before the first request that asks for more than
	// what the server offers. It must be quick. It may be nil.
	FirstRequest func()
}

// pageSize is how many definitions a page of a list has.
const pageSize = 1000

// New returns an MCP server of a Patchbay. It follows the set of published graphs
// for as long as it lives.
func New(pb *app.App, o Options) *mcp.Server {
	o.complete()
	g := &gateway{}
	changes := &subscriptions{gateway: g}
	so := &mcp.ServerOptions{
		Instructions: instructions(pb, &o),
		Logger:       o.Logger,
		Capabilities: &mcp.ServerCapabilities{Tools: &mcp.ToolCapabilities{ListChanged: true}},
		PageSize:     pageSize,
		SetCacheable: private,
	}
	if o.Expose != nil || !o.ToolsOnly {
		offerResources(so, pb)
		changes.offer(so)
	}
	if !o.ToolsOnly {
		so.Capabilities.AddExtension(skillsExtension, nil)
	}
	if o.Expose != nil {
		so.Capabilities.Logging = &mcp.LoggingCapabilities{}
	}
	s := mcp.NewServer(&mcp.Implementation{Name: o.Name, Title: cmp.Or(o.Title, o.Name), Version: o.Version}, so)
	o.receive(s, pb, g, so.Capabilities)
	states := newStates()
	for _, op := range app.Operations() {
		if o.offers(op) {
			addTool(s, pb, states, op)
		}
	}
	if !o.ToolsOnly {
		addResources(s, pb)
	}
	g.start(s, pb, o)
	changes.start(s, pb)
	p := &publisher{server: s, pb: pb, states: states, log: o.Logger, listed: map[string]string{}, relist: relister{waiting: map[mcp.Session]chan struct{}{}}}
	receive(s, p.relist.replies)
	pb.OnPublished(p.sync) // first, so that no change falls between
	listed := make(chan struct{})
	list := func() {
		defer close(listed)
		p.sync()
	}
	if pb.GraphTools.Many() {
		go func() { // a client is greeted before
			if o.Loaded != nil {
				select {
				case <-o.Loaded:
				case <-pb.Working.Done():
				}
			}
			list()
		}()
	} else {
		list()
	}
	receive(s, after(listed, greets))
	return s
}

// offers reports whether the server has an operation as a tool.
func (o *Options) offers(op app.Operation) bool {
	return op.Tool != "" && (!o.ToolsOnly || followsRuns[op.Tool]) && (!op.Debug || o.DebugTools)
}

// complete gives the options that are not set their defaults.
func (o *Options) complete() {
	if o.Name == "" {
		o.Name, o.Title = ownName, "Patchbay"
	}
	if o.Logger == nil {
		o.Logger = slog.New(slog.DiscardHandler)
	}
	o.Wait = cmp.Or(o.Wait, request.DefaultWait)
	o.TaskAfter = cmp.Or(o.TaskAfter, defaultTaskAfter)
}

// receive has the server's messages pass through what answers or changes them, from the last
// that is added to the first.
func (o *Options) receive(s *mcp.Server, pb *app.App, g *gateway, offered *mcp.ServerCapabilities) {
	page, shown := appPage(o.App), o.App != nil && !o.ToolsOnly
	receive(s, limiter{g}.lists, onDemand(pb))
	if shown {
		receive(s, page.lists)
	}
	receive(s, g.handle)
	receive(s, limiter{g}.requests)
	t := taskMethods{pb, o.TaskAfter}
	t.offer(s)
	if !o.ToolsOnly {
		skillMethods{pb}.offer(s)
	}
	receive(s, coded, declared(offered))
	receive(s, readers(pb, *o), asClient(*o, t), reporting(pb), recovering(o.Logger), inTrace)
	if o.Loaded != nil {
		receive(s, after(o.Loaded, o.atOnce(pb)))
	}
	if o.FirstRequest != nil {
		receive(s, first(o.FirstRequest))
	}
	if o.Metrics != nil {
		receive(s, o.Metrics.middleware)
		o.Metrics.redact = o.Redact
	}
	mask := masker(o.Redact) // last, so that nothing answers behind it
	receive(s, mask.replies)
	s.AddSendingMiddleware(step(mask.requests).around, step(initialized).around)
	if shown {
		receive(s, page.read)
	}
}

// A step answers a message, or changes it or what next has answered.
type step func(ctx context.Context, method string, req mcp.Request, next mcp.MethodHandler) (mcp.Result, error)

// around is the step around what follows it.
func (f step) around(next mcp.MethodHandler) mcp.MethodHandler {
	return func(ctx context.Context, method string, req mcp.Request) (mcp.Result, error) {
		return f(ctx, method, req, next)
	}
}

// receive has what a server receives pass through steps, the first of them first.
func receive(s *mcp.Server, steps ...step) {
	for _, f := range slices.Backward(steps) {
		s.AddReceivingMiddleware(f.around)
	}
}

// initialized drops the notification of a changed list to a session that is not initialized: its
// client has no list yet. One that goes to a subscription has its ID in _meta.
func initialized(ctx context.Context, method string, req mcp.Request, next mcp.MethodHandler) (mcp.Result, error) {
	session, ok := req.GetSession().(*mcp.ServerSession)
	if ok && strings.HasSuffix(method, "/list_changed") && session.InitializeParams() == nil && len(req.GetParams().GetMeta()) == 0 {
		return nil, nil //nolint:nilnil // a notification has no result
	}
	return next(ctx, method, req)
}

// after lets requests wait for what is loaded at the start, but for those that need nothing
// of it, so that a client is greeted before.
func after(loaded <-chan struct{}, atOnce func(method string) bool) step {
	return func(ctx context.Context, method string, req mcp.Request, next mcp.MethodHandler) (mcp.Result, error) {
		select {
		case <-loaded:
			return next(ctx, method, req)
		default:
		}
		if !atOnce(method) {
			select {
			case <-loaded:
			case <-ctx.Done():
				return nil, ctx.Err()
			}
		}
		return next(ctx, method, req)
	}
}

// atOnce reports whether the answer to a method needs nothing of the servers.
func (o *Options) atOnce(pb *app.App) func(method string) bool {
	passes := o.Expose != nil
	return func(method string) bool {
		return greets(method) || method == "tools/list" && !passes && pb.ListsAtOnce()
	}
}

// first calls f once, before the first request with which a client uses the server: those that
// look whether a server works only open a session or list what there is.
func first(f func()) step {
	var once sync.Once
	return func(ctx context.Context, method string, req mcp.Request, next mcp.MethodHandler) (mcp.Result, error) {
		if !greets(method) && !strings.HasSuffix(method, "/list") {
			once.Do(f)
		}
		return next(ctx, method, req)
	}
}

// greets reports whether a message opens a session or keeps it, and needs nothing of the
// catalog.
func greets(method string) bool {
	switch method {
	case "initialize", "server/discover", "ping", "logging/setLevel", "subscriptions/listen":
		return true
	}
	return strings.HasPrefix(method, "notifications/")
}

// recovering turns a panic in a handler into one failed request.
func recovering(log *slog.Logger) step {
	return func(ctx context.Context, method string, req mcp.Request, next mcp.MethodHandler) (res mcp.Result, err error) {
		defer func() {
			if p := recover(); p != nil {
				log.Error("a handler panicked", "method", method, "panic", fmt.Sprint(p), "stack", string(debug.Stack()))
				res, err = nil, errors.New("internal error: the request failed; the server keeps running")
			}
		}()
		return next(ctx, method, req)
	}
}

// ownName is the name of the program, and of the server, unless [Options] say another.
const ownName = "patchbay"

// instructions is what a client reads when a session begins. Replies name commands of
// patchbay: a program of another name with the same commands says so here.
func instructions(pb *app.App, o *Options) string {
	text := o.Instructions
	if text == "" && !o.ToolsOnly {
		text = idioms.Instructions()
		if cfg := pb.Config(); cfg != nil && len(pb.Status()) == 0 {
			text += fmt.Sprintf("\nNo MCP server is configured, so no node calls a tool yet. A person adds one with: patchbay mcp add --config %s NAME -- COMMAND, and restarts this server.", cmp.Or(cfg.File, "~/.config/patchbay/patchbay.yaml"))
		}
	}
	if o.Program == "" || o.Program == ownName {
		return text
	}
	if text != "" {
		text += "\n"
	}
	return text + fmt.Sprintf("The program of this server is %s: a person types that where a reply has a command of %s.", o.Program, ownName)
}
