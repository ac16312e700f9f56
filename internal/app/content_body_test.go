package app_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/patchbay-mcp/patchbay/internal/execution"
	"github.com/patchbay-mcp/patchbay/internal/plans"
)

// An image that an http node or an API has answered is a content block of the reply, and its
// base64 is not in the text.
func TestAnsweredImagesAreContent(t *testing.T) {
	pb := product(t)
	graph := json.RawMessage(`{"name":"g","nodes":[{"id":"entry","type":"entry","next":"a"},{"id":"a","type":"transform","transform":{"expr":"{'all':[{'base64':'iVBORw==','mimeType':'image/png'},{'base64':'iVBORw==','mimeType':'application/pdf'},{'base64':'iVBORw==','mimeType':'image/png','more':1}]}"},"next":"exit"},{"id":"exit","type":"exit"}]}`)
	r, fault := pb.Run(t.Context(), execution.RunInput{GraphInput: plans.GraphInput{Graph: graph}})
	if fault != nil || r.Content() == nil {
		t.Fatalf("%v %+v", fault, r)
	}
	c := r.Content()
	if len(c.Blocks) != 1 || string(c.Blocks[0]) != `{"type":"image","data":"iVBORw==","mimeType":"image/png"}` {
		t.Errorf("the blocks are %s", c.Blocks)
	}
	if short := string(c.Short); strings.Count(short, "iVBORw==") != 2 || !strings.Contains(short, `{"base64":"(content[1] of this reply, 8 bytes of base64)","mimeType":"image/png"}`) {
		t.Errorf("the text is %s", short)
	}
	if !strings.Contains(string(r.Result), `{"base64":"iVBORw==","mimeType":"image/png"}`) {
		t.Errorf("the result is %s", r.Result)
	}
}
