package engine

import (
	"context"
	"encoding/json"
	"strings"
	"testing"

	"github.com/patchbay-mcp/patchbay/run"
)

// A lookedAt counts how often something looks whether it may continue. The decoder looks
// once for 1,024 values that it reads.
type lookedAt struct {
	context.Context
	times int
}

func (l *lookedAt) Err() error {
	l.times++
	return l.Context.Err()
}

// The result of a tool is decoded once on its way into expressions.
func TestResultsAreDecodedOnce(t *testing.T) {
	const thousands = 20
	list := "[" + strings.Repeat("1,", thousands*1024-2) + "1]"
	text, err := json.Marshal(map[string]string{"type": "text", "text": list})
	if err != nil {
		t.Fatal(err)
	}
	for name, res := range map[string]*run.Result{
		"structured": {Structured: json.RawMessage(list)},
		"text":       {Content: []json.RawMessage{text}},
		"both":       {Structured: json.RawMessage(list), Content: []json.RawMessage{text}},
	} {
		ctx := &lookedAt{Context: t.Context()}
		v, err := unwrap(ctx, res)
		if items, _ := v.([]any); err != nil || len(items) != thousands*1024-1 {
			t.Errorf("%s: %d items, %v", name, len(items), err)
		}
		if once := ctx.times - thousands; once < 0 || once >= thousands {
			t.Errorf("%s: the decoder looks %d times, want about %d", name, ctx.times, thousands)
		}
	}
}
