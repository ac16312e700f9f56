package models

import (
	"cmp"
	"encoding/json"
	"maps"
	"net/http"
	"slices"
	"strings"

	"github.com/patchbay-mcp/patchbay/run"
)

// A format is what is an API's own in its requests and replies.
type format struct {
	path   string
	key    string      // the header of the key
	before string      // what precedes the key in it
	header http.Header // of every request
	system string      // the field of the system's messages; "" leaves them among the others
	image  func(b run.ModelBlock) map[string]any
	schema func(body map[string]any, schema json.RawMessage) // asks for a reply by a schema
	read   func(body []byte) (reply run.ModelReply, ok bool) // not ok: the body is not a reply
}

// formats are those of the APIs by name.
var formats = map[string]*format{
	"openai": {
		path: "/chat/completions", key: "Authorization", before: "Bearer ",
		image: func(b run.ModelBlock) map[string]any {
			return map[string]any{"type": "image_url", "image_url": map[string]any{"url": "data:" + b.MIMEType + ";base64," + b.Data}}
		},
		schema: func(body map[string]any, schema json.RawMessage) {
			var v any
			strict := json.Unmarshal(schema, &v) == nil && isStrict(v)
			body["response_format"] = map[string]any{"type": "json_schema", "json_schema": map[string]any{"name": "reply", "schema": schema, "strict": strict}}
		},
		read: readCompletion,
	},
	"anthropic": {
		path: "/messages", key: "X-Api-Key", header: http.Header{"Anthropic-Version": {"2023-06-01"}}, system: "system",
		image: func(b run.ModelBlock) map[string]any {
			return map[string]any{"type": "image", "source": map[string]any{"type": "base64", "media_type": b.MIMEType, "data": b.Data}}
		},
		schema: askTool,
		read:   readMessage,
	},
}

// body is the body of a request.
func (e *Endpoint) body(r *run.ModelRequest) map[string]any {
	limit := "max_tokens"
	if e.tokens.Load() {
		limit = "max_completion_tokens"
	}
	body := map[string]any{"model": e.Model.Model, limit: e.limit(r)}
	if r.Temperature != nil {
		body["temperature"] = *r.Temperature
	}
	asked := r.Messages
	if r.Schema != nil && e.plain.Load() {
		asked = append(slices.Clip(asked), run.ModelMessage{Role: "user", Content: []run.ModelBlock{{
			Type: "text", Text: "Reply with one JSON value that satisfies this JSON Schema, and with nothing else:\n" + string(r.Schema),
		}}})
	} else if r.Schema != nil {
		e.format.schema(body, r.Schema)
	}
	var system []string
	var messages []any
	for _, m := range asked {
		if m.Role == "system" && e.format.system != "" {
			for _, b := range m.Content {
				system = append(system, b.Text)
			}
			continue
		}
		messages = append(messages, map[string]any{"role": m.Role, "content": e.format.content(m.Content)})
	}
	if len(system) > 0 {
		body[e.format.system] = strings.Join(system, "\n\n")
	}
	body["messages"] = messages
	return body
}

// content is that of a message. Some servers know texts only.
func (f *format) content(blocks []run.ModelBlock) any {
	if len(blocks) == 1 && blocks[0].Type == "text" {
		return blocks[0].Text
	}
	parts := make([]any, len(blocks))
	for i, b := range blocks {
		parts[i] = map[string]any{"type": "text", "text": b.Text}
		if b.Type == "image" {
			parts[i] = f.image(b)
		}
	}
	return parts
}

// isStrict reports whether a schema is one that Chat Completions can hold a model to: each
// object in it has all its properties and no others.
func isStrict(v any) bool {
	relaxed := func(v any) bool { return !isStrict(v) }
	switch v := v.(type) {
	case []any:
		return !slices.ContainsFunc(v, relaxed)
	case map[string]any:
		properties, _ := v["properties"].(map[string]any)
		required, _ := v["required"].([]any)
		if v["type"] == "object" && (v["additionalProperties"] != false || len(required) != len(properties)) {
			return false
		}
		return !slices.ContainsFunc(slices.Collect(maps.Values(v)), relaxed)
	}
	return true
}

