package plans

import (
	"crypto/rand"
	"encoding/base32"
	"strings"
	"sync"
	"time"

	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/run"
)

// DraftPrefix begins the handle of a draft.
const DraftPrefix = "draft:"

// How long a draft is kept, how many are, and how many bytes of text they may have
// together: the oldest make room.
const (
	DraftLifetime = time.Hour
	MaxDrafts     = 1000
	MaxDraftText  = 64 << 20
)

// drafts are graphs that callers have sent and may send again by a short handle.
// A handle is 128 random bits and works only for the principal it was given to.
type drafts struct {
	mu    sync.Mutex
	kept  map[string]*draft
	order []string // oldest first
	bytes int
	now   func() time.Time
}

type draft struct {
	owner   string
	source  Source
	expires time.Time
}

func newDrafts() *drafts { return &drafts{kept: map[string]*draft{}, now: time.Now} }

// Put keeps a graph and returns its handle.
func (d *drafts) Put(owner string, s *Source) string {
	var b [16]byte
	_, _ = rand.Read(b[:])
	handle := DraftPrefix + strings.ToLower(base32.StdEncoding.WithPadding(base32.NoPadding).EncodeToString(b[:]))
	d.mu.Lock()
	defer d.mu.Unlock()
	d.kept[handle] = &draft{owner: owner, source: *s, expires: d.now().Add(DraftLifetime)}
	d.order = append(d.order, handle)
	d.bytes += len(s.Text)
	for len(d.order) > 1 && (len(d.order) > MaxDrafts || d.bytes > MaxDraftText || d.kept[d.order[0]].expires.Before(d.now())) {
		d.bytes -= len(d.kept[d.order[0]].source.Text)
		delete(d.kept, d.order[0])
		d.order = d.order[1:]
	}
	return handle
}

var codeUnknownDraft = diag.DefineFault("unknown-draft", diag.RefusesRequest, "the draft is unknown, or older than an hour", "send the graph again")

// Get returns the graph of a handle.
func (d *drafts) Get(owner, handle string) (*Source, *diag.Fault) {
	d.mu.Lock()
	defer d.mu.Unlock()
	kept, ok := d.kept[handle]
	if !ok || kept.owner != owner || kept.expires.Before(d.now()) {
		return nil, diag.Faultf(codeUnknownDraft, "unknown draft %s", handle).
			At("/graph").WithHint("drafts last an hour; send the graph itself and use the handle in the reply")
	}
	s := kept.source
	return &s, nil
}

// Latest is the handle of the run that started last; "latest:failed" is that of the
// last one with a status.
const Latest = "latest"

// How long the handles of runs are.
const (
	WholeID   = len(run.IDPrefix) + 26 // characters of an ID
	MinHandle = 4                      // of one that name a run
)

// MaxCases is how many calls of a graph one call of run_graph makes, and how many tests
// a saved graph keeps.
const MaxCases = 100
