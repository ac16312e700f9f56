package reply

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/engine"
	"github.com/patchbay-mcp/patchbay/expr"
)

// Bounds on the content blocks of one reply.
const (
	maxBlocks     = 100
	maxBlockBytes = 8 << 20 // of JSON, together
)

// Content are the content blocks in the value of a reply: images, audio, resources and
// links to resources. A value with the shape of one is one, wherever it stands and
// whoever made it.
type Content struct {
	Blocks []json.RawMessage // in the order of the value
	// Short is the value with a note in place of the base64 of each block.
	Short json.RawMessage
}

// A ContentReply is a result whose value may have content blocks.
type ContentReply interface {
	// Content returns the blocks, nil if there are none.
	Content() *Content
	// Brief is the result with [Content.Short] as its value.
	Brief() any
}

// ReadContent returns the content blocks of a value, nil if it has none.
func ReadContent(v expr.Value) *Content {
	if !hasContent(v) {
		return nil
	}
	b, err := expr.Encode(v)
	if err != nil {
		return nil
	}
	return ContentIn(b)
}

func hasContent(v expr.Value) bool {
	switch t := v.(type) {
	case expr.Object:
		if isContent(t) {
			return true
		}
		for _, key := range t.Keys() {
			if member, _ := t.Get(key); hasContent(member) {
				return true
			}
		}
	case []any:
		return slices.ContainsFunc(t, hasContent)
	}
	return false
}

// ContentIn is readContent for JSON.
func ContentIn(raw json.RawMessage) *Content {
	if !slices.ContainsFunc([]string{`"image"`, `"audio"`, `"resource"`, `"resource_link"`, `"base64"`}, func(typ string) bool { return bytes.Contains(raw, []byte(typ)) }) {
		return nil
	}
	v, err := expr.Decode(raw)
	if err != nil {
		return nil
	}
	c, size := &Content{}, 0
	c.take(v, &size)
	if len(c.Blocks) == 0 {
		return nil
	}
	if c.Short, err = expr.Encode(v); err != nil {
		return nil
	}
	return c
}

// take collects the blocks of a value, and shortens them in it.
func (c *Content) take(v expr.Value, size *int) {
	switch t := v.(type) {
	case expr.Object:
		if !isContent(t) {
			for _, member := range t.All() {
				c.take(member, size)
			}
			return
		}
		block, err := expr.Encode(asBlock(t))
		if err != nil || len(c.Blocks) == maxBlocks || *size+len(block) > maxBlockBytes {
			shorten(t, "left out: the blocks of a reply are too many or too large")
			return
		}
		c.Blocks, *size = append(c.Blocks, block), *size+len(block)
		shorten(t, fmt.Sprintf("content[%d] of this reply", len(c.Blocks))) // content[0] is text
	case []any:
		for _, item := range t {
			c.take(item, size)
		}
	}
}

// shorten replaces the base64 of a block by a note.
func shorten(block expr.Object, note string) {
	for _, at := range []struct{ parent, key string }{{"", "data"}, {"resource", "blob"}, {"", "base64"}} {
		in := block
		if at.parent != "" {
			in, _ = expr.Member(block, at.parent).(expr.Object)
		}
		if data := expr.TextAt(in, at.key); data != "" {
			in.Set(at.key, fmt.Sprintf("(%s, %s of base64)", note, diag.Bytes(int64(len(data)))))
		}
	}
}

// isContent reports whether an object has the shape of a content block other than text,
// as MCP defines it.
func isContent(o expr.Object) bool {
	o = asBlock(o)
	switch expr.TextAt(o, "type") {
	case "image", "audio":
		return expr.TextAt(o, "data") != "" && expr.TextAt(o, "mimeType") != "" && only(o, "type", "data", "mimeType", "annotations", "_meta")
	case "resource":
		r := expr.Member(o, "resource")
		return expr.TextAt(r, "uri") != "" && (hasText(r, "text") || hasText(r, "blob")) && only(o, "type", "resource", "annotations", "_meta")
	case "resource_link":
		return expr.TextAt(o, "uri") != "" && expr.TextAt(o, "name") != "" && only(o, "type", "uri", "name", "title", "description", "mimeType", "size", "icons", "annotations", "_meta")
	}
	return false
}

// asBlock is an object, or the content block of an image or a sound that an http node or an API
// has answered.
func asBlock(o expr.Object) expr.Object {
	kind, _, _ := strings.Cut(expr.TextAt(o, "mimeType"), "/")
	if kind != "image" && kind != "audio" || !hasText(o, "base64") || !only(o, "base64", "mimeType") {
		return o
	}
	block := expr.NewObject()
	block.Set("type", kind)
	block.Set("data", expr.TextAt(o, "base64"))
	block.Set("mimeType", expr.TextAt(o, "mimeType"))
	return block
}

func hasText(of expr.Value, key string) bool {
	_, ok := expr.Member(of, key).(string)
	return ok
}

// only reports whether an object has no other keys.
func only(o expr.Object, keys ...string) bool {
	return !slices.ContainsFunc(o.Keys(), func(key string) bool { return !slices.Contains(keys, key) })
}

// ToolReply is the short value as the reply of a published graph.
func (c *Content) ToolReply() json.RawMessage { return engine.Wrap(c.Short) }

// Shown is the short value within the limit of a value in a trace, and its size if it is
// cut.
func (c *Content) Shown() (json.RawMessage, int) {
	if len(c.Short) <= MaxTraceBytes {
		return c.Short, 0
	}
	return diag.CutJSON(c.Short, MaxTraceBytes), len(c.Short)
}
