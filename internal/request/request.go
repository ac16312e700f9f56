// Package request has who an operation is done for: its actor, the client that waits, its
// rights, and who hears of runs.
package request

import (
	"context"
	"time"

	"github.com/patchbay-mcp/patchbay/internal/execution/runs"
	"github.com/patchbay-mcp/patchbay/internal/policy/access"
	"github.com/patchbay-mcp/patchbay/internal/servers/transport"
	"github.com/patchbay-mcp/patchbay/run"
)

type actorKey struct{}

// Local is the actor of a call without a token: an agent of the user of the loopback interface.
var Local = run.Actor{Principal: "local"}

// DefaultWait is shorter than the minute that most clients wait for a reply.
const DefaultWait = 45 * time.Second

// WithActor says who a call is made for: drafts and runs belong to its principal. A
// call without a named principal is that of the principal "", who is not an operator.
func WithActor(ctx context.Context, a run.Actor) context.Context {
	return context.WithValue(ctx, actorKey{}, a)
}

// ActorFrom returns who an operation is done for, as [WithActor] says.
func ActorFrom(ctx context.Context) run.Actor {
	a, _ := ctx.Value(actorKey{}).(run.Actor)
	return a
}

// A Client is who waits for a run.
type Client = runs.Client

// A Disconnect says what happens to a run when the session of its client ends.
type Disconnect = runs.Disconnect

type (
	clientKey struct{}
	sinceKey  struct{}
)

// WithClient says who waits for the runs that operations start or resume. A run that
// takes longer than the client waits continues, and the result has the status running.
// Without a client, an operation returns when the run has stopped.
func WithClient(ctx context.Context, c Client) context.Context {
	return context.WithValue(context.WithValue(ctx, clientKey{}, c), sinceKey{}, time.Now())
}

// Peer is the client of an operation, as [WithClient] says.
func Peer(ctx context.Context) Client {
	c, _ := ctx.Value(clientKey{}).(Client)
	return c
}

// Remaining is what is left of the time that a client waits: what its graph waited for
// servers before the run began counts.
func Remaining(ctx context.Context, wait time.Duration) time.Duration {
	since, ok := ctx.Value(sinceKey{}).(time.Time)
	if took := time.Since(since); ok && wait > 0 && took > time.Second {
		return max(wait-took, time.Millisecond)
	}
	return wait
}

// ClientFrom is who waits for a run. The events are heard by onEvent, or if it is nil by
// the listener.
func ClientFrom(ctx context.Context, onEvent func(run.Event)) Client {
	c := Peer(ctx)
	if c.OnEvent = onEvent; onEvent == nil {
		c.OnEvent = ListenerFrom(ctx).OnEvent
	}
	c.Wait = Remaining(ctx, c.Wait)
	return c
}

// ClientName tells workflows who makes a request, as [WithClientID] says.
func ClientName(ctx context.Context) string {
	id, _ := ClientID(ctx)
	return id
}

type operatorKey struct{}

// ForOperator returns a context whose operations see hidden tools, whatever the rights of
// their principal: those of the operator's documents and of saved graphs. Whether the
// principal may use such a graph is decided before.
func ForOperator(ctx context.Context) context.Context {
	return context.WithValue(ctx, operatorKey{}, true)
}

// IsForOperator reports whether a context is that of [ForOperator].
func IsForOperator(ctx context.Context) bool { return ctx.Value(operatorKey{}) != nil }

type rightsKey struct{}

// WithRights says which tools and graphs the principal may use that operations are done
// for. What it may not use is not there for it. Rights without limits change nothing.
func WithRights(ctx context.Context, r *access.Rights) context.Context {
	if r == nil || !r.IsLimited() {
		return ctx
	}
	return context.WithValue(ctx, rightsKey{}, r)
}

// RightsFrom are the limited rights of a principal, nil if it may use everything.
func RightsFrom(ctx context.Context) *access.Rights {
	if ctx == nil || IsForOperator(ctx) {
		return nil
	}
	return GivenRights(ctx)
}

// GivenRights are those of the principal also in what is compiled for the operator.
func GivenRights(ctx context.Context) *access.Rights {
	r, _ := ctx.Value(rightsKey{}).(*access.Rights)
	return r
}

// SeesServer reports whether a principal may know that a server is configured.
func SeesServer(ctx context.Context, server string) bool {
	r := RightsFrom(ctx)
	return r == nil || r.Server(server)
}

// A CallProgress is what a server reports about a call of a run before it replies.
type CallProgress struct {
	Key string // of the call within its run: the step's key and "/call"
	transport.Progress
}

// A Listener hears of the runs that operations start or resume, from branches and
// runs at the same time, also when the operation has returned and its run continues.
type Listener struct {
	OnEvent    func(run.Event)    // as nodes start and end, unless the input of the operation has its own
	OnProgress func(CallProgress) // as calls make progress
}

type listenerKey struct{}

// WithListener says who hears of runs.
func WithListener(ctx context.Context, l Listener) context.Context {
	return context.WithValue(ctx, listenerKey{}, l)
}

// ListenerFrom returns who hears of the runs of an operation, as [WithListener] says.
func ListenerFrom(ctx context.Context) Listener {
	l, _ := ctx.Value(listenerKey{}).(Listener)
	return l
}

// Heard passes on the progress of a call to who hears of its run.
func Heard(ctx context.Context, key string) context.Context {
	hear := ListenerFrom(ctx).OnProgress
	if hear == nil {
		return ctx
	}
	return transport.WithProgress(ctx, func(p transport.Progress) { hear(CallProgress{key, p}) })
}

type clientIDKey struct{}

// WithClientID says which client operations are done for: its authenticated principal, or
// the name that it gives itself. Hidden tools are hidden from clients only.
func WithClientID(ctx context.Context, id string) context.Context {
	return context.WithValue(ctx, clientIDKey{}, id)
}

// ClientID is the client that an operation is done for; ok is false if it is done for
// the operator.
func ClientID(ctx context.Context) (id string, ok bool) {
	id, ok = ctx.Value(clientIDKey{}).(string)
	return id, ok
}
