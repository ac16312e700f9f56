package mcpserver

import (
	"context"
	"io"
	"net/http"
	"slices"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/patchbay-mcp/patchbay/mcpserver/stdio"
)

// eras are the protocols that every feature is tested in: two of those with sessions, and
// the one without.
var eras = []string{"2025-06-18", "2025-11-25", "2026-07-28"}

// An eraClient is a client of the SDK at a Patchbay.
type eraClient struct {
	*mcp.ClientSession
	version   string
	transport string // stdio or http
	shop      *shop

	changed  chan string // which list has changed
	updated  chan string // the URI of a resource that has changed
	progress chan *mcp.ProgressNotificationParams
	asked    chan *mcp.ElicitParams
	answer   map[string]any // to every question
	acks     chan *mcp.NotificationSubscriptions
}

// eachEra runs a test over both transports, in every protocol.
func eachEra(t *testing.T, o options, forms bool, test func(t *testing.T, c *eraClient)) {
	t.Helper()
	for _, transport := range []string{"stdio", "http"} {
		for _, version := range eras {
			t.Run(transport+" "+version, func(t *testing.T) {
				test(t, dialEra(t, o, transport, version, forms))
			})
		}
	}
}

func dialEra(t *testing.T, o options, transport, version string, forms bool) *eraClient {
	t.Helper()
	c := &eraClient{
		version: version, transport: transport, changed: make(chan string, 100), updated: make(chan string, 100),
		progress: make(chan *mcp.ProgressNotificationParams, 100), asked: make(chan *mcp.ElicitParams, 100), acks: make(chan *mcp.NotificationSubscriptions, 100),
	}
	options := &mcp.ClientOptions{
		Capabilities:                &mcp.ClientCapabilities{},
		ToolListChangedHandler:      func(context.Context, *mcp.ToolListChangedRequest) { c.changed <- "tools" },
		ResourceUpdatedHandler:      func(_ context.Context, r *mcp.ResourceUpdatedNotificationRequest) { c.updated <- r.Params.URI },
		ProgressNotificationHandler: func(_ context.Context, r *mcp.ProgressNotificationClientRequest) { c.progress <- r.Params },
	}
	if forms {
		options.ElicitationHandler = func(_ context.Context, r *mcp.ElicitRequest) (*mcp.ElicitResult, error) {
			c.asked <- r.Params
			return &mcp.ElicitResult{Action: "accept", Content: c.answer}, nil
		}
	}
	client := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, options)
	client.AddReceivingMiddleware(func(next mcp.MethodHandler) mcp.MethodHandler {
		return func(ctx context.Context, method string, req mcp.Request) (mcp.Result, error) {
			if p, ok := req.GetParams().(*mcp.SubscriptionsAcknowledgedParams); ok {
				c.acks <- &p.Notifications
			}
			return next(ctx, method, req)
		}
	})
	var dialled mcp.Transport
	if transport == "http" {
		url, s := listenWith(t, o)
		c.shop = s
		connections := &http.Transport{}
		t.Cleanup(connections.CloseIdleConnections)
		dialled = &mcp.StreamableClientTransport{Endpoint: url, HTTPClient: &http.Client{Transport: connections}}
	} else {
		server, s := newServer(t, o)
		c.shop = s
		serverIn, out := io.Pipe()
		in, serverOut := io.Pipe()
		session, err := server.Connect(context.Background(), stdio.New(serverIn, serverOut), nil)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() {
			_ = out.Close()
			_ = session.Wait()
			_ = serverOut.Close()
		})
		dialled = &mcp.IOTransport{Reader: in, Writer: out}
	}
	session, err := client.Connect(t.Context(), dialled, &mcp.ClientSessionOptions{ProtocolVersion: version})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = session.Close() })
	if got := session.InitializeResult().ProtocolVersion; got != version {
		t.Fatalf("the session speaks %s", got)
	}
	c.ClientSession = session
	return c
}

// awaitSubscription returns when the server has taken a subscription, to the list of tools if
// uri is "": the SDK's client does not wait for that in the protocol without sessions.
func (c *eraClient) awaitSubscription(uri string) {
	for c.modern() {
		if n := <-c.acks; uri == "" && n.ToolsListChanged || slices.Contains(n.ResourceSubscriptions, uri) {
			return
		}
	}
}

// modern reports whether the protocol is that without sessions.
func (c *eraClient) modern() bool { return c.version >= multiRoundTrip }

// tool calls a tool that must not fail, and returns its text.
func (c *eraClient) tool(t *testing.T, name, arguments string) string {
	t.Helper()
	r, err := c.CallTool(t.Context(), &mcp.CallToolParams{Name: name, Arguments: raw(arguments)})
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	text := r.Content[0].(*mcp.TextContent).Text
	if r.IsError {
		t.Fatalf("%s: %s", name, text)
	}
	return text
}
