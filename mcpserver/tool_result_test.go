package mcpserver

import (
	"bytes"
	"encoding/json"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/patchbay-mcp/patchbay/internal/sys/plainjson"
)

// TestResultsAreWrittenAsTheSDKDoes: what writes itself and what is left to the SDK.
func TestResultsAreWrittenAsTheSDKDoes(t *testing.T) {
	text := func(all ...string) (list []mcp.Content) {
		for _, s := range all {
			list = append(list, &mcp.TextContent{Text: s})
		}
		return list
	}
	odd := "<a & b> \u2028 \u00e4 \U0001f600 \"\\ \b\x01\n\xff"
	quoted, err := plainjson.Marshal(odd)
	if err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		result *mcp.CallToolResult
		writes bool
	}{
		"a reply":            {&mcp.CallToolResult{Content: text(`{"value":2}`), StructuredContent: json.RawMessage(`{"value":2}`)}, true},
		"a failure":          {&mcp.CallToolResult{Content: text("a", odd), StructuredContent: json.RawMessage(quoted), IsError: true}, true},
		"blanks":             {&mcp.CallToolResult{Content: text(""), StructuredContent: json.RawMessage("{ \"a\" :\n[ 1,\t2 ] }")}, true},
		"null":               {&mcp.CallToolResult{Content: text("null"), StructuredContent: json.RawMessage("null")}, true},
		"text alone":         {&mcp.CallToolResult{Content: text(odd)}, true},
		"an empty list":      {&mcp.CallToolResult{Content: []mcp.Content{}}, true},
		"no list":            {&mcp.CallToolResult{IsError: true}, false},
		"no bytes":           {&mcp.CallToolResult{Content: text("a"), StructuredContent: json.RawMessage(nil)}, false},
		"a value":            {&mcp.CallToolResult{Content: text("a"), StructuredContent: map[string]any{"a": 1}}, false},
		"meta":               {&mcp.CallToolResult{Meta: mcp.Meta{"a": 1}, Content: text("a")}, false},
		"meta of a text":     {&mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: "a", Meta: mcp.Meta{"a": 1}}}}, false},
		"an annotated text":  {&mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: "a", Annotations: &mcp.Annotations{Priority: 1}}}}, false},
		"an image":           {&mcp.CallToolResult{Content: []mcp.Content{&mcp.ImageContent{Data: []byte("a"), MIMEType: "image/png"}}}, false},
		"questions":          {&mcp.CallToolResult{InputRequests: mcp.InputRequestMap{"a": &mcp.ElicitParams{Message: "a"}}, RequestState: "b"}, false},
		"a state":            {&mcp.CallToolResult{Content: text("a"), RequestState: "b"}, false},
		"what is not JSON":   {&mcp.CallToolResult{Content: text("a"), StructuredContent: json.RawMessage(`{"a"`)}, true},
		"more than one JSON": {&mcp.CallToolResult{Content: text("a"), StructuredContent: json.RawMessage(`1 2`)}, true},
	} {
		t.Run(name, func(t *testing.T) {
			if _, writes := (writtenResult{c.result}).write(); writes != c.writes {
				t.Errorf("writes itself: %v, want %v", writes, c.writes)
			}
			got, gotErr := plainjson.Marshal(writtenResult{c.result})
			want, wantErr := plainjson.Marshal(c.result)
			if !bytes.Equal(got, want) || (gotErr == nil) != (wantErr == nil) {
				t.Errorf("%s, %v; the SDK writes %s, %v", got, gotErr, want, wantErr)
			}
		})
	}
}
