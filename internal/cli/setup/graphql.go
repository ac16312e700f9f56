package setup

import (
	"cmp"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/patchbay-mcp/patchbay/graphql"
	"github.com/patchbay-mcp/patchbay/internal/cli/command"
	"github.com/patchbay-mcp/patchbay/internal/servers/apis"
	"github.com/patchbay-mcp/patchbay/internal/servers/egress"
)

// GraphQLCommand serves a GraphQL API as an MCP server.
func GraphQLCommand(f *command.Flags) *cobra.Command {
	var a apiFlags
	var o graphql.Options
	var endpoints []string
	c := &cobra.Command{
		Use: "graphql SOURCE…", Short: "Serve GraphQL APIs as an MCP server",
		Long: "Serve GraphQL APIs as an MCP server, over stdio or with --http: one tool for each query. SOURCE is a file of SDL, a glob of such files, an introspection result as JSON, the URL of either, or the URL of a GraphQL endpoint. " +
			"To use the API in graphs, write it under graphql in patchbay.yaml instead.",
		Example: "  patchbay graphql https://api.example.com/graphql -H 'Authorization: Bearer ${TOKEN}'\n" +
			"  patchbay graphql schema.graphql --endpoint https://api.example.com/graphql\n" +
			"  patchbay graphql https://a.example.com/graphql https://b.example.com/graphql --http 127.0.0.1:8080\n" +
			"  patchbay graphql schema.graphql --mutations 'create*' --print",
		RunE: func(cmd *cobra.Command, args []string) error {
			var err error
			if o.Headers, err = a.headerMap(f); err != nil {
				return err
			}
			if len(o.Mutations) == 1 && o.Mutations[0] == "all" {
				o.Mutations = []string{"*"}
			}
			sources, err := a.sources(o, args, endpoints)
			if err != nil {
				return err
			}
			requests := egress.New(nil)
			defer requests.Close()
			for i := range sources {
				sources[i].Transport, sources[i].Note = requests.APITransport(sources[i].Source, sources[i].Endpoint), noted(cmd)
			}
			tools, err := graphql.Tools(cmd.Context(), sources...)
			if err != nil {
				return apiFault(err)
			}
			list := make([]apiTool, len(tools))
			for i := range tools {
				t := &tools[i]
				list[i] = newAPITool(t.Tool, t.Handler, t.Document)
			}
			return serveAPI(f, cmd, &a, apiName(args[0]), list)
		},
	}
	p := c.Flags()
	p.StringArrayVar(&endpoints, "endpoint", nil, "`URL` that operations are sent to; by default SOURCE, if it is an endpoint. Of several SOURCES, each that is not a URL needs one, in their order")
	p.StringSliceVar(&o.Mutations, "mutations", nil, "`NAMES` or globs of the mutations that become tools, or all (default: none)")
	p.StringSliceVar(&o.Include, "include", nil, "`NAMES` or globs of the queries and mutations that become tools (default: all)")
	p.StringSliceVar(&o.Exclude, "exclude", nil, "`NAMES` or globs of those that do not")
	p.IntVar(&o.Depth, "depth", graphql.DefaultDepth, "`LEVELS` of objects in what is selected")
	p.StringVar(&o.Prefix, "prefix", "", "`PREFIX` of the tools' names")
	p.BoolVar(&o.PlainNames, "plain-names", false, "name tools as their fields: user instead of query_user")
	p.BoolVar(&o.Deprecated, "deprecated", false, "include what is deprecated")
	a.add(p)
	return c
}

// sources are the options of each SOURCE, with its endpoint. Headers may be secrets, so that
// they are for the APIs of one origin.
func (a *apiFlags) sources(o graphql.Options, args, endpoints []string) ([]graphql.Options, error) {
	list := make([]graphql.Options, len(args))
	left := endpoints
	for i, source := range args {
		list[i] = o
		list[i].Source = source
		if alone := len(args) == 1; len(left) > 0 && (alone || !apis.IsURL(source)) {
			list[i].Endpoint, left = left[0], left[1:]
		}
		to := func(i int) string { return cmp.Or(list[i].Endpoint, list[i].Source) }
		switch {
		case list[i].Endpoint == "" && !apis.IsURL(source) && !a.print:
			return nil, command.Misuse("--endpoint", "a schema alone does not say where operations are sent: "+source, "add --endpoint URL, or --print to list the tools")
		case len(o.Headers) > 0 && i > 0 && apis.IsURL(to(i)) && !apis.SameOrigin(to(0), to(i)):
			return nil, command.Misuse("--header", "the headers would be sent to several origins", "start a server for each API, or write the APIs with their headers in patchbay.yaml")
		}
	}
	if len(left) > 0 {
		return nil, command.Misuse("--endpoint", fmt.Sprintf("%d endpoints are given, and %d SOURCES need one", len(endpoints), len(endpoints)-len(left)), "give one for each SOURCE that is not a URL, in their order")
	}
	return list, nil
}
