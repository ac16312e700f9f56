package downstream

import (
	"context"
	"encoding/json"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// logMethod is the notification by which a server logs.
const logMethod = "notifications/message"

// logged counts what the server of a gateway logs. The SDK handles notifications beside
// replies, and a client hears nothing about a call after its reply.
type logged struct {
	mu             sync.Mutex
	arrived, heard int
	waiting        map[chan struct{}]int // closed when so many are heard
}

// arrive counts a message that has been read and is going to be heard.
func (l *logged) arrive(params json.RawMessage) {
	if json.Unmarshal(params, &mcp.LoggingMessageParams{}) != nil {
		return // the SDK drops it
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.arrived++
}

// hear counts a message that has been passed on.
func (l *logged) hear() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.heard++
	for settled, count := range l.waiting {
		if l.heard >= count {
			close(settled)
			delete(l.waiting, settled)
		}
	}
}

// await returns when all that has arrived is passed on, ctx ends or the session is over.
func (l *logged) await(ctx context.Context, over <-chan struct{}) {
	l.mu.Lock()
	if l.heard >= l.arrived {
		l.mu.Unlock()
		return
	}
	settled := make(chan struct{})
	if l.waiting == nil {
		l.waiting = map[chan struct{}]int{}
	}
	l.waiting[settled] = l.arrived
	l.mu.Unlock()
	select {
	case <-settled:
		return
	case <-ctx.Done():
	case <-over:
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	delete(l.waiting, settled)
}
