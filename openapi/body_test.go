package openapi_test

import (
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/patchbay-mcp/patchbay/openapi"
)

// TestAnswersThatAreNotJSON shows images and sounds as content blocks, beside their base64 for
// graphs, and a sequence of JSON as a list, which the output schema declares.
func TestAnswersThatAreNotJSON(t *testing.T) {
	source := `{"openapi":"3.1.0","info":{"title":"t","version":"1"},"servers":[{"url":"http://x.example"}],"paths":{"/a":{"get":{"operationId":"a","responses":{"200":{"description":"","content":{"MEDIA":{"schema":{"type":"string"}}}}}}}}}`
	for _, c := range []struct{ media, body, want, block, output string }{
		{"image/png", "\x89PNG", `{"body":{"base64":"iVBORw==","mimeType":"image/png"}}`, "image", `{"type":"object","properties":{"base64"`},
		{"audio/wav", "RIFF", `{"body":{"base64":"UklGRg==","mimeType":"audio/wav"}}`, "audio", `{"type":"object","properties":{"base64"`},
		{"image/svg+xml", "<svg/>", `{"body":"<svg/>"}`, "text", `{"type":"string"}`},
		{"application/x-ndjson; charset=utf-8", "{\"n\":1}\n{}\n", `{"body":[{"n":1},{}]}`, "text", `{"type":"array"}`},
		{"application/x-ndjson", "{", `{"body":"{"}`, "text", `{"type":"array"}`},
		{"application/javascript", "f()", `{"body":"f()"}`, "text", `{"type":"string"}`},
	} {
		o := openapi.Options{Source: strings.Replace(source, "MEDIA", c.media, 1), Transport: roundTrip(func(*http.Request) (*http.Response, error) {
			return &http.Response{StatusCode: http.StatusOK, Header: http.Header{"Content-Type": {c.media}}, Body: io.NopCloser(strings.NewReader(c.body))}, nil
		})}
		op := tool(t, "a", o)
		if got, ok := answer(t, op, "{}"); !ok || got != c.want {
			t.Errorf("%s: %s", c.media, got)
		}
		if !strings.Contains(fmt.Sprintf("%s", op.OutputSchema), c.output) {
			t.Errorf("%s: the schema is %s", c.media, op.OutputSchema)
		}
		block := "text"
		switch b := op.Call(t.Context(), nil).Content[0].(type) {
		case *mcp.ImageContent:
			block = "image"
			if string(b.Data) != c.body || b.MIMEType != c.media {
				t.Errorf("the image is %+v", b)
			}
		case *mcp.AudioContent:
			block = "audio"
		}
		if block != c.block {
			t.Errorf("%s: its content is %s", c.media, block)
		}
	}
}
