package engine

import "github.com/patchbay-mcp/patchbay/graph"

var documentAliases = map[string]string{
	"limits": "executionLimits", "servers": "mcpServers", "tool": "tools", "graphs": "tools", "workflows": "tools",
}

var toolAliases = map[string]string{
	"parameters": "inputSchema", "inputs": "inputSchema", "input": "inputSchema", "schema": "inputSchema", "args": "inputSchema", "arguments": "inputSchema",
	"outputs": "outputSchema", "output": "outputSchema", "returns": "outputSchema",
	"steps": "nodes", "graph": "nodes", "tasks": "nodes", "summary": "description",
}

// recoverTool reads the parts of the tool that are under other names.
func (p *Pass) recoverTool() {
	for _, key := range edgeKeys {
		p.suppressedKeys[key] = true
	}
	if p.tree.Bare() {
		for _, key := range documentKeys {
			p.suppressedKeys[key] = true
		}
	}
	t := *p.tool
	members := p.keysOf(t.Value, describe(p.tool), nil, toolKeys, toolAliases)
	t.Name, t.Title, t.Description = firstExisting(members["name"], t.Name), firstExisting(members["title"], t.Title), firstExisting(members["description"], t.Description)
	t.InputSchema, t.OutputSchema = firstExisting(members["inputSchema"], t.InputSchema), firstExisting(members["outputSchema"], t.OutputSchema)
	if list := members["nodes"]; list.Exists() && list != t.NodeList {
		t.NodeList, t.Nodes = list, graph.ReadNodes(list)
	}
	p.tool = &t
}
