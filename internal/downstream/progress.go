package downstream

import (
	"context"
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

// followed are the calls of a session whose progress somebody follows.
type followed struct {
	mu    sync.Mutex
	last  int
	calls map[string]func(Progress) // by progress token
}

// follow asks for the progress of a call, in its meta, if somebody follows it. It is
// followed until stop is called.
func (f *followed) follow(ctx context.Context, meta mcp.Meta) (stop func()) {
	hear, ok := ctx.Value(progressKey{}).(func(Progress))
	if !ok {
		return func() {}
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.last++
	token := "call-" + strconv.Itoa(f.last)
	if f.calls == nil {
		f.calls = map[string]func(Progress){}
	}
	f.calls[token] = hear
	meta["progressToken"] = token
	return func() {
		f.mu.Lock()
		defer f.mu.Unlock()
		delete(f.calls, token)
	}
}

// hear passes on what a server reports.
func (f *followed) hear(_ context.Context, r *mcp.ProgressNotificationClientRequest) {
	token, _ := r.Params.ProgressToken.(string)
	f.mu.Lock()
	hear := f.calls[token]
	f.mu.Unlock()
	if hear != nil {
		hear(Progress{Done: r.Params.Progress, Total: r.Params.Total, Message: r.Params.Message})
	}
}
