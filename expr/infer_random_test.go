package expr

import (
	"context"
	"encoding/json"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/patchbay-mcp/patchbay/internal/tests/conformance"
	"github.com/patchbay-mcp/patchbay/internal/tests/testenv"
	"github.com/patchbay-mcp/patchbay/jsonata"
	"github.com/patchbay-mcp/patchbay/types"
)

// combinations are expressions made of two or three others, for "A", "B" and "C".
var combinations = []string{
	`A.B`, `[A, B]`, `A[B]`, `A ? B : C`, `$map(A, function($v, $i){ B })`, `{"a": A, "b": B}.b`, `A{"k": B}`,
	`($q := A; $q.B)`, `A^(B)`, `A.B[]`, `$filter(A, function($v){ B })`, `$append(A, B)`, `$merge([A, B])`,
	`$keys(A)`, `$distinct(A)`, `$reverse(A)`, `$sort(A)`, `$sum(A)`, `$max(A)`, `$count(A)`, `$string(A)`, `$lookup(A, "B")`,
	`(A) + (B)`, `(A) & (B)`, `(A) = (B)`, `(A) < (B)`, `(A) and (B)`, `(A) in (B)`, `-(A)`, `A.(B)`, `[A].B`, `A[0].B`,
}

// Values of expressions put together from the parts of the suite's are in what
// is inferred for them. Left out is what the evaluator reads otherwise than the
// reference: mixed "~>", "?:" and "??", and predicates on quoted steps.
func TestInferIsSoundOnCombinations(t *testing.T) {
	type source struct {
		data  string
		shape types.Type
		parts []string
	}
	var sources []source
	for _, c := range conformance.Cases(t) {
		ast, fault := jsonata.Parse(c.Expr)
		if fault != nil || !c.HasData || len(c.Expr) > 200 || strings.Contains(c.Expr, "~>") || strings.Contains(c.Expr, "??") || strings.Contains(c.Expr, "?:") {
			continue
		}
		var data any
		if err := json.Unmarshal(c.Data, &data); err != nil {
			t.Fatal(err)
		}
		s := source{data: string(c.Data), shape: types.OfJSON(data, len(sources)%2 == 0)}
		var visit func(n *jsonata.Node)
		visit = func(n *jsonata.Node) {
			s.parts = append(s.parts, c.Expr[n.Start:n.End])
			for _, child := range n.Args {
				visit(child)
			}
		}
		visit(ast.Root)
		sources = append(sources, s)
	}

	random := rand.New(rand.NewPCG(1, 2))
	evaluated, known, draws := 0, 0, 6000
	if testing.Short() {
		draws = 1500
	}
	for range draws {
		s := sources[random.IntN(len(sources))]
		part := func() string { return s.parts[random.IntN(len(s.parts))] }
		src := strings.NewReplacer("A", part(), "B", part(), "C", part()).Replace(combinations[random.IntN(len(combinations))])
		ast, fault := jsonata.Parse(src)
		if fault != nil || len(ast.Refs().NonDeterministic) > 0 || strings.Contains(src, `"[`) || strings.Contains(src, `'[`) || strings.Contains(src, "}.") {
			continue
		}
		p, fault := Compile(src)
		if fault != nil {
			continue
		}
		ctx, cancel := context.WithTimeout(t.Context(), testenv.Limit(time.Second))
		v, err := p.Eval(ctx, NewScopeWith(decode(t, s.data), nil, Limits{}))
		cancel()
		if err != nil {
			continue
		}
		evaluated++
		shape, _ := Infer(ast, s.shape, nil)
		if !shape.IsUnknown() {
			known++
		}
		if v == nil {
			if !shape.Has(types.Undefined) {
				t.Errorf("%s gives nothing, inferred %s; data %.200s", src, shape, s.data)
			}
			continue
		}
		b, err := Encode(v)
		var result any
		if err != nil || json.Unmarshal(b, &result) != nil {
			continue
		}
		if !shape.Contains(result) {
			t.Errorf("%s gives %.100s, inferred %s; data %.200s", src, b, shape, s.data)
		}
	}
	if evaluated < draws/4 || known < evaluated/2 {
		t.Errorf("only %d expressions evaluated, %d with a known type", evaluated, known)
	}
}
