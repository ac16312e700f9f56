package discover

import (
	"slices"
	"strconv"

	"github.com/patchbay-mcp/patchbay/internal/process"
	"github.com/patchbay-mcp/patchbay/internal/reply"
	"github.com/patchbay-mcp/patchbay/internal/store/observed"
	"github.com/patchbay-mcp/patchbay/internal/sys/cache"
	"github.com/patchbay-mcp/patchbay/specs"
)

// maxSchemasRead is how many bytes of schemas are read for one reply, beyond the first
// node: about 15 ms of work. Fifty tools of real servers have a part of that.
const maxSchemasRead = 512 << 10

// A describer describes the nodes of one reply.
type describer struct {
	app  *Discovery
	in   DetailsInput
	read map[*specs.Spec]bool
	left int // bytes of schemas that may still be read
}

func (disc *Discovery) describer(in DetailsInput) *describer {
	return &describer{app: disc, in: in, read: map[*specs.Spec]bool{}, left: maxSchemasRead}
}

// describe describes a node as far as it is asked for, and says what is left out for its
// size, or because the schemas of the nodes before have too many bytes.
func (r *describer) describe(spec *specs.Spec) (NodeDetails, []string) {
	if !r.read[spec] {
		size := len(spec.InputSchema) + len(spec.OutputSchema)
		if size > r.left && len(r.read) > 0 {
			d := NodeDetails{ID: spec.ID(), NodeType: spec.NodeType, Subtype: spec.Subtype, Description: reply.FirstSentences(spec.Description, briefDescription)}
			return d, []string{"all but the name of " + spec.ID() + ": ask for fewer nodes at once"}
		}
		r.read[spec] = true
		r.left -= size
	}
	snap, seen := r.app.plans.Catalog.Snapshot(), r.app.plans.Seen.Of(spec)
	key := detailKey{spec: spec, detail: r.in.Detail, seen: seenKey(seen)}
	full := r.in.Detail.full(spec)
	key.examples, key.schemas = wanted(r.in.IncludeExamples, full), wanted(r.in.IncludeSchemas, full)
	known, ok := r.app.described.Get(snap, key)
	if !ok {
		known.details, known.leftOut = nodeDetails(spec, seen, key)
		r.app.described.Add(r.app.plans.Catalog, snap, key, known)
	}
	d, leftOut := known.details, known.leftOut
	if full && spec.NodeType == specs.Graph && spec.Subtype != "" {
		d.Graph = r.app.graphText(spec.Subtype)
		leftOut = append(slices.Clip(leftOut), d.bound()...)
	}
	if spec.NodeType != specs.Idiom {
		d.FollowedBy = r.app.plans.Following.Of(snap, d.ID)
	}
	return d, leftOut
}

// A detailKey is a node of the catalog, and what of it is shown.
type detailKey struct {
	spec              *specs.Spec
	detail            Detail
	examples, schemas bool
	seen              string // what is known of its results
}

func seenKey(seen *observed.Output) string {
	if seen == nil {
		return ""
	}
	return strconv.Itoa(seen.Samples) + " " + string(seen.Schema)
}

// The bounds of what is cached of descriptions.
const (
	maxDescribed      = 2000
	maxDescribedBytes = 8 << 20
)

// described is what follows from a spec alone.
type described struct {
	details NodeDetails
	leftOut []string
}

func newDetailCache() *process.SnapshotCache[detailKey, described] {
	return process.NewSnapshotCache(cache.Sized(maxDescribed, maxDescribedBytes, func(key detailKey, d described) int { return d.details.weight() + len(key.seen) }))
}
