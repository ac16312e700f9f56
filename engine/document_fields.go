package engine

// DocumentFields describes the keys of a document with several tools.
func DocumentFields() []Field {
	return []Field{
		{Name: "version", Type: "string", Doc: `version of the format: "1.0"`},
		{Name: "server", Type: "object", Doc: "the document as a server: {name, version}"},
		{Name: "executionLimits", Type: "object", Doc: "bounds of each run: {maxNodeExecutions, maxExecutionTimeMs, maxResultBytes, maxTraceBytes}; the operator's stay the ceiling"},
		{Name: "mcpServers", Type: "object", Doc: "MCP servers of the document, by name: {command, args, env} or {url, headers}"},
		{Name: "tools", Type: "array", Required: true, Doc: "the graphs, each of which is a tool"},
		exposeField,
	}
}

// ToolFields describes the keys of a graph: of a tool of a document, or of a document that
// is one graph.
func ToolFields() []Field {
	return []Field{
		{Name: "name", Type: "string", Doc: "name of the tool"},
		{Name: "title", Type: "string", Doc: "name that people see"},
		{Name: "description", Type: "string", Doc: "what the tool does, for who calls it"},
		{Name: "inputSchema", Type: "object", Doc: "JSON Schema of the arguments: type object"},
		{Name: "outputSchema", Type: "object", Doc: "JSON Schema of the result"},
		{Name: "nodes", Type: "array", Required: true, Doc: "the nodes, from one entry to an exit"},
		{Name: "workflow", Type: "object", Doc: "around which calls the graph runs: {on, enabled, match, priority}"},
		exposeField,
	}
}

var exposeField = Field{Name: "expose", Type: "boolean", Doc: "whether the saved graph is an MCP tool by itself"}

func fieldNames(fields []Field) []string {
	names := make([]string, len(fields))
	for i, f := range fields {
		names[i] = f.Name
	}
	return names
}
