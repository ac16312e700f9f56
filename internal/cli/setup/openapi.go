package setup

import (
	"fmt"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"github.com/patchbay-mcp/patchbay/internal/cli/command"
	"github.com/patchbay-mcp/patchbay/internal/config"
	"github.com/patchbay-mcp/patchbay/internal/secrets"
	"github.com/patchbay-mcp/patchbay/internal/servers/egress"
	"github.com/patchbay-mcp/patchbay/openapi"
)

// OpenAPICommand serves a REST API as an MCP server.
func OpenAPICommand(f *command.Flags) *cobra.Command {
	var a apiFlags
	var o openapi.Options
	var auth []string
	c := &cobra.Command{
		Use: "openapi SOURCE", Short: "Serve a REST API as an MCP server",
		Long: "Serve a REST API as an MCP server, over stdio or with --http: one tool for each operation of its OpenAPI document. SOURCE is a file or the URL of a document, OpenAPI 3.0 or 3.1 or Swagger 2.0, JSON or YAML. " +
			"To use the API in graphs, write it under openapi in patchbay.yaml instead.",
		Example: "  patchbay openapi https://api.example.com/openapi.json --auth 'bearerAuth=${TOKEN}'\n" +
			"  patchbay openapi openapi.yaml --url https://staging.example.com/v1\n" +
			"  patchbay openapi openapi.yaml --include tag:orders --print",
		RunE: func(cmd *cobra.Command, args []string) error {
			o.Source = args[0]
			var err error
			if o.Headers, err = a.headerMap(f); err != nil {
				return err
			}
			if o.Auth, err = credentials(f, auth); err != nil {
				return err
			}
			requests := egress.New(nil)
			defer requests.Close()
			reach := requests.APIReach(o.Source, o.URL)
			o.Transport, o.Reach, o.Note = reach, func(url string) { reach.Add(url) }, noted(cmd)
			tools, err := openapi.Tools(cmd.Context(), o)
			if err != nil {
				return apiFault(err)
			}
			list := make([]apiTool, len(tools))
			for i := range tools {
				t := &tools[i]
				list[i] = newAPITool(t.Tool, t.Handle, t.Method+" "+t.Path)
			}
			return serveAPI(f, cmd, &a, apiName(o.Source), list)
		},
	}
	p := c.Flags()
	p.StringVar(&o.URL, "url", "", "`URL` of the API, in place of the document's server")
	p.StringArrayVar(&auth, "auth", nil, "`SCHEME=TOKEN`, or SCHEME=USER:PASSWORD, of a security scheme of the document (repeatable)")
	p.StringSliceVar(&o.Include, "include", nil, "`OPERATIONS` that become tools: tag:NAME, GET, /path/**, 'GET /path/*' or an operationId (default: all)")
	p.StringSliceVar(&o.Exclude, "exclude", nil, "`OPERATIONS` that do not")
	p.StringSliceVar(&o.With, "with", nil, "status, headers: what results have in addition to the body")
	p.StringVar(&o.Prefix, "prefix", "", "`PREFIX` of the tools' names")
	p.BoolVar(&o.Deprecated, "deprecated", false, "include what is deprecated")
	a.add(p)
	return c
}

// credentials reads --auth, and hides the values in all that is printed. Whether a colon
// divides a name from a password depends on the scheme: both readings are given.
func credentials(f *command.Flags, lines []string) (map[string]openapi.Credential, error) {
	all := map[string]openapi.Credential{}
	for _, line := range lines {
		scheme, value, ok := strings.Cut(line, "=")
		if !ok || scheme == "" {
			return nil, command.Misuse("--auth", "--auth has no scheme", "write SCHEME=TOKEN, such as --auth 'bearerAuth=${TOKEN}'")
		}
		value, parts, err := config.Expand(value, "auth", os.LookupEnv)
		if err != nil {
			return nil, command.Misuse("--auth", fmt.Sprintf("auth %s: %v", scheme, err), "write ${VAR} or ${VAR:-default}; $${ is a literal ${")
		}
		c := openapi.Credential{Token: value}
		c.Username, c.Password, _ = strings.Cut(value, ":")
		all[scheme] = c
		hide(f, append(parts, secrets.Named("auth."+scheme, value, c.Password)...))
	}
	return all, nil
}
