package mcpserver

import (
	"context"
	"strings"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/patchbay-mcp/patchbay/internal/request"
	"github.com/patchbay-mcp/patchbay/run"
)

// progress counts what the runs of one call have done, and tells the client: each node
// execution that has ended is one, and a call in progress a part of one. While a
// notification is being written the others only count: whoever writes it then tells
// how much there is, so what the client hears increases.
type progress struct {
	notify func(done float64, message string)

	mu      sync.Mutex
	ended   int
	parts   map[string]float64 // of calls in progress, by the key of their step
	message string             // about the latest
	told    float64
	writing chan struct{} // closed when the last writer is done; nil without writers
	over    bool          // what is heard from now on is not told
}

// withProgress reports the runs of a call to a client that asked for progress, until
// end is called.
func withProgress(ctx context.Context, req *mcp.CallToolRequest) (listening context.Context, end func()) {
	token := req.Params.GetProgressToken()
	if token == nil || req.Session == nil {
		return ctx, func() {}
	}
	p := &progress{parts: map[string]float64{}, notify: func(done float64, message string) {
		_ = req.Session.NotifyProgress(ctx, &mcp.ProgressNotificationParams{ProgressToken: token, Progress: done, Message: message})
	}}
	return request.WithListener(ctx, request.Listener{OnEvent: p.hear, OnProgress: p.hearCall}), p.end
}

// hear counts a node execution that has ended.
func (p *progress) hear(e run.Event) {
	if !e.Ended {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.over {
		return
	}
	p.ended++
	delete(p.parts, e.Key)
	p.message = e.Node
	if e.Err != nil {
		p.message += " failed"
	}
	p.tell()
}

// hearCall counts what a call in progress has done. A further attempt counts where it
// exceeds the earlier one.
func (p *progress) hearCall(c request.CallProgress) {
	step := strings.TrimSuffix(c.Key, "/call")
	p.mu.Lock()
	defer p.mu.Unlock()
	if part := part(c.Done, c.Total); !p.over && part > p.parts[step] {
		p.parts[step] = part
		p.message = strings.TrimSuffix(nodeOfKey(step)+": "+c.Message, ": ")
		p.tell()
	}
}

// part is how much of a call is done, less than 1. Without a total it approaches 1.
func part(done, total float64) float64 {
	if total <= 0 {
		total = done + 1
	}
	return min(max(0, done/total), 0.99)
}

// nodeOfKey is the id of the node in the key of a step, such as each in fork#0/each#1[3].
func nodeOfKey(key string) string {
	node, _, _ := strings.Cut(key[strings.LastIndexByte(key, '/')+1:], "#")
	return node
}

// tell notifies the client until it knows all. The caller holds mu, which is free
// while a notification is written.
func (p *progress) tell() {
	if p.writing != nil {
		return
	}
	p.writing = make(chan struct{})
	for done := p.done(); done > p.told; done = p.done() {
		p.told = done
		message := p.message
		p.mu.Unlock()
		p.notify(done, message)
		p.mu.Lock()
	}
	close(p.writing)
	p.writing = nil
}

// done is what is done. The caller holds mu.
func (p *progress) done() float64 {
	sum := float64(p.ended)
	for _, part := range p.parts {
		sum += part
	}
	return sum
}

// end returns when all is told. Nothing is told afterwards: the reply is the last that
// the client hears of a call, although its run may continue.
func (p *progress) end() {
	p.mu.Lock()
	p.over = true
	writing := p.writing
	p.mu.Unlock()
	if writing != nil {
		<-writing
	}
}
