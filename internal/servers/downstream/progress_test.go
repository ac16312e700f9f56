package downstream

import (
	"context"
	"encoding/json"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/patchbay-mcp/patchbay/internal/servers/transport"
	"github.com/patchbay-mcp/patchbay/run"
)

// A report of progress gives its call the time again, and no other call.
func TestProgressRenewsItsCall(t *testing.T) {
	var f transport.Calls
	renewed := map[string]int{}
	one, two := mcp.Meta{}, mcp.Meta{}
	defer f.Follow(t.Context(), one, func() { renewed["one"]++ })()
	defer f.Follow(t.Context(), two, func() { renewed["two"]++ })()
	f.Hear(t.Context(), &mcp.ProgressNotificationClientRequest{Params: &mcp.ProgressNotificationParams{ProgressToken: two["progressToken"]}})
	if renewed["one"] != 0 || renewed["two"] != 1 {
		t.Errorf("renewed: %v", renewed)
	}
}

// What a server reports about a call is heard by who follows that call, while it is in
// progress. A call that nobody follows does not ask for it.
func TestProgressOfACall(t *testing.T) {
	s := mcp.NewServer(&mcp.Implementation{Name: "go", Version: "1"}, nil)
	proceed := make(chan struct{})
	s.AddTool(&mcp.Tool{Name: "slow", InputSchema: json.RawMessage(`{"type":"object"}`)}, func(ctx context.Context, r *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		token := r.Params.GetProgressToken()
		if token != nil {
			_ = r.Session.NotifyProgress(ctx, &mcp.ProgressNotificationParams{ProgressToken: "of another call", Progress: 9})
			_ = r.Session.NotifyProgress(ctx, &mcp.ProgressNotificationParams{ProgressToken: token, Progress: 2, Total: 5, Message: "reading"})
			<-proceed
		}
		return &mcp.CallToolResult{Content: []mcp.Content{}}, nil
	})
	h := New([]Server{{Name: "go", InProcess: s, FixedTime: true}}, &Options{})
	defer h.Close()
	h.Start(t.Context(), "go")
	call := run.Call{Server: "go", Tool: "slow", Args: json.RawMessage(`{}`)}
	reports := make(chan transport.Progress, 1)
	ended := make(chan error, 1)
	go func() {
		_, err := h.CallTool(transport.WithProgress(t.Context(), func(p transport.Progress) { reports <- p }), call)
		ended <- err
	}()
	if got, want := <-reports, (transport.Progress{Done: 2, Total: 5, Message: "reading"}); got != want {
		t.Errorf("the progress is %+v, want %+v", got, want)
	}
	close(proceed)
	if err := <-ended; err != nil {
		t.Error(err)
	}
	if _, err := h.CallTool(t.Context(), call); err != nil || len(reports) > 0 {
		t.Errorf("%v, %d reports for nobody", err, len(reports))
	}
}
