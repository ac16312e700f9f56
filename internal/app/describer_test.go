package app_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/patchbay-mcp/patchbay/catalog"
	"github.com/patchbay-mcp/patchbay/internal/app"
	"github.com/patchbay-mcp/patchbay/internal/discover"
	"github.com/patchbay-mcp/patchbay/internal/plans"
	"github.com/patchbay-mcp/patchbay/internal/servers/tooldef"
)

// wideTools are tools of so many required parameters each.
func wideTools(t testing.TB, tools, parameters int) *app.App {
	t.Helper()
	var names, properties []string
	for i := range parameters {
		names = append(names, fmt.Sprintf(`"key%d"`, i))
		properties = append(properties, fmt.Sprintf(`"key%d":{"type":"string"}`, i))
	}
	schema := `{"type":"object","required":[` + strings.Join(names, ",") + `],"properties":{` + strings.Join(properties, ",") + `}}`
	var list []*tooldef.Tool
	for i := range tools {
		list = append(list, &tooldef.Tool{Server: "wide", Name: fmt.Sprintf("t%d", i), InputSchema: json.RawMessage(schema)})
	}
	cat := catalog.New()
	cat.Replace("server:wide", tooldef.Specs(list))
	return app.New(app.Options{Catalog: cat})
}

// described reports whether the parameters of a node are shown.
func described(d discover.NodeDetails) bool { return strings.Contains(d.Signature, "\n") }

// What one reply reads of schemas is bounded: of nodes beyond that it has the names, and
// says how to have the rest. Asked for by itself each is described, and again as before.
func TestDetailsReadABoundedAmount(t *testing.T) {
	pb := wideTools(t, 50, 5000)
	var ids []string
	for i := range 50 {
		ids = append(ids, fmt.Sprintf("mcp:wide/t%d", i))
	}
	r := details(t, pb, discover.DetailsInput{}, ids...)
	first := slices.IndexFunc(r.Nodes, func(d discover.NodeDetails) bool { return !described(d) })
	if len(r.Nodes) != 50 || first < 2 || first > 6 {
		t.Fatalf("of %d nodes the first %d are described", len(r.Nodes), first)
	}
	for i, d := range r.Nodes {
		said := slices.ContainsFunc(r.LeftOut, func(s string) bool {
			return strings.HasPrefix(s, "all but the name of "+ids[i]+": ")
		})
		if d.ID != ids[i] || described(d) == said || said != (i >= first) {
			t.Errorf("%s is %s, described: %t; that it is left out is said: %t", ids[i], d.ID, described(d), said)
		}
	}
	last := details(t, pb, discover.DetailsInput{}, ids[49])
	if !described(last.Nodes[0]) {
		t.Errorf("by itself %s is left out: %v", ids[49], last.LeftOut)
	}
	if again := details(t, pb, discover.DetailsInput{}, ids[49]); !cmp.Equal(again, last) {
		t.Error(cmp.Diff(last, again))
	}
	if repeated := details(t, pb, discover.DetailsInput{}, slices.Repeat(ids[:1], 50)...); !described(repeated.Nodes[49]) {
		t.Errorf("a node named again is left out: %v", repeated.LeftOut)
	}
}

// A reply that was shortened does not shorten the next.
func TestDetailsKeptAreWhole(t *testing.T) {
	pb := wideTools(t, 1, 20)
	const id = "mcp:wide/t0"
	for _, detail := range []discover.Detail{discover.Brief, discover.Full} {
		whole := details(t, pb, discover.DetailsInput{Detail: detail}, id)
		for _, tokens := range []int{400, 100, 10} {
			details(t, pb, discover.DetailsInput{Detail: detail, MaxTokens: tokens}, id)
		}
		if again := details(t, pb, discover.DetailsInput{Detail: detail}, id); !cmp.Equal(again, whole) {
			t.Error(cmp.Diff(whole, again))
		}
		no := false
		if bare := details(t, pb, discover.DetailsInput{Detail: discover.Full, IncludeExamples: &no, IncludeSchemas: &no}, id).Nodes[0]; len(bare.Examples) > 0 || bare.InputPorts[0].ValidationSchema != nil {
			t.Errorf("without examples and schemas: %+v", bare)
		}
	}
}

func BenchmarkDetailsOfWideTools(b *testing.B) {
	for _, tools := range []int{1, 20, 50} {
		b.Run(strconv.Itoa(tools), func(b *testing.B) {
			var in discover.DetailsInput
			for i := range tools {
				in.Nodes = append(in.Nodes, plans.NodeRef{ID: fmt.Sprintf("mcp:wide/t%d", i)})
			}
			for range b.N {
				b.StopTimer()
				pb := wideTools(b, tools, 5000)
				b.StartTimer()
				if _, fault := pb.Details(b.Context(), in); fault != nil {
					b.Fatal(fault)
				}
			}
		})
	}
}
