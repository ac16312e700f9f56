package discover

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/engine"
	"github.com/patchbay-mcp/patchbay/expr"
	"github.com/patchbay-mcp/patchbay/graph"
	"github.com/patchbay-mcp/patchbay/internal/discover/idioms"
	"github.com/patchbay-mcp/patchbay/internal/plans"
	"github.com/patchbay-mcp/patchbay/internal/sys/lists"
	"github.com/patchbay-mcp/patchbay/run"
)

// Guide is the guide for authors. What it says of tools, node types, operators and limits
// is generated from their declarations.
func Guide() *idioms.Guide {
	guide.Do(func() {
		guide.Guide = idioms.NewGuide(map[string]string{
			"nodes":     guideNodes(),
			"modified":  guideModified(),
			"modifiers": guideModifiers(),
			"operators": "`" + strings.Join(expr.RuleOperators(), "`, `") + "`",
			"limits":    guideLimits(),
		})
	})
	return guide.Guide
}

// guide is made when it is first asked for.
var guide struct {
	sync.Once
	*idioms.Guide
}

// authored are the node types that authors of graphs write: the first and the last as in a
// graph.
func authored() []*engine.Kind {
	kinds := slices.DeleteFunc(slices.Clone(engine.Kinds()), func(k *engine.Kind) bool { return k.InWorkflow })
	order := func(k *engine.Kind) int {
		switch {
		case k.Starts:
			return 0
		case k.Ends:
			return 2
		}
		return 1
	}
	slices.SortStableFunc(kinds, func(a, b *engine.Kind) int { return order(a) - order(b) })
	return kinds
}

func guideNodes() string {
	var b strings.Builder
	b.WriteString("| type | fields | output |\n|---|---|---|\n")
	for _, k := range authored() {
		row := k.Guide
		if row.Fields == "" {
			var names []string
			for _, f := range k.Fields {
				if !slices.ContainsFunc(k.Modifiers, func(m *engine.Modifier) bool { return m.Field.Name == f.Name }) {
					names = append(names, f.Name)
				}
			}
			row.Fields = strings.Join(names, ", ")
		}
		if ports := k.Spec.OutputPorts; row.Output == "" && len(ports) > 0 {
			row.Output = ports[len(ports)-1].Description
		}
		fmt.Fprintf(&b, "| %s | %s | %s |\n", k.Spec.NodeType, row.Fields, row.Output)
	}
	return b.String()
}

// guideModified says which node types take which modifiers.
func guideModified() string {
	var all, some []string
	for _, k := range authored() {
		switch {
		case len(k.Modifiers) == len(engine.AllModifiers):
			all = append(all, k.Spec.NodeType)
		case len(k.Modifiers) > 0:
			names := lists.Each(k.Modifiers, func(m *engine.Modifier) string { return m.Field.Name })
			some = append(some, k.Spec.NodeType+" takes "+strings.Join(names, ", "))
		}
	}
	text := "Nodes of the types " + strings.Join(all, ", ") + " also take these fields"
	if len(some) > 0 {
		text += " (" + strings.Join(some, "; ") + ")"
	}
	return text + ":"
}

func guideModifiers() string {
	var b strings.Builder
	b.WriteString("| field | meaning |\n|---|---|\n")
	for _, m := range engine.AllModifiers {
		row := m.Guide
		row.Fields = cmp.Or(row.Fields, m.Field.Name)
		row.Output = cmp.Or(row.Output, m.Field.Doc)
		fmt.Fprintf(&b, "| %s | %s |\n", row.Fields, row.Output)
	}
	return b.String()
}

// guideLimits are the limits that authors meet. Those of runs can be lower: the operator
// decides.
func guideLimits() string {
	said, most := run.DefaultLimits, run.DefaultCeiling
	var b strings.Builder
	line := func(format string, a ...any) { fmt.Fprintf(&b, "- "+format+"\n", a...) }
	b.WriteString("Of a run, unless the operator allows less; `executionLimits` of the graph asks for others:\n\n")
	line("`maxNodeExecutions`: %s; items of a foreach and steps of nested graphs count", upTo(said.MaxNodeExecutions, most.MaxNodeExecutions))
	line("`maxExecutionTimeMs`: %s", upTo(int(said.MaxExecutionTime/time.Millisecond), int(most.MaxExecutionTime/time.Millisecond)))
	line("`maxResultBytes`: %s; of the result, and of each output", upTo(said.MaxResultBytes, most.MaxResultBytes))
	line("`maxTraceBytes`: %s; of all outputs together", upTo(said.MaxTraceBytes, most.MaxTraceBytes))
	b.WriteString("\nOf everything:\n\n")
	line("a document: %s; a graph: %s nodes; graphs that call graphs: %d deep", diag.Bytes(graph.MaxBytes), digits(engine.MaxNodes), engine.MaxGraphDepth)
	line("`foreach` and `parallel`: %d at the same time; `retry`: %d attempts", engine.MaxConcurrency, engine.MaxAttempts)
	line("`run_graph`: %d cases; `get_node_details`: %d nodes; `search_nodes`: %d results", plans.MaxCases, MaxDetails, MaxSearchResults)
	line("drafts: the latest %s, for %s minutes; revisions of a saved graph: %d", digits(plans.MaxDrafts), digits(int(plans.DraftLifetime/time.Minute)), plans.MaxRevisions)
	return b.String()
}

// upTo is a limit, and how high a graph may set it.
func upTo(said, most int) string {
	if said == most {
		return "at most " + digits(most)
	}
	return digits(said) + ", at most " + digits(most)
}

// digits groups the digits of a number.
func digits(n int) string {
	if n < 1000 {
		return strconv.Itoa(n)
	}
	return fmt.Sprintf("%s,%03d", digits(n/1000), n%1000)
}
