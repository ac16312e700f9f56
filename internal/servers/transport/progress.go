package transport

import (
	"context"
	"encoding/json"
	"strconv"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// Progress is what a server reports about a call before it replies.
type Progress struct {
	Done    float64
	Total   float64 // 0 where it is not known
	Message string
}

type progressKey struct{}

// WithProgress has f called when servers report the progress of calls that are made
// with the context. Other notifications of a server wait until f has returned.
func WithProgress(ctx context.Context, f func(Progress)) context.Context {
	return context.WithValue(ctx, progressKey{}, f)
}

// ProgressHearer is what [WithProgress] has put into the context; nil for none.
func ProgressHearer(ctx context.Context) func(Progress) {
	hear, _ := ctx.Value(progressKey{}).(func(Progress))
	return hear
}

// Calls are the calls of a session whose progress somebody follows.
type Calls struct {
	mu    sync.Mutex
	last  int
	calls map[string]*followedCall // by progress token

	Logs *Logs // nil unless somebody hears what the server logs
}

// A followedCall counts its reports: the SDK handles notifications beside the reply, so
// that a reply can overtake the reports before it.
type followedCall struct {
	hear           func(Progress) // nil: nobody
	renew          func()         // gives the call its time again; nil: it is not renewed
	arrived, heard int
	settled        chan struct{} // closed when all that had arrived are handled; nil: no goroutine waits
}

// progressMethod is the notification by which a server reports.
const progressMethod = "notifications/progress"

// Follow asks for the progress of a call, in its meta, if somebody follows it or it renews the
// call. It is followed until stop is called, which waits for what has arrived to be heard, but
// not longer than ctx.
func (f *Calls) Follow(ctx context.Context, meta mcp.Meta, renew func()) (stop func()) {
	hear := ProgressHearer(ctx)
	if hear == nil && renew == nil {
		return func() {}
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.last++
	token := "call-" + strconv.Itoa(f.last)
	if f.calls == nil {
		f.calls = map[string]*followedCall{}
	}
	c := &followedCall{hear: hear, renew: renew}
	f.calls[token] = c
	meta["progressToken"] = token
	return func() {
		f.mu.Lock()
		if c.heard < c.arrived {
			settled := make(chan struct{})
			c.settled = settled
			f.mu.Unlock()
			select {
			case <-settled:
			case <-ctx.Done():
			}
			f.mu.Lock()
		}
		delete(f.calls, token)
		f.mu.Unlock()
	}
}

// arrive counts a notification that has been read, and is going to be heard.
func (f *Calls) arrive(method string, params json.RawMessage) {
	switch {
	case method == progressMethod:
		f.reported(params)
	case method == LogMethod && f.Logs != nil:
		f.Logs.arrive(params)
	}
}

// reported counts a report of progress.
func (f *Calls) reported(params json.RawMessage) {
	var p struct {
		Token any `json:"progressToken"`
	}
	_ = json.Unmarshal(params, &p) // what cannot be read is ignored
	token, _ := p.Token.(string)
	f.mu.Lock()
	defer f.mu.Unlock()
	if c := f.calls[token]; c != nil {
		c.arrived++
	}
}

// Hear passes on what a server reports.
func (f *Calls) Hear(_ context.Context, r *mcp.ProgressNotificationClientRequest) {
	token, _ := r.Params.ProgressToken.(string)
	f.mu.Lock()
	c := f.calls[token]
	f.mu.Unlock()
	if c == nil {
		return
	}
	if c.renew != nil {
		c.renew()
	}
	if c.hear != nil {
		c.hear(Progress{Done: r.Params.Progress, Total: r.Params.Total, Message: r.Params.Message})
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	c.heard++
	if c.heard >= c.arrived && c.settled != nil {
		close(c.settled)
		c.settled = nil
	}
}
