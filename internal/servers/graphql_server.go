package servers

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strconv"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/patchbay-mcp/patchbay/graphql"
	"github.com/patchbay-mcp/patchbay/internal/config"
	"github.com/patchbay-mcp/patchbay/internal/servers/apis"
	"github.com/patchbay-mcp/patchbay/internal/servers/egress"
)

// graphqlServer says what GraphQL APIs are made of, headers apart, because those may be
// secrets, and how their tools are added to a server. Requests leave through egress, to the
// URLs of the APIs only.
func graphqlServer(s config.Server, policy egress.Policy, requests *egress.Client) (source string, headers map[string]string, register apiRegister) {
	headers = map[string]string{}
	var urls []string
	made := slices.Clone(s.GraphQL)
	for i := range made {
		urls = append(urls, made[i].Source, made[i].Endpoint)
		for name, value := range made[i].Headers {
			headers[strconv.Itoa(i)+"."+name] = value
		}
		made[i].Headers = nil
	}
	encoded, _ := json.Marshal(made)
	return string(encoded), headers, func(ctx context.Context, server *mcp.Server, note func(string)) error {
		own := slices.Clone(s.GraphQL)
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
