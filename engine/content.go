package engine

import (
	"fmt"
	"slices"
	"strings"

	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/graph"
	"github.com/patchbay-mcp/patchbay/jsonata"
	"github.com/patchbay-mcp/patchbay/types"
)

var (
	ruleContentList = diag.Define("content-list", diag.Note,
		"A document calls a tool that declares no output schema and whose replies so far were lists. A reply with several content items is a list of all; mcpGraph takes the first. A reply with one JSON list is the same in both.")
	ruleMcpContent = diag.Define("mcp-content-path", diag.Warning,
		"An expression unwraps MCP's content list, and the tool declares no field content. A node's output is already unwrapped: structured content, or the JSON or text of the only content item.")
	ruleUnwrapped = diag.Define("already-unwrapped", diag.Error,
		"An expression reads a part of MCP's reply that the output of the node does not have, as the tool's output schema shows. A node's output is the structured content, or the JSON or text of the only content item.")
)

// outputWords are what authors write after a node's id to get its output, which is
// the value of the id itself.
var outputWords = []string{"output", "outputs", "result", "json", "data", "structuredContent"}

// contentForm says what a field called content is in the output of a node.
type contentForm int

const (
	noContent   contentForm = iota // unknown, or none
	textContent                    // a text
	listContent                    // a list, or something else of the tool's own
)

// isCall reports whether a node calls a downstream tool.
func (p *Pass) isCall(id string) bool {
	i := p.nodeIndex(id)
	return i != NoNode && p.nodes[i].Kind != nil && p.nodes[i].Kind.CallsTool
}

// nodeContent looks the field up in the output schema of the tool a node calls.
func (p *Pass) nodeContent(id string) contentForm {
	n := p.nodes[p.nodeIndex(id)]
	if p.env.Tools == nil {
		return noContent
	}
	tool, _ := p.env.Tools.Tool(n.Field("server").Text(), n.Field("tool").Text())
	if tool == nil || tool.Output == nil {
		return noContent
	}
	switch typ := tool.Output.Root().Property("content").Get("type"); {
	case typ == nil:
		return noContent
	case typ.Text() == "string":
		return textContent
	}
	return listContent
}

// checkContent reports MCP's envelope unpacked from an output that has none: the
// content list where the field content is the text itself, and words for the
// output as a whole.
func (p *Pass) checkContent(n *Node, v graph.Value, refs *jsonata.Refs) {
	for _, ref := range refs.Nodes {
		if len(ref.Path) == 0 || !p.isCall(ref.Node) {
			continue
		}
		message := ""
		start, end := ref.Path[0].End, 0
		switch first := ref.Path[0].Name; {
		case first == "content" && len(ref.Path) > 1 && ref.Path[1].Name == "text" && p.nodeContent(ref.Node) == textContent:
			end = ref.Path[1].End
			message = fmt.Sprintf("the content of %q is already the text", ref.Node)
		case slices.Contains(outputWords, first) && p.lacks(ref.Node, first):
			start, end = strings.LastIndexByte(v.Text()[:ref.Path[0].Start], '.'), ref.Path[0].End
			message = fmt.Sprintf("the output of %q has no %q: it is the value of the id itself", ref.Node, first)
		}
		if start < 0 || end <= start {
			continue
		}
		remove := "remove " + v.Text()[start:end]
		p.reportAt(ruleUnwrapped, v, v.Within(start, end), n, "%s", message).
			WithFix(remove, v.ReplaceText(remove, diag.TextEdit{Start: start, End: end}))
	}
}

// lacks reports whether a call's output is known to have no field of the name.
func (p *Pass) lacks(id, field string) bool {
	n := p.nodes[p.nodeIndex(id)]
	if p.env.Tools == nil {
		return false
	}
	tool, _ := p.env.Tools.Tool(n.Field("server").Text(), n.Field("tool").Text())
	if tool == nil || tool.Output == nil {
		return field == "structuredContent"
	}
	output := tool.Output.Root()
	return output.Get("properties").Len() > 0 && output.Property(field) == nil
}

// noteContentList says that a tool without an output schema has replied with lists only,
// in the operator's documents: those written for mcpGraph may read its first item.
func (p *Pass) noteContentList(n *Node, tool *Tool) {
	if p.env.Untrusted || p.tree.Bare() || tool == nil || tool.Output != nil || tool.Observed == nil || !tool.Observed.Type().Only(types.Array) {
		return
	}
	p.Report(ruleContentList, firstExisting(n.Field("tool"), n.where()), n, "the replies of %s so far were lists", tool.Spec.Subtype).Hint = fmt.Sprintf("if they have several content items, the first, which mcpGraph takes, is $.%s[0]", n.ID)
}
