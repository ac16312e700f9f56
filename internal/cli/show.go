package cli

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"

	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/internal/cli/command"
	"github.com/patchbay-mcp/patchbay/internal/cli/term"
	"github.com/patchbay-mcp/patchbay/internal/discover"
	"github.com/patchbay-mcp/patchbay/specs"
)

// printNode shows what is known of a node, or why nothing is.
func printNode(w *term.Page, n discover.NodeDetails) {
	prose := w.Prose()
	if n.Error != "" {
		fmt.Fprintf(prose, "%s [%s]\n", n.Error, n.Code)
		command.PrintSuggestions(prose, n.Suggestions, n.Hint)
		return
	}
	fmt.Fprintf(prose, "%s\n  %s\n", n.ID, term.Indented(n.Description))
	block(prose, "signature", n.Signature)
	if len(n.Parameters) > 0 {
		fmt.Fprintln(w, "parameters:")
	}
	for _, p := range n.Parameters {
		fmt.Fprintf(prose, "  %s\n", strings.TrimSpace(command.ParameterLine(p)))
	}
	if len(n.Parameters) == 0 {
		printPorts(prose, "input", n.InputPorts)
	}
	if n.OutputType == "" {
		printPorts(prose, "output", n.OutputPorts)
	} else {
		fmt.Fprintf(prose, "output: %s\n", n.OutputType)
	}
	block(w, "skeleton", string(n.Skeleton))
	block(w, "in a function", n.Call)
	block(w, "graph", n.Graph)
	for _, e := range n.Examples {
		fmt.Fprintf(w, "example: %s\n", e.Title)
		for _, text := range []string{e.Graph, labelled("parameters", e.Parameters), labelled("arguments", e.Arguments), labelled("result", e.Result)} {
			if text != "" {
				fmt.Fprintf(w, "  %s\n", term.Indented(text))
			}
		}
	}
	block(w, "followed by", strings.Join(n.FollowedBy, "\n"))
	fmt.Fprintln(w)
}

// printPorts shows the ports that say more than that there is one.
func printPorts(w io.Writer, side string, ports []specs.Port) {
	for _, p := range ports {
		if p.Description != "" {
			fmt.Fprintf(w, "%s %s: %s  %s\n", side, p.Name, p.Type, diag.OneLine(p.Description))
		}
	}
}

// block is a text of one or more lines under its name; nothing if there is none.
func block(w io.Writer, name, text string) {
	if text != "" {
		fmt.Fprintf(w, "%s:\n  %s\n", name, term.Indented(text))
	}
}

func labelled(label string, value json.RawMessage) string {
	if len(value) == 0 {
		return ""
	}
	return label + ": " + command.JSONText(value)
}
