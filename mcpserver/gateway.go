package mcpserver

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/patchbay-mcp/patchbay/internal/app"
	"github.com/patchbay-mcp/patchbay/internal/servers"
	"github.com/patchbay-mcp/patchbay/internal/servers/listing"
	"github.com/patchbay-mcp/patchbay/schema"
)

// A gateway passes what downstream servers offer through to clients, as bytes: the
// SDK's server knows what there is, for its lists, its pages and the notifications of
// changes; definitions and results are those of the downstream servers.
type gateway struct {
	server *mcp.Server
	pb     *app.App
	expose servers.Expose
	log    *slog.Logger
	mask   masker

	table   atomic.Pointer[routes]
	passes  bool // anything passes through
	parked  parkedCalls
	lowest  lowest
	syncing sync.Mutex
	told    map[string]bool // what was logged as left out
}

// routes say what passes through, by the name or URI that clients see. They are not
// changed.
type routes struct {
	tools     map[string]*route
	prompts   map[string]*route
	resources map[string]*route // by URI
	templates map[string]*route // by URI template
	order     []*route          // of templates, those of the first server first
	schemes   map[string]*route // by the scheme of what somebody lists
	hidden    bool              // there are more tools than are listed
	left      []string          // what is left out, and why
	noted     []string          // what clients do not accept of what is listed
	own       map[string]bool   // the names of Patchbay's tools and of published graphs
}

// A route leads to what one server offers.
type route struct {
	server, name string          // of resources the URI, of templates the URI template
	listed       json.RawMessage // the definition, under the name that clients see
	version      string          // differs when the definition does
}

// start lets what servers offer pass through s, and follows it; nothing without
// [Options.Expose].
func (g *gateway) start(s *mcp.Server, pb *app.App, o Options) {
	g.server, g.pb, g.log, g.mask, g.told, g.parked.states = s, pb, o.Logger, o.Redact, map[string]bool{}, newStates()
	g.table.Store(&routes{})
	if o.Expose == nil {
		return
	}
	g.expose, g.passes = *o.Expose, true
	if o.ToolsOnly {
		g.expose.Threshold = 0 // there would be no other way to the tools
	}
	pb.Host(g)
	pb.OnOffer(g.sync)
	pb.OnPublished(g.sync)
	g.sync()
}

// sync makes what the server lists equal to what the servers offer.
func (g *gateway) sync() {
	g.syncing.Lock()
	defer g.syncing.Unlock()
	before, now := g.table.Load(), g.route()
	g.table.Store(now)
	for what, list := range map[string][]string{leftOut: now.left, rewritten: now.noted} {
		for _, one := range list {
			if !g.told[one] {
				g.told[one] = true
				g.log.Warn(what + one)
			}
		}
	}
	listedBefore, listed := before.tools, now.tools
	if before.hidden {
		listedBefore = nil
	}
	if now.hidden {
		listed = nil
	}
	noResource := func(_ context.Context, r *mcp.ReadResourceRequest) (*mcp.ReadResourceResult, error) {
		return nil, mcp.ResourceNotFoundError(r.Params.URI)
	}
	replace(listedBefore, listed, g.server.RemoveTools, func(name string) {
		g.register(name, listed[name].listed)
	})
	replace(before.prompts, now.prompts, g.server.RemovePrompts, func(name string) {
		g.server.AddPrompt(&mcp.Prompt{Name: name}, func(context.Context, *mcp.GetPromptRequest) (*mcp.GetPromptResult, error) {
			return nil, errors.New("the prompt is gone")
		})
	})
	replace(before.resources, now.resources, g.server.RemoveResources, func(uri string) {
		g.server.AddResource(&mcp.Resource{URI: uri, Name: uri}, noResource)
	})
	replace(before.templates, now.templates, g.server.RemoveResourceTemplates, func(uri string) {
		g.server.AddResourceTemplate(&mcp.ResourceTemplate{URITemplate: uri, Name: uri}, noResource)
	})
}

// replace removes what is no longer there and adds what is new or has changed.
func replace(before, now map[string]*route, remove func(...string), add func(string)) {
	var gone []string
	for name := range before {
		if now[name] == nil {
			gone = append(gone, name)
		}
	}
	if len(gone) > 0 {
		remove(gone...)
	}
	for _, name := range slices.Sorted(maps.Keys(now)) {
		if was := before[name]; was == nil || was.version != now[name].version {
			add(name)
		}
	}
}

