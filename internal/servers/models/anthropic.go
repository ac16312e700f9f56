package models

import (
	"encoding/json"
	"net/http"
	"strings"

	"github.com/patchbay-mcp/patchbay/run"
)

// anthropic is the API Messages. A reply by a schema is the input of the one tool that the
// model may call; {value} where the schema is not that of an object.
type anthropic struct{}

func (anthropic) path() string { return "/messages" }

func (anthropic) header(e *Endpoint) http.Header {
	h := http.Header{}
	h.Set("Anthropic-Version", "2023-06-01")
	if e.Key != "" {
		h.Set("X-Api-Key", e.Key)
	}
	return h
}

const (
	replyTool   = "reply"
	wrappedTool = "reply_value"
)

func (anthropic) body(e *Endpoint, r *run.ModelRequest) any {
	var system []string
	var messages []any
	for _, m := range withSchema(e, r) {
		parts := make([]any, len(m.Content))
		for i, b := range m.Content {
			if m.Role == "system" {
				system = append(system, b.Text)
			}
			parts[i] = map[string]any{"type": "text", "text": b.Text}
			if b.Type == "image" {
				parts[i] = map[string]any{"type": "image", "source": map[string]any{"type": "base64", "media_type": b.MIMEType, "data": b.Data}}
			}
		}
		if m.Role != "system" {
			messages = append(messages, map[string]any{"role": m.Role, "content": parts})
		}
	}
	body := map[string]any{"model": e.Model.Model, "messages": messages, "max_tokens": e.limit(r)}
	if len(system) > 0 {
		body["system"] = strings.Join(system, "\n\n")
	}
	if r.Temperature != nil {
		body["temperature"] = *r.Temperature
	}
	if r.Schema != nil && !e.plain.Load() {
		var s struct {
			Type any `json:"type"`
		}
		_ = json.Unmarshal(r.Schema, &s) // what has no type is wrapped
		name, schema := replyTool, r.Schema
		if s.Type != "object" {
			name = wrappedTool
			schema, _ = json.Marshal(map[string]any{"type": "object", "properties": map[string]any{"value": r.Schema}, "required": []string{"value"}})
		}
		body["tools"] = []any{map[string]any{"name": name, "description": "Gives the reply.", "input_schema": schema}}
		body["tool_choice"] = map[string]any{"type": "tool", "name": name}
	}
	return body
}

func (anthropic) read(body []byte) (reply run.ModelReply, ok bool) {
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
		reply.Refusal = reply.Text
		if reply.Refusal == "" {
			reply.Refusal = "the model does not answer this"
		}
	}
	return reply, true
}
