package app

import (
	"context"
	"slices"
	"strconv"

	"github.com/patchbay-mcp/patchbay/internal/store/observed"
	"github.com/patchbay-mcp/patchbay/internal/sys/cache"
	"github.com/patchbay-mcp/patchbay/specs"
)

// CatalogState says what the catalog still lacks: servers that are starting, and
// those that failed, with the reason.
type CatalogState struct {
	Pending []string          `json:"pending,omitempty"`
	Failed  map[string]string `json:"failed,omitempty"`
}

// catalogState returns nil when every server is ready.
func (a *App) catalogState(ctx context.Context) *CatalogState {
	if a.servers.hub == nil {
		return nil
	}
	var c CatalogState
	for _, s := range a.servers.hub.Status() {
		if !seesServer(ctx, s.Name) || a.untrusted(s.Name) != nil { // a check of the document says it
			continue
		}
		switch s.State {
		case "ready", "idle":
		case "failed":
			if c.Failed == nil {
				c.Failed = map[string]string{}
			}
			c.Failed[s.Name] = s.Reason
		default:
			c.Pending = append(c.Pending, s.Name)
		}
	}
	if len(c.Pending) == 0 && len(c.Failed) == 0 {
		return nil
	}
	return &c
}

// maxSchemasRead is how many bytes of schemas are read for one reply, beyond the first
// node: about 15 ms of work. Fifty tools of real servers have a part of that.
const maxSchemasRead = 512 << 10

// A describer describes the nodes of one reply.
type describer struct {
	app  *App
	in   DetailsInput
	read map[*specs.Spec]bool
	left int // bytes of schemas that may still be read
}

func (a *App) describer(in DetailsInput) *describer {
	return &describer{app: a, in: in, read: map[*specs.Spec]bool{}, left: maxSchemasRead}
}

// describe describes a node as far as it is asked for, and says what is left out for its
// size, or because the schemas of the nodes before have too many bytes.
func (r *describer) describe(spec *specs.Spec) (NodeDetails, []string) {
	if !r.read[spec] {
		size := len(spec.InputSchema) + len(spec.OutputSchema)
		if size > r.left && len(r.read) > 0 {
			d := NodeDetails{ID: spec.ID(), NodeType: spec.NodeType, Subtype: spec.Subtype, Description: firstSentences(spec.Description, briefDescription)}
			return d, []string{"all but the name of " + spec.ID() + ": ask for fewer nodes at once"}
		}
		r.read[spec] = true
		r.left -= size
	}
	snap, seen := r.app.discovery.catalog.Snapshot(), r.app.discovery.seen.Of(spec)
	key := detailKey{spec: spec, detail: r.in.Detail, seen: seenKey(seen)}
	full := r.in.Detail.full(spec)
	key.examples, key.schemas = wanted(r.in.IncludeExamples, full), wanted(r.in.IncludeSchemas, full)
	known, ok := r.app.discovery.described.get(snap, key)
	if !ok {
		known.details, known.leftOut = nodeDetails(spec, seen, key)
		r.app.discovery.described.add(r.app.discovery.catalog, snap, key, known)
	}
	d, leftOut := known.details, known.leftOut
	if full && spec.NodeType == specs.Graph && spec.Subtype != "" {
		d.Graph = r.app.graphText(spec.Subtype)
		leftOut = append(slices.Clip(leftOut), d.bound()...)
	}
	if spec.NodeType != specs.Idiom {
		d.FollowedBy = r.app.discovery.following.of(snap, d.ID)
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

func newDetailCache() *snapshotCache[detailKey, described] {
	return newSnapshotCache(cache.Sized(maxDescribed, maxDescribedBytes, func(key detailKey, d described) int { return d.details.weight() + len(key.seen) }))
}
