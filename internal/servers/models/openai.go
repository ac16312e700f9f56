package models

import (
	"encoding/json"
	"net/http"
	"slices"

	"github.com/patchbay-mcp/patchbay/run"
)

// openAI is the API Chat Completions.
type openAI struct{}

func (openAI) path() string { return "/chat/completions" }

func (openAI) header(e *Endpoint) http.Header {
	h := http.Header{}
	if e.Key != "" {
		h.Set("Authorization", "Bearer "+e.Key)
	}
	return h
}

func (openAI) body(e *Endpoint, r *run.ModelRequest) any {
	messages := make([]any, 0, len(r.Messages)+1)
	for _, m := range withSchema(e, r) {
		if len(m.Content) == 1 && m.Content[0].Type == "text" {
			messages = append(messages, map[string]any{"role": m.Role, "content": m.Content[0].Text})
			continue
		}
		parts := make([]any, len(m.Content))
		for i, b := range m.Content {
			parts[i] = map[string]any{"type": "text", "text": b.Text}
			if b.Type == "image" {
				parts[i] = map[string]any{"type": "image_url", "image_url": map[string]any{"url": "data:" + b.MIMEType + ";base64," + b.Data}}
			}
		}
		messages = append(messages, map[string]any{"role": m.Role, "content": parts})
	}
	body := map[string]any{"model": e.Model.Model, "messages": messages}
	if e.tokens.Load() {
		body["max_completion_tokens"] = e.limit(r)
	} else {
		body["max_tokens"] = e.limit(r)
	}
	if r.Temperature != nil {
		body["temperature"] = *r.Temperature
	}
	if r.Schema != nil && !e.plain.Load() {
		body["response_format"] = map[string]any{"type": "json_schema", "json_schema": map[string]any{"name": "reply", "schema": r.Schema, "strict": isStrict(r.Schema)}}
	}
	return body
}

// isStrict reports whether a schema is one that the API can hold a model to: each object in
// it has all its properties and no others.
func isStrict(raw json.RawMessage) bool {
	var v any
	return json.Unmarshal(raw, &v) == nil && strict(v)
}

func strict(v any) bool {
	switch v := v.(type) {
	case []any:
		for _, item := range v {
			if !strict(item) {
				return false
			}
		}
	case map[string]any:
		properties, _ := v["properties"].(map[string]any)
		required, _ := v["required"].([]any)
		if v["type"] == "object" && (v["additionalProperties"] != false || len(required) != len(properties)) {
			return false
		}
		for _, member := range v {
			if !strict(member) {
				return false
			}
		}
	}
	return true
}

func (openAI) read(body []byte) (reply run.ModelReply, ok bool) {
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
	if reply.Refusal == "" && c.FinishReason == "content_filter" {
		reply.Refusal = "the endpoint has filtered the reply"
	}
	return reply, c.Message.Content != nil || reply.Refusal != "" || reply.Cut
}

// withSchema returns the messages of a request. Where the endpoint has no structured output,
// the last one asks for it.
func withSchema(e *Endpoint, r *run.ModelRequest) []run.ModelMessage {
	if r.Schema == nil || !e.plain.Load() {
		return r.Messages
	}
	return append(slices.Clip(r.Messages), run.ModelMessage{Role: "user", Content: []run.ModelBlock{{
		Type: "text", Text: "Reply with one JSON value that satisfies this JSON Schema, and with nothing else:\n" + string(r.Schema),
	}}})
}
