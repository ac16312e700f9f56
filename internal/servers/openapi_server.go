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

	"github.com/patchbay-mcp/patchbay/internal/config"
	"github.com/patchbay-mcp/patchbay/internal/servers/apis"
	"github.com/patchbay-mcp/patchbay/internal/servers/egress"
	"github.com/patchbay-mcp/patchbay/openapi"
)

// openapiServer says what APIs with an OpenAPI document are made of, secrets apart, and how
// their tools are added to a server. Requests leave through egress, to the URLs of the
// configuration and to the servers that a document of the operator's own names.
func openapiServer(s config.Server, policy egress.Policy, requests *egress.Client) (source string, hidden map[string]string, register apiRegister) {
	hidden = map[string]string{}
	made := slices.Clone(s.OpenAPI)
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
		own := slices.Clone(s.OpenAPI)
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
