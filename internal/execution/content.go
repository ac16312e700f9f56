package execution

import (
	"github.com/patchbay-mcp/patchbay/internal/reply"
)

// Content implements [ContentReply].
func (r *RunResult) Content() *reply.Content {
	if r == nil || r.Result == nil {
		return nil
	}
	if r.content == nil {
		r.content = reply.ContentIn(r.Result)
	}
	return r.content
}

// Brief implements [ContentReply].
func (r *RunResult) Brief() any {
	brief := *r
	brief.Result = r.content.Short
	return &brief
}

// Content implements [ContentReply].
func (r *RunNodeResult) Content() *reply.Content { return r.content }

// Brief implements [ContentReply].
func (r *RunNodeResult) Brief() any {
	brief := *r
	brief.Output, brief.OutputSize = r.content.Shown()
	return &brief
}

// Content implements [ContentReply].
func (r *GetRunResult) Content() *reply.Content { return r.content }

// Brief implements [ContentReply].
func (r *GetRunResult) Brief() any {
	brief := *r
	switch {
	case r.Step != nil:
		step := *r.Step
		step.Output, step.OutputSize = r.content.Shown()
		brief.Step = &step
	case r.Value != nil:
		brief.Value, brief.Cut = r.content.Shown()
	default:
		brief.Result, brief.Cut = r.content.Shown()
	}
	return &brief
}
