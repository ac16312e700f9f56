package cli

import (
	"fmt"
	"strconv"

	"github.com/patchbay-mcp/patchbay/internal/cli/command"
	"github.com/patchbay-mcp/patchbay/internal/cli/term"
	"github.com/patchbay-mcp/patchbay/internal/execution"
	"github.com/patchbay-mcp/patchbay/internal/servers"
	"github.com/patchbay-mcp/patchbay/internal/sys/lists"
	"github.com/patchbay-mcp/patchbay/run"
)

var modelsListPresenter = command.Presenter{
	Long:    "List the models of patchbay.yaml, which nodes of type model ask. None is asked.",
	Example: "  patchbay models list",
	Start:   command.Offline,
	Names: func(i *command.Invocation) []string {
		return lists.Each(i.Out.(*servers.ModelsResult).Models, func(m servers.ConfiguredModel) string { return m.Name })
	},
	Print: command.Printing(func(w *term.Page, r *servers.ModelsResult) {
		t := term.NewTable("name", "api", "at", "model", "concurrency", "max tokens")
		for _, m := range r.Models {
			t.Add(term.Cell{Text: m.Name, ID: true}, m.API, m.Origin, m.Model, term.Cell{Text: strconv.Itoa(m.Concurrency), Right: true}, term.Cell{Text: strconv.Itoa(m.MaxTokens), Right: true})
		}
		t.WriteOr(w, "no models; add them to models in patchbay.yaml")
	}),
}

var modelsTestPresenter = command.Presenter{
	Long:    "Ask a model for a short reply by a schema, and show the reply, the tokens and the time. The request costs what its endpoint charges.",
	Example: "  patchbay models test fast",
	Start:   command.Offline,
	Failed:  func(i *command.Invocation) bool { return !i.Out.(*servers.TestModelResult).Typed },
	Print: command.Printing(func(w *term.Page, r *servers.TestModelResult) {
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
func printModelTokens(w *term.Page, t *execution.Tokens, indent string) {
	if t == nil {
		return
	}
	fmt.Fprint(w, indent, tokensText(t.Tokens))
	for _, n := range t.Nodes {
		fmt.Fprintf(w, "; %s: %d in %s", n.Node, n.Sum(), term.Count(n.Requests, "request"))
	}
	fmt.Fprintln(w)
}
