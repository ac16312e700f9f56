package mcpserver

import (
	"context"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/patchbay-mcp/patchbay/run"
)

// progress counts the node executions of one call that have ended, and tells the
// client. While one notification is being written the others only count: the branch
// that writes it then tells how many there are, so what the client hears increases.
type progress struct {
	notify func(ended int, message string)

	mu      sync.Mutex
	ended   int
	message string // about the latest
	writing bool
}

// onProgress returns what reports the node executions of a call to a client that
// asked for progress; else nil.
func onProgress(ctx context.Context, req *mcp.CallToolRequest) func(run.Event) {
	token := req.Params.GetProgressToken()
	if token == nil || req.Session == nil {
		return nil
	}
	p := &progress{notify: func(ended int, message string) {
		_ = req.Session.NotifyProgress(ctx, &mcp.ProgressNotificationParams{ProgressToken: token, Progress: float64(ended), Message: message})
	}}
	return p.hear
}

func (p *progress) hear(e run.Event) {
	if !e.Ended {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.ended++
	p.message = e.Node
	if e.Err != nil {
		p.message += " failed"
	}
	if p.writing {
		return
	}
	p.writing = true
	for told := 0; told < p.ended; {
		ended, message := p.ended, p.message
		p.mu.Unlock()
		p.notify(ended, message)
		p.mu.Lock()
		told = ended
	}
	p.writing = false
}
