package app

import (
	"slices"
	"strconv"
	"sync"

	"github.com/hashicorp/golang-lru/v2/simplelru"

	"github.com/patchbay-mcp/patchbay/catalog"
	"github.com/patchbay-mcp/patchbay/internal/observed"
	"github.com/patchbay-mcp/patchbay/specs"
)

// maxSchemasRead is how many bytes of schemas are read for one reply, beyond the first
// node: about 15 ms of work. Fifty tools of real servers have a part of that.
const maxSchemasRead = 512 << 10

// A describer describes the nodes of one reply.
type describer struct {
	pb   *App
	in   DetailsInput
	read map[*specs.Spec]bool
	left int // bytes of schemas that may still be read
}

func (pb *App) describer(in DetailsInput) *describer {
	return &describer{pb: pb, in: in, read: map[*specs.Spec]bool{}, left: maxSchemasRead}
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
	snap, seen := r.pb.catalog.Snapshot(), r.pb.seen.Of(spec)
	key := detailKey{spec: spec, detail: r.in.Detail, seen: seenKey(seen)}
	full := r.in.Detail.full(spec)
	key.examples, key.schemas = wanted(r.in.IncludeExamples, full), wanted(r.in.IncludeSchemas, full)
	d, leftOut, ok := r.pb.described.get(snap, key)
	if !ok {
		d, leftOut = detailsOf(spec, seen, key)
		r.pb.described.add(snap, key, d, leftOut)
	}
	if full && spec.NodeType == specs.Graph && spec.Subtype != "" {
		d.Graph = r.pb.graphText(spec.Subtype)
		leftOut = append(slices.Clip(leftOut), d.bound()...)
	}
	if spec.NodeType != specs.Idiom {
		d.FollowedBy = r.pb.following.of(snap, d.ID)
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

// The bounds of a [detailCache].
const (
	maxDescribed      = 2000
	maxDescribedBytes = 8 << 20
)

// A detailCache keeps what follows from a spec alone, of those of the last snapshot that
// were described last. It is safe for concurrent use.
type detailCache struct {
	mu       sync.Mutex
	snapshot *catalog.Snapshot
	kept     *simplelru.LRU[detailKey, described]
	used     int // bytes, about
}

type described struct {
	details NodeDetails
	leftOut []string
	bytes   int
}

// get returns what is kept under a key of a snapshot.
func (c *detailCache) get(snap *catalog.Snapshot, key detailKey) (d NodeDetails, leftOut []string, ok bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.snapshot != snap || c.kept == nil {
		return d, nil, false
	}
	found, ok := c.kept.Get(key)
	return found.details, found.leftOut, ok
}

// add keeps what is shown of a node of a snapshot, and lets go of those of other
// snapshots and of those that were not used for longest.
func (c *detailCache) add(snap *catalog.Snapshot, key detailKey, d NodeDetails, leftOut []string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.snapshot != snap || c.kept == nil {
		c.snapshot, c.used = snap, 0
		kept, err := simplelru.NewLRU(maxDescribed, func(_ detailKey, d described) { c.used -= d.bytes })
		if err != nil {
			panic(err) // maxDescribed is not positive
		}
		c.kept = kept
	}
	if c.kept.Contains(key) {
		return
	}
	one := described{d, leftOut, d.weight() + len(key.seen)}
	c.used += one.bytes
	for c.kept.Add(key, one); c.used > maxDescribedBytes; {
		c.kept.RemoveOldest()
	}
}
