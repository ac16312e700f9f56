package plans

import (
	"encoding/json"

	"github.com/patchbay-mcp/patchbay/graph"
	"github.com/patchbay-mcp/patchbay/specs"
)

// SkeletonOf is the node to copy of a spec, or nil.
func SkeletonOf(spec *specs.Spec) (skeleton graph.Members) {
	doc, _ := graph.Parse("skeleton", spec.Whole().Skeleton)
	if doc == nil || !doc.Root.Is(graph.Object) {
		return nil
	}
	for key, v := range doc.Root.Members() {
		pair := graph.Pair{Key: key, Value: json.RawMessage(v.JSON())}
		if v.Is(graph.String) {
			pair.Value = v.Text()
		}
		skeleton = append(skeleton, pair)
	}
	return skeleton
}
