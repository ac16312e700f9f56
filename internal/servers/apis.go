package servers

import (
	"context"
	"fmt"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/patchbay-mcp/patchbay/internal/config"
	"github.com/patchbay-mcp/patchbay/internal/servers/downstream"
	"github.com/patchbay-mcp/patchbay/internal/servers/egress"
	"github.com/patchbay-mcp/patchbay/internal/servers/tooldef"
)

// maxAPINotes is how many things are said of one API, such as fields that were left out.
const maxAPINotes = 10

// apiServers say, for each kind of API, what its servers are made of, secrets apart, and how
// their tools are added.
var apiServers = map[config.Transport]func(config.Server, egress.Policy, *egress.Client) (source string, hidden map[string]string, register apiRegister){
	config.GraphQL: graphqlServer,
	config.OpenAPI: openapiServer,
}

// An apiRegister adds the tools of a configured API to a server.
type apiRegister func(ctx context.Context, server *mcp.Server, note func(string)) error

// WithAPI makes d the server of a configured API, if s is one.
func WithAPI(d downstream.Server, s config.Server, cfg *config.Config, requests *egress.Client, version string) downstream.Server {
	made := apiServers[s.Transport]
	if made == nil {
		return d
	}
	var register apiRegister
	d.Generated = true
	d.Source, d.Headers, register = made(s, cfg.Egress, requests)
	d.Transport = ""
	d.Trust = tooldef.TrustAuto // the operator named the API: a changed schema is meant
	d.Load = func(ctx context.Context) (*mcp.Server, []string, error) {
		if fault := cfg.Beside.Fault(); fault != nil { // files may have changed since the configuration was read
			return nil, nil, fault
		}
		server := mcp.NewServer(&mcp.Implementation{Name: s.Name, Version: version}, nil)
		notes := apiNotes{}
		err := register(ctx, server, notes.add)
		return server, notes.list(), err
	}
	return d
}

// apiNotes gathers what is said of one API.
type apiNotes struct {
	first []string
	more  int
}

func (n *apiNotes) add(text string) {
	if len(n.first) == maxAPINotes {
		n.more++
		return
	}
	n.first = append(n.first, text)
}

func (n *apiNotes) list() []string {
	if n.more > 0 {
		return append(n.first, fmt.Sprintf("and %d more", n.more))
	}
	return n.first
}
