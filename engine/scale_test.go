package engine_test

import (
	"fmt"
	"maps"
	"math"
	"runtime"
	"runtime/debug"
	"strings"
	"testing"

	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/engine"
	"github.com/patchbay-mcp/patchbay/graph"
	"github.com/patchbay-mcp/patchbay/internal/tests/graphdata"
)

// TestLinear measures what the checker allocates for documents of growing size: it
// grows as they do, whatever their shape.
func TestLinear(t *testing.T) {
	sizes := []int{300, 600, 1200}
	if testing.Short() {
		sizes = sizes[:2]
	}
	defer debug.SetGCPercent(debug.SetGCPercent(-1)) // a collection empties pools: it is made before each measurement, and not within
	for _, f := range graphdata.Families {
		t.Run(f.Name, func(t *testing.T) {
			var length, bytes []float64
			check(f.JSON(100), stocked(f.Name, 1)) // what is made once
			for _, n := range sizes {
				src, tools := f.JSON(n), stocked(f.Name, n)
				engine.ForgetExpressions()
				runtime.GC()
				runtime.GC()
				var before, after runtime.MemStats
				runtime.ReadMemStats(&before)
				found := check(src, tools)
				runtime.ReadMemStats(&after)
				length, bytes = append(length, float64(len(src))), append(bytes, float64(after.TotalAlloc-before.TotalAlloc))
				if found.HasErrors() != f.Faulty {
					t.Fatalf("%d nodes:\n%s", n, diag.Format(f.Name, src, found[:min(len(found), 3)]))
				}
			}
			if testing.Short() {
				return // race tests are short, and the race detector makes pools lose values by chance
			}
			if e := exponent(length, bytes); e > 1.15 {
				t.Errorf("the memory grows with the document to the power of %.2f: %.0f bytes for %.0f", e, bytes, length)
			}
		})
	}
}

// check reads and compiles a document with some tools.
func check(src string, tools engine.Tools) diag.List {
	doc, found := graph.Parse("graph", src)
	if doc == nil {
		return found
	}
	_, more := engine.CompileAll(doc, engine.Env{Tools: tools})
	return append(found, more...)
}

// stocked are the tools that large documents call, one of them with n arguments, all
// of which it needs. Its schema has a title, so that it is in no cache.
func stocked(title string, n int) engine.Tools {
	properties, required := make([]string, n), make([]string, n)
	for i := range n {
		properties[i], required[i] = fmt.Sprintf(`"a%d":{"type":"string"}`, i), fmt.Sprintf(`"a%d"`, i)
	}
	s := stock{shelf{}}
	maps.Copy(s.shelf, offered.shelf)
	s.put("files", "many", `{"title":"`+title+`","type":"object","additionalProperties":false,"properties":{`+strings.Join(properties, ",")+`},"required":[`+strings.Join(required, ",")+`]}`, "")
	return s
}

// exponent is the slope of log y over log x by least squares.
func exponent(x, y []float64) float64 {
	var sx, sy, sxx, sxy float64
	for i := range x {
		a, b := math.Log(x[i]), math.Log(y[i])
		sx, sy, sxx, sxy = sx+a, sy+b, sxx+a*a, sxy+a*b
	}
	n := float64(len(x))
	return (n*sxy - sx*sy) / (n*sxx - sx*sx)
}
