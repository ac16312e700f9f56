package mcpserver

import (
	"context"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/patchbay-mcp/patchbay/internal/app"
	"github.com/patchbay-mcp/patchbay/internal/discover/idioms"
	"github.com/patchbay-mcp/patchbay/internal/execution"
	"github.com/patchbay-mcp/patchbay/internal/sys/lists"
)

// maxCompletions is how many values one reply of MCP may have.
const maxCompletions = 100

// completed are the arguments that are completed: the variables of the resource templates.
var completed = map[string]struct{ argument, kind string }{
	nodesURI + "{+id}":   {"id", execution.NodeIDs},
	graphsURI + "{name}": {"name", execution.GraphNames},
	runsURI + "{run_id}": {"run_id", execution.RunIDs},
}

// completion completes an argument of Patchbay's own prompt and resource templates.
func completion(ctx context.Context, pb *app.App, p *mcp.CompleteParams) (*mcp.CompleteResult, error) {
	var candidates []string
	switch template, known := completed[p.Ref.URI]; {
	case p.Ref.Type == "ref/prompt" && p.Ref.Name == authorPrompt:
		if p.Argument.Name == "task" {
			candidates = tasks()
		}
	case p.Ref.Type == "ref/resource" && known:
		if p.Argument.Name == template.argument {
			candidates = pb.Completion.Candidates(ctx, template.kind)
		}
	default:
		return nil, invalidParams("unknown prompt or resource template %q", p.Ref.Name+p.Ref.URI)
	}
	values := matching(candidates, p.Argument.Value)
	r := mcp.CompletionResultDetails{Values: values, Total: len(values)}
	if len(values) > maxCompletions {
		r.Values, r.HasMore = values[:maxCompletions], true
	}
	return &mcp.CompleteResult{Completion: r}, nil
}

// matching are the candidates that begin with a text, then those that contain it, whatever
// the case of letters.
func matching(candidates []string, text string) []string {
	text = strings.ToLower(text)
	begin, contain := []string{}, []string{}
	for _, c := range candidates {
		switch i := strings.Index(strings.ToLower(c), text); {
		case i == 0:
			begin = append(begin, c)
		case i > 0:
			contain = append(contain, c)
		}
	}
	return append(begin, contain...)
}

// tasks are what the idioms are for.
func tasks() []string {
	return lists.Each(idioms.All(), func(i *idioms.Idiom) string { return i.Title })
}
