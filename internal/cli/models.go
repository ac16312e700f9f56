package cli

import (
	"fmt"
	"strconv"

	"github.com/patchbay-mcp/patchbay/internal/execution"
	"github.com/patchbay-mcp/patchbay/internal/servers"
	"github.com/patchbay-mcp/patchbay/run"
)

var modelsListPresenter = presenter{
	long:    "List the models of patchbay.yaml, which nodes of type model ask. None is asked.",
	example: "  patchbay models list",
	start:   offline,
	names: func(i *invocation) (names []string) {
		for _, m := range i.out.(*servers.ModelsResult).Models { //nolint:forcetypeassert // the result of the command
			names = append(names, m.Name)
		}
		return names
	},
	print: printing(func(w *page, r *servers.ModelsResult) {
		t := newTable("name", "api", "at", "model", "concurrency", "max tokens")
		for _, m := range r.Models {
			t.add(cell{text: m.Name, id: true}, m.API, m.Origin, m.Model, cell{text: strconv.Itoa(m.Concurrency), right: true}, cell{text: strconv.Itoa(m.MaxTokens), right: true})
		}
		t.writeOr(w, "no models; add them to models in patchbay.yaml")
	}),
}

var modelsTestPresenter = presenter{
	long:    "Ask a model for a short reply by a schema, and show the reply, the tokens and the time. The request costs what its endpoint charges.",
	example: "  patchbay models test fast",
	start:   offline,
	failed: func(i *invocation) bool {
		return !i.out.(*servers.TestModelResult).Typed //nolint:forcetypeassert // the result of the command
	},
	print: printing(func(w *page, r *servers.TestModelResult) {
		fmt.Fprintf(w, "%s (%s) answered in %d ms, %s\n%s\n", r.Name, r.Model, r.Ms, tokensText(r.Tokens), r.Reply)
		if !r.Typed {
			fmt.Fprintln(w, "the reply does not satisfy its schema; model nodes with a schema would ask again")
		}
	}),
}

// tokensText writes numbers of tokens for people.
func tokensText(t run.Tokens) string {
	text := fmt.Sprintf("%d tokens in, %d out", t.Input, t.Output)
	if t.Estimated {
		text += " (estimated)"
	}
	return text
}

// printModelTokens shows what models have taken, if any was asked.
func printModelTokens(w *page, t *execution.Tokens, indent string) {
	if t == nil {
		return
	}
	fmt.Fprint(w, indent, tokensText(t.Tokens))
	for _, n := range t.Nodes {
		fmt.Fprintf(w, "; %s: %d in %s", n.Node, n.Sum(), counted(n.Requests, "request"))
	}
	fmt.Fprintln(w)
}
