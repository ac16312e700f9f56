package cli

import (
	"github.com/spf13/cobra"

	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/graphql"
	"github.com/patchbay-mcp/patchbay/internal/apis"
	"github.com/patchbay-mcp/patchbay/internal/egress"
)

// graphqlCommand serves a GraphQL API as an MCP server.
func graphqlCommand(f *flags) *cobra.Command {
	var a apiFlags
	var o graphql.Options
	c := &cobra.Command{
		Use: "graphql SOURCE", Short: "Serve a GraphQL API as an MCP server over stdio",
		Long: "Serve a GraphQL API as an MCP server over stdio: one tool for each query. SOURCE is a file of SDL, a glob of such files, an introspection result as JSON, the URL of either, or the URL of a GraphQL endpoint. " +
			"To use the API in graphs, write it under graphql in patchbay.yaml instead.",
		Example: "  patchbay graphql https://api.example.com/graphql -H 'Authorization: Bearer ${TOKEN}'\n" +
			"  patchbay graphql schema.graphql --endpoint https://api.example.com/graphql\n" +
			"  patchbay graphql schema.graphql --mutations 'create*' --print",
		RunE: func(cmd *cobra.Command, args []string) error {
			o.Source = args[0]
			var err error
			if o.Headers, err = a.headerMap(f); err != nil {
				return err
			}
			if o.Endpoint == "" && !apis.IsURL(o.Source) && !a.print {
				return &diag.Fault{Code: "usage", Path: "--endpoint", Message: "a schema alone does not say where operations are sent", Hint: "add --endpoint URL, or --print to list the tools"}
			}
			if len(o.Mutations) == 1 && o.Mutations[0] == "all" {
				o.Mutations = []string{"*"}
			}
			requests := egress.New(nil)
			defer requests.Close()
			o.Transport, o.Note = requests.APITransport(o.Source, o.Endpoint), noted(cmd)
			tools, err := graphql.Tools(cmd.Context(), o)
			if err != nil {
				return apiFault(err)
			}
			list := make([]apiTool, len(tools))
			for i := range tools {
				t := &tools[i]
				list[i] = newAPITool(t.Tool, t.Handler, t.Document)
			}
			return f.serveAPI(cmd, &a, apiName(o.Source), list)
		},
	}
	p := c.Flags()
	p.StringVar(&o.Endpoint, "endpoint", "", "`URL` that operations are sent to; by default SOURCE, if it is an endpoint")
	p.StringSliceVar(&o.Mutations, "mutations", nil, "`NAMES` or globs of the mutations that become tools, or all (default: none)")
	p.StringSliceVar(&o.Include, "include", nil, "`NAMES` or globs of the queries and mutations that become tools (default: all)")
	p.StringSliceVar(&o.Exclude, "exclude", nil, "`NAMES` or globs of those that do not")
	p.IntVar(&o.Depth, "depth", graphql.DefaultDepth, "`LEVELS` of objects in what is selected")
	p.StringVar(&o.Prefix, "prefix", "", "`PREFIX` of the tools' names")
	p.BoolVar(&o.Deprecated, "deprecated", false, "include what is deprecated")
	a.add(p)
	return c
}
