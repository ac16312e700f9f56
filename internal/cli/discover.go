package cli

import (
	"cmp"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/internal/app"
	"github.com/patchbay-mcp/patchbay/internal/cli/command"
	"github.com/patchbay-mcp/patchbay/internal/cli/term"
	"github.com/patchbay-mcp/patchbay/internal/discover"
	"github.com/patchbay-mcp/patchbay/internal/plans"
	"github.com/patchbay-mcp/patchbay/internal/sys/lists"
	"github.com/patchbay-mcp/patchbay/specs"
)

var searchPresenter = command.Presenter{
	Example: "  patchbay search list the files of a folder\n  patchbay search --has '{\"email\": \"ada@example.com\"}' --wants '{\"plan\": \"\"}'",
	Long:    "Find nodes by what they do, or by what they take and give. The order is the ranking; the figure says how well each node fits the whole query, so a later one may have a higher figure.",
	Start:   command.WithListed,
	Print: command.Visibly(func(i *command.Invocation, w *term.Page) {
		r, prose := i.Out.(*discover.SearchResult), w.Prose()
		if r.Hint != "" {
			fmt.Fprintln(prose, r.Hint)
		}
		for _, h := range r.Results {
			fmt.Fprintf(w, "%s  %s\n", w.Paint(term.Faint, fmt.Sprintf("%.2f", h.Score)), w.Paint(term.Good, h.Name()))
			for line := range strings.Lines(h.Signature + "\n" + diag.OneLine(h.Description)) {
				fmt.Fprintln(prose, "      "+strings.TrimSuffix(line, "\n"))
			}
			if h.Runnable != nil && !*h.Runnable && (h.NodeType != specs.Idiom || h.Reason != "") {
				fmt.Fprintln(prose, strings.TrimSuffix("      cannot run here: "+h.Reason, ": "))
			}
			if h.Hint != "" {
				fmt.Fprintln(prose, "      "+h.Hint)
			}
			for _, line := range h.Connects {
				fmt.Fprintln(prose, "      "+line)
			}
			if len(h.Unmatched) > 0 {
				fmt.Fprintf(w, "      without: %s\n", strings.Join(h.Unmatched, ", "))
			}
			if len(h.Also) > 0 {
				fmt.Fprintf(w, "      also: %s\n", strings.Join(h.Also, ", "))
			}
			if h.Parts != nil {
				fmt.Fprintf(w, "      %s\n", h.Explanation())
			}
			if len(h.Skeleton) > 0 {
				fmt.Fprintf(w, "      %s\n", h.Skeleton)
			}
		}
		for _, c := range r.Chains {
			fmt.Fprintf(w, "%s  %s\n", w.Paint(term.Faint, fmt.Sprintf("%.2f", c.Score)), w.Paint(term.Good, strings.Join(c.Nodes, " > ")))
			for _, line := range c.Connects {
				fmt.Fprintln(prose, "      "+line)
			}
			if len(c.Holes) > 0 {
				fmt.Fprintf(w, "      without: %s\n", strings.Join(c.Holes, ", "))
			}
			for line := range strings.Lines(c.Text) {
				fmt.Fprint(w, "      "+line)
			}
		}
		printHints(w, "", r.Assumed, r.Corrected, r.Catalog)
		printAvailable(prose, r.AvailablePacks)
		if in := i.In.(*discover.SearchInput); w.Width > 0 && in.Cursor == "" && r.Total > len(r.Results) && len(r.Results) < discover.MaxSearchResults {
			fmt.Fprintf(w, "%d more: -n %d shows them\n", r.Total-len(r.Results), min(r.Total, discover.MaxSearchResults))
			return
		}
		if r.Total > len(r.Results) {
			fmt.Fprintf(w, "%d of %d\n", len(r.Results), r.Total)
		}
		if r.NextCursor != "" {
			fmt.Fprintf(w, "more with --cursor %s\n", r.NextCursor)
		}
	}),
	Names: func(i *command.Invocation) []string {
		return lists.Each(i.Out.(*discover.SearchResult).Results, func(h discover.SearchHit) string { return h.Name() })
	},
	Finish: func(i *command.Invocation) error { return unknownFilter(i.Out.(*discover.SearchResult).Unknown) },
}

