package servers

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/patchbay-mcp/patchbay/graphql"
	"github.com/patchbay-mcp/patchbay/internal/config"
	"github.com/patchbay-mcp/patchbay/internal/servers/apis"
	"github.com/patchbay-mcp/patchbay/internal/servers/downstream"
	"github.com/patchbay-mcp/patchbay/internal/servers/egress"
	"github.com/patchbay-mcp/patchbay/internal/servers/tooldef"
	"github.com/patchbay-mcp/patchbay/openapi"
)

// maxAPINotes is how many things are said of one API, such as fields that were left out.
const maxAPINotes = 10

// An apiRegister adds the tools of a configured API to a server.
type apiRegister func(ctx context.Context, server *mcp.Server, note func(string)) error

// WithAPI makes d the server of a configured API, if s is one.
func WithAPI(d downstream.Server, s config.Server, cfg *config.Config, requests *egress.Client, version string) downstream.Server {
	var register apiRegister
	switch s.Transport {
	case config.GraphQL:
		d.Generated = true
		d.Source, d.Headers, register = graphqlServer(s.GraphQL, cfg.Egress, requests)
	case config.OpenAPI:
		d.Generated = true
		d.Source, d.Headers, register = openapiServer(s.OpenAPI, cfg.Egress, requests)
	default:
		return d
	}
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

// graphqlServer says what GraphQL APIs are made of, headers apart, because those may be
// secrets, and how their tools are added to a server. Requests leave through egress, to the
// URLs of the APIs only.
func graphqlServer(options []graphql.Options, policy egress.Policy, requests *egress.Client) (source string, headers map[string]string, register apiRegister) {
	headers = map[string]string{}
	var urls []string
	made := slices.Clone(options)
	for i := range made {
		urls = append(urls, made[i].Source, made[i].Endpoint)
		for name, value := range made[i].Headers {
			headers[strconv.Itoa(i)+"."+name] = value
		}
		made[i].Headers = nil
	}
	encoded, _ := json.Marshal(made)
	return string(encoded), headers, func(ctx context.Context, server *mcp.Server, note func(string)) error {
		own := slices.Clone(options)
		for i := range own {
			own[i].Transport, own[i].Timeout, own[i].MaxBytes, own[i].Note = requests.APITransport(urls...), policy.Timeout, policy.MaxBytes, note
		}
		tools, err := graphql.Tools(ctx, own...)
		for _, t := range tools {
			err = errors.Join(err, apis.Add(server, t.Tool, t.Handler))
		}
		return err
	}
}

// openapiServer says what APIs with an OpenAPI document are made of, secrets apart, and how
// their tools are added to a server. Requests leave through egress, to the URLs of the
// configuration and to the servers that a document of the operator's own names.
func openapiServer(options []openapi.Options, policy egress.Policy, requests *egress.Client) (source string, hidden map[string]string, register apiRegister) {
	hidden = map[string]string{}
	made := slices.Clone(options)
	for i := range made {
		for name, value := range made[i].Headers {
			hidden[strconv.Itoa(i)+"."+name] = value
		}
		for name, c := range made[i].Auth {
			hidden[strconv.Itoa(i)+".auth."+name] = strings.Join(append([]string{c.Token, c.Username, c.Password, c.ClientID, c.ClientSecret, c.TokenURL, fmt.Sprint(c.Parameters)}, c.Scopes...), "\x00")
		}
		made[i].Headers, made[i].Auth = nil, nil
	}
	encoded, _ := json.Marshal(made)
	return string(encoded), hidden, func(ctx context.Context, server *mcp.Server, note func(string)) error {
		own := slices.Clone(options)
		for i := range own {
			reach := requests.APIReach(own[i].Source, own[i].URL)
			for _, c := range own[i].Auth {
				reach.Add(c.TokenURL)
			}
			own[i].Transport, own[i].Timeout, own[i].MaxBytes, own[i].Note = reach, policy.Timeout, policy.MaxBytes, note
			own[i].Reach = func(url string) { reach.Add(url) }
		}
		tools, err := openapi.Tools(ctx, own...)
		for i := range tools {
			err = errors.Join(err, apis.Add(server, tools[i].Tool, tools[i].Handle))
		}
		return err
	}
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
