package config

import (
	"github.com/patchbay-mcp/patchbay/graph"
	"github.com/patchbay-mcp/patchbay/graphql"
	"github.com/patchbay-mcp/patchbay/internal/servers/apis"
)

// graphqlKeys are the keys of a GraphQL API's entry.
var graphqlKeys = []Setting{
	{"source", "path, URL or text", "", "The schema: SDL in a file, in files by a glob or as text, an introspection result as JSON, the URL of either, or the URL of a GraphQL endpoint, which is introspected."},
	{"endpoint", "URL", "`source`, if it is a live endpoint", "Where operations are sent."},
	{"headers", "map of strings", "none", "HTTP headers of every request to the API, such as `Authorization`."},
	{"mutations", "`none`, `all` or list of names", "none", "The mutations that become tools, by name or glob. Their calls change data."},
	{"include", "list of names", "all", "Names or globs of the queries and mutations that become tools."},
	{"exclude", "list of names", "none", "Names or globs of those that do not, even if `include` names them."},
	{"depth", "integer, 1-10, or map", "3", "Levels of objects in what is selected. A map gives the depth of single fields by name, and `\"*\"` that of the others."},
	{"prefix", "string", "none", "Begins the names of the tools: `shop_query_user` for `shop`."},
	{"plainNames", "boolean", "false", "Whether the names of tools are those of their fields: `user` instead of `query_user`."},
	{"scalars", "map of JSON Schemas", "the known ones", "JSON Schemas of custom scalars by name, or the name of a JSON type."},
	{"deprecated", "boolean", "false", "Whether deprecated fields, arguments and enum values are included."},
	{"disabled", "boolean", "false", "Whether to leave the API out."},
}

// GraphQLSettings describes every key of a GraphQL API's entry.
func GraphQLSettings() []Setting { return graphqlKeys }

var graphqlKind = &apiKind{transport: GraphQL, keys: graphqlKeys, read: (*entryReader).graphql}

// graphql adds the options of one entry to the server.
func (r *entryReader) graphql() {
	if r.at.Is(graph.String) {
		r.s.GraphQL = append(r.s.GraphQL, graphql.Options{Source: r.apiSource(r.at)})
		r.graphqlSource(r.at, r.s.GraphQL[len(r.s.GraphQL)-1])
		return
	}
	o := graphql.Options{
		Source: r.apiSource(r.at.Get("source")), Endpoint: r.apiURL("endpoint"), Headers: r.pairs("headers"), Prefix: r.apiText("prefix"),
		Mutations: r.texts("mutations"), Include: r.texts("include"), Exclude: r.texts("exclude"),
		Scalars: r.apiSchemas("scalars"), Deprecated: r.flag("deprecated", false), PlainNames: r.flag("plainNames", false),
	}
	if len(o.Mutations) == 1 {
		switch o.Mutations[0] {
		case "none":
			o.Mutations = nil
		case "all":
			o.Mutations = []string{"*"}
		}
	}
	switch depth := r.at.Get("depth"); {
	case depth.Is(graph.Object):
		o.Depths = map[string]int{}
		for field, m := range depth.Members() {
			n := r.apiNumber(m, 1, graphql.MaxDepth)
			if field == "*" {
				o.Depth = n
				continue
			}
			o.Depths[field] = n
		}
	case given(depth):
		o.Depth = r.apiNumber(depth, 1, graphql.MaxDepth)
	}
	r.s.GraphQL = append(r.s.GraphQL, o)
	r.graphqlSource(r.at, o)
}

// graphqlSource reports an entry that does not say where the schema or the endpoint is.
func (r *entryReader) graphqlSource(at graph.Value, o graphql.Options) {
	switch {
	case r.s.Problem != nil || r.s.Disabled:
	case o.Source == "":
		r.fault(ruleServer, at, "add source: a schema, or the URL of the endpoint", "graphql %q has no source", r.s.Name)
	case o.Endpoint == "" && !apis.IsURL(o.Source):
		r.fault(ruleServer, at, "add endpoint: the URL that operations are sent to", "graphql %q has no endpoint", r.s.Name)
	}
}
