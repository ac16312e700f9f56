package app

import (
	"context"
	"crypto/rand"
	"encoding/base32"
	"strings"
	"sync"
	"time"

	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/run"
)

const draftPrefix = "draft:"

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
	source  source
	expires time.Time
}

func newDrafts() *drafts { return &drafts{kept: map[string]*draft{}, now: time.Now} }

// put keeps a graph and returns its handle.
func (d *drafts) put(owner string, s *source) string {
	var b [16]byte
	_, _ = rand.Read(b[:])
	handle := draftPrefix + strings.ToLower(base32.StdEncoding.WithPadding(base32.NoPadding).EncodeToString(b[:]))
	d.mu.Lock()
	defer d.mu.Unlock()
	d.kept[handle] = &draft{owner: owner, source: *s, expires: d.now().Add(DraftLifetime)}
	d.order = append(d.order, handle)
	d.bytes += len(s.text)
	for len(d.order) > 1 && (len(d.order) > MaxDrafts || d.bytes > MaxDraftText || d.kept[d.order[0]].expires.Before(d.now())) {
		d.bytes -= len(d.kept[d.order[0]].source.text)
		delete(d.kept, d.order[0])
		d.order = d.order[1:]
	}
	return handle
}

var codeUnknownDraft = diag.DefineFault("unknown-draft", diag.RefusesRequest, "the draft is unknown, or older than an hour", "send the graph again")

// get returns the graph of a handle.
func (d *drafts) get(owner, handle string) (*source, *diag.Fault) {
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

// latest is the handle of the run that started last; "latest:failed" is that of the
// last one with a status.
const latest = "latest"

const (
	wholeID   = len(run.IDPrefix) + 26 // characters of an ID
	minHandle = 4                      // of one that name a run
)

// RunID returns the ID of the run that a person means: by the whole ID, by the
// beginning or the end of one, by "latest" or by "latest:STATUS". Runs are those of the
// caller's project. What is not recognized is returned as it is.
func (a *App) RunID(ctx context.Context, handle string) (string, *diag.Fault) {
	handle = strings.TrimPrefix(handle, run.IDCut) // as lists show it
	word, status, _ := strings.Cut(handle, ":")
	if word != latest && (len(handle) >= wholeID || len(strings.TrimPrefix(handle, run.IDPrefix)) < minHandle) {
		return handle, nil
	}
	f := run.Filter{Actor: actor(ctx), Project: a.projects(false)}
	if word == latest {
		if fault := knownStatus(status); fault != nil {
			return "", fault
		}
		f.Status, f.Limit, f.Ordinary = run.Status(status), 1, true
	}
	list, fault := a.execution.runs.List(f)
	if fault != nil {
		return "", fault
	}
	if word == latest {
		if len(list) == 0 {
			return "", diag.BadArgument("/run_id", "patchbay runs list shows the runs of this project", "there is no run for %q", handle)
		}
		return list[0].ID, nil
	}
	var ids []string
	for _, s := range list {
		part := strings.ToUpper(strings.TrimPrefix(handle, run.IDPrefix))
		if strings.HasPrefix(s.ID, run.IDPrefix+part) || strings.HasSuffix(s.ID, part) {
			ids = append(ids, s.ID)
		}
	}
	if len(ids) == 1 {
		return ids[0], nil
	}
	if len(ids) > 1 {
		fault := diag.BadArgument("/run_id", "give more of the ID", "%d runs are meant by %q", len(ids), handle)
		fault.Suggestions = ids[:min(len(ids), 5)]
		return "", fault
	}
	return handle, nil
}