// unknownFilter is the error for a filter that names nothing.
func unknownFilter(f *diag.Fault) error {
	if f == nil {
		return nil
	}
	return f
}

// printHints prints what a discovery reports in addition to its results.
func printHints(w *term.Page, hint string, assumed, corrected map[string]string, state *plans.CatalogState) {
	w = w.Prose()
	for _, from := range slices.Sorted(maps.Keys(assumed)) {
		fmt.Fprintf(w, "assumed %s for %s\n", assumed[from], from)
	}
	for _, from := range slices.Sorted(maps.Keys(corrected)) {
		fmt.Fprintf(w, "looked for %s instead of %s\n", corrected[from], from)
	}
	if hint != "" {
		fmt.Fprintln(w, hint)
	}
	if state == nil {
		return
	}
	for _, name := range state.Pending {
		fmt.Fprintf(w, "server %q is still starting\n", name)
	}
	for _, name := range slices.Sorted(maps.Keys(state.Failed)) {
		fmt.Fprintln(w, state.Failed[name])
	}
}

// printAvailable names the packs that are not switched on and have better answers.
func printAvailable(w io.Writer, list []plans.AvailablePack) {
	for _, p := range list {
		fmt.Fprintf(w, "the knowledge pack %s has %s: %s\n", p.Pack, strings.Join(p.Nodes, ", "), p.Hint)
	}
}

var typesPresenter = command.Presenter{
	Example: "  patchbay types\n  patchbay types mcp --server filesystem",
	Long:    "List the node types of the catalog and their subtypes. The tools of servers are those of the cached lists; only servers without one are started.",
	Start:   command.WithListed,
	Print: command.Visibly(command.Printing(func(w *term.Page, r *discover.TypesResult) {
		for _, name := range slices.Sorted(maps.Keys(r.Types)) {
			fmt.Fprintln(w, name)
			for _, sub := range r.Types[name] {
				fmt.Fprintln(w, "  "+sub)
			}
		}
		printHints(w, r.Hint, r.Assumed, nil, r.Catalog)
		for _, p := range r.BrokenPacks {
			fmt.Fprintf(w, "knowledge pack %s has %s, the first: %s\n", p.Pack, term.Count(p.Faults, "fault"), p.Error)
		}
		if r.NextCursor != "" {
			fmt.Fprintf(w, "more with --cursor %s\n", r.NextCursor)
		}
	})),
	Names: func(i *command.Invocation) (names []string) {
		r := i.Out.(*discover.TypesResult)
		for _, name := range slices.Sorted(maps.Keys(r.Types)) {
			if len(r.Types[name]) == 0 {
				names = append(names, name)
			}
			for _, sub := range r.Types[name] {
				names = append(names, name+":"+sub)
			}
		}
		return names
	},
	Finish: func(i *command.Invocation) error { return unknownFilter(i.Out.(*discover.TypesResult).Unknown) },
}

var showPresenter = command.Presenter{
	Long:    "Show parameters, schemas and examples of nodes. A NODE is an id as search prints it: a node type, mcp:<server>/<tool>, or graph:<name>.",
	Example: "  patchbay show transform mcp:workspace/list_directory",
	Start: func(i *command.Invocation) (*app.App, error) {
		ids := lists.Each(i.In.(*discover.DetailsInput).Nodes, func(ref plans.NodeRef) string { return ref.ID })
		return i.OpenFor(i.Cmd.Context(), i.Cmd.ErrOrStderr(), ids)
	},
	Finish: func(i *command.Invocation) error {
		if !i.Presenter.Missing(i) {
			i.Out.(*discover.DetailsResult).Catalog = nil // other servers do not matter
		}
		return nil
	},
	Missing: func(i *command.Invocation) bool {
		return slices.ContainsFunc(i.Out.(*discover.DetailsResult).Nodes, func(n discover.NodeDetails) bool { return n.Error != "" })
	},
	Print: command.Visibly(command.Printing(func(w *term.Page, r *discover.DetailsResult) {
		for _, n := range r.Nodes {
			printNode(w, n)
		}
		printHints(w, "", r.Assumed, nil, r.Catalog)
	})),
	Names: func(i *command.Invocation) []string {
		return lists.Each(i.Out.(*discover.DetailsResult).Nodes, func(n discover.NodeDetails) string { return cmp.Or(n.ID, n.NodeType) })
	},
}