// route finds what passes through. A name that is taken stays with who has it: the
// tools of Patchbay and saved graphs, then the server first in the configuration.
func (g *gateway) route() *routes {
	t := &routes{tools: map[string]*route{}, prompts: map[string]*route{}, resources: map[string]*route{}, templates: map[string]*route{}, schemes: map[string]*route{}, own: g.own()}
	for _, o := range g.pb.Offers(g.expose) {
		for _, tool := range o.Tools {
			switch taken := t.tools[tool.Name]; {
			case t.own[tool.Name]:
				t.leave("tool", tool.Name, o.Server, "Patchbay or a saved graph has a tool of this name")
			case taken != nil:
				t.leave("tool", tool.Name, o.Server, taken.server+" has a tool of this name")
			case tool.Problem != nil:
				t.leave("tool", tool.Name, o.Server, tool.Problem.Error())
			default:
				t.tools[tool.Name] = &route{o.Server, tool.Tool, tool.Definition, string(tool.Definition)}
				t.note("tool", tool.Name, o.Server, tool.Notes)
			}
		}
		t.add(listing.Prompt, t.prompts, o.Server, o.Prompts, o.Prefix, true)
		t.add(listing.Resource, t.resources, o.Server, o.Resources, o.Prefix, false)
		before := len(t.templates)
		t.add(listing.Template, t.templates, o.Server, o.Templates, o.Prefix, false)
		if len(t.templates) > before {
			for _, l := range o.Templates {
				if r := t.templates[l.ID]; r != nil && r.server == o.Server {
					t.order = append(t.order, r)
				}
			}
		}
	}
	t.hidden = g.expose.Threshold > 0 && len(t.tools) > g.expose.Threshold
	return t
}

// own are the names of Patchbay's tools and of published graphs.
func (g *gateway) own() map[string]bool {
	names := map[string]bool{}
	for _, o := range app.Operations() {
		names[o.Tool] = true
	}
	for _, t := range g.pb.GraphTools.List() {
		names[t.Name] = true
	}
	return names
}

// add routes a list of one server. What is named by its ID is found by the prefixed
// name, anything else by its ID.
func (t *routes) add(what string, to map[string]*route, server string, list []servers.Listed, prefix string, named bool) {
	for _, l := range list {
		id := l.ID
		if named {
			id = prefix + id
		}
		def, notes, err := listing.Item(what, l.Raw, prefix+l.Name)
		switch {
		case to[id] != nil:
			t.leave(what, id, server, to[id].server+" has one of this name")
		case err != nil:
			t.leave(what, id, server, err.Error())
		case !registers(what, id):
			t.leave(what, id, server, "its URI cannot be read")
		default:
			r := &route{server, l.ID, def, string(def)}
			to[id] = r
			t.note(what, id, server, notes)
			if scheme, _, ok := strings.Cut(l.ID, ":"); ok && !named && t.schemes[scheme] == nil {
				t.schemes[scheme] = r
			}
		}
	}
}

func (t *routes) leave(what, name, server, why string) {
	t.left = append(t.left, fmt.Sprintf("%s %q of server %q: %s", what, name, server, why))
}

// maxNoted is how much is said of one definition.
const maxNoted = 3

// note says what clients do not accept of a definition that is listed.
func (t *routes) note(what, name, server string, notes []string) {
	if more := len(notes) - maxNoted; more > 0 {
		notes = append(notes[:maxNoted:maxNoted], fmt.Sprintf("and %d more", more))
	}
	if len(notes) > 0 {
		t.noted = append(t.noted, fmt.Sprintf("%s %q of server %q: %s", what, name, server, strings.Join(notes, "; ")))
	}
}

// What is said of a gateway begins with these.
const leftOut, rewritten = "left out of the gateway: ", "listed in another form than its server does: "

// registers reports whether the SDK's server takes what has this ID.
func registers(what, id string) (ok bool) {
	defer func() {
		if recover() != nil {
			ok = false
		}
	}()
	s := mcp.NewServer(&mcp.Implementation{Name: "check"}, nil)
	switch what {
	case listing.Resource:
		s.AddResource(&mcp.Resource{URI: id}, nil)
	case listing.Template:
		s.AddResourceTemplate(&mcp.ResourceTemplate{URITemplate: id}, nil)
	}
	return true
}

// Unlisted says what a gateway would leave out of what the servers offer now, and why; and what
// it would list in another form, since clients do not accept what the server says.
func Unlisted(pb *app.App, expose servers.Expose) (left, noted []string) {
	t := (&gateway{pb: pb, expose: expose}).route()
	return t.left, t.noted
}

// register makes a tool that passes through known to the SDK's server. That reads the
// schema of its arguments only to compare them with the Mcp-Param headers of a request,
// so any other tool has none there.
func (g *gateway) register(name string, definition json.RawMessage) {
	if bytes.Contains(definition, []byte(`"x-mcp-header"`)) && g.add(name, schema.Read(definition).Get("inputSchema").Raw()) {
		return
	}
	g.add(name, json.RawMessage(`{"type":"object"}`))
}

// add reports whether the SDK's server takes a tool: it panics if its schema names
// headers that cannot be.
func (g *gateway) add(name string, input json.RawMessage) (ok bool) {
	defer func() {
		if recover() != nil {
			ok = false
		}
	}()
	g.server.AddTool(&mcp.Tool{Name: name, InputSchema: input}, func(context.Context, *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		return nil, errors.New("the tool is gone")
	})
	return true
}