// readCompletion reads a reply of Chat Completions.
func readCompletion(body []byte) (reply run.ModelReply, ok bool) {
	var r struct {
		Model   string `json:"model"`
		Choices []struct {
			Message struct {
				Content *string `json:"content"`
				Refusal string  `json:"refusal"`
			} `json:"message"`
			FinishReason string `json:"finish_reason"`
		} `json:"choices"`
		Usage struct {
			Input  int `json:"prompt_tokens"`
			Output int `json:"completion_tokens"`
		} `json:"usage"`
	}
	if json.Unmarshal(body, &r) != nil || len(r.Choices) == 0 {
		return reply, false
	}
	c := r.Choices[0]
	reply = run.ModelReply{Model: r.Model, Refusal: c.Message.Refusal, Cut: c.FinishReason == "length", Tokens: run.Tokens{Input: r.Usage.Input, Output: r.Usage.Output}}
	if c.Message.Content != nil {
		reply.Text = *c.Message.Content
	}
	if c.FinishReason == "content_filter" {
		reply.Refusal = cmp.Or(reply.Refusal, "the endpoint has filtered the reply")
	}
	return reply, c.Message.Content != nil || reply.Refusal != "" || reply.Cut
}

// The tool of Messages whose input is the reply by a schema; {value} where the schema is not
// that of an object.
const (
	replyTool   = "reply"
	wrappedTool = "reply_value"
)

// askTool has a model of Messages call the tool that takes the reply.
func askTool(body map[string]any, schema json.RawMessage) {
	var s struct {
		Type any `json:"type"`
	}
	_ = json.Unmarshal(schema, &s) // what has no type is wrapped
	name := replyTool
	if s.Type != "object" {
		name = wrappedTool
		schema, _ = json.Marshal(map[string]any{"type": "object", "properties": map[string]any{"value": schema}, "required": []string{"value"}})
	}
	body["tools"] = []any{map[string]any{"name": name, "description": "Gives the reply.", "input_schema": schema}}
	body["tool_choice"] = map[string]any{"type": "tool", "name": name}
}

// readMessage reads a reply of Messages.
func readMessage(body []byte) (reply run.ModelReply, ok bool) {
	var r struct {
		Type    string `json:"type"`
		Model   string `json:"model"`
		Content []struct {
			Type  string          `json:"type"`
			Text  string          `json:"text"`
			Name  string          `json:"name"`
			Input json.RawMessage `json:"input"`
		} `json:"content"`
		StopReason string `json:"stop_reason"`
		Usage      struct {
			Input   int `json:"input_tokens"`
			Written int `json:"cache_creation_input_tokens"`
			Cached  int `json:"cache_read_input_tokens"`
			Output  int `json:"output_tokens"`
		} `json:"usage"`
	}
	if json.Unmarshal(body, &r) != nil || r.Type != "message" {
		return reply, false
	}
	reply = run.ModelReply{Model: r.Model, Cut: r.StopReason == "max_tokens", Tokens: run.Tokens{Input: r.Usage.Input + r.Usage.Written + r.Usage.Cached, Output: r.Usage.Output}}
	for _, c := range r.Content {
		switch {
		case c.Type == "text":
			reply.Text += c.Text
		case c.Type == "tool_use" && c.Name == wrappedTool:
			var wrapped struct {
				Value json.RawMessage `json:"value"`
			}
			_ = json.Unmarshal(c.Input, &wrapped) // without a value, the text is the reply
			reply.Output = wrapped.Value
		case c.Type == "tool_use":
			reply.Output = c.Input
		}
	}
	if r.StopReason == "refusal" {
		reply.Refusal = cmp.Or(reply.Text, "the model does not answer this")
	}
	return reply, true
}
