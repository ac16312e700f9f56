package run

import (
	"encoding/json"
	"strings"
)

// ModelServer is the server of a [Call] that asks a model. Tool is the name of the model in
// the configuration, Args are a [ModelRequest] and the result is a [ModelReply]. An error is
// {status, headers, body}, as that of a request.
const ModelServer = "model:"

// A ModelRequest is what a model is asked.
type ModelRequest struct {
	Messages    []ModelMessage  `json:"messages"`
	Schema      json.RawMessage `json:"schema,omitempty"` // of the reply; absent for text
	Temperature *float64        `json:"temperature,omitempty"`
	MaxTokens   int             `json:"maxTokens,omitempty"` // of the reply; 0 is the model's
}

// A ModelMessage is one message of a conversation.
type ModelMessage struct {
	Role    string       `json:"role"` // system, user or assistant
	Content []ModelBlock `json:"content"`
}

// A ModelBlock is a part of a message, in the form of MCP's content.
type ModelBlock struct {
	Type     string `json:"type"` // text or image
	Text     string `json:"text,omitempty"`
	Data     string `json:"data,omitempty"` // of an image, in base64
	MIMEType string `json:"mimeType,omitempty"`
}

// A ModelReply is what a model has answered.
type ModelReply struct {
	Text    string          `json:"text"`
	Output  json.RawMessage `json:"output,omitempty"`  // by the schema, where the endpoint gives it apart from the text
	Refusal string          `json:"refusal,omitempty"` // why it did not answer
	Cut     bool            `json:"cut,omitempty"`     // at MaxTokens
	Model   string          `json:"model"`             // its version, as the endpoint names it
	Tokens  Tokens          `json:"tokens"`
}

// Tokens are what calls of models have cost.
type Tokens struct {
	Input     int  `json:"input"`
	Output    int  `json:"output"`
	Estimated bool `json:"estimated,omitempty"` // the endpoint did not say: a token for each 3 bytes, rounded up
}

// Sum returns the tokens in both directions.
func (t Tokens) Sum() int { return t.Input + t.Output }

// Add adds those of another call.
func (t *Tokens) Add(more Tokens) {
	t.Input, t.Output, t.Estimated = t.Input+more.Input, t.Output+more.Output, t.Estimated || more.Estimated
}

// EstimateTokens returns how many tokens so many bytes of text are assumed to be.
func EstimateTokens(bytes int) int { return (bytes + 2) / 3 }

// JSON returns the text that is to be the JSON value of a reply by a schema, without a fence
// of Markdown around it.
func (r *ModelReply) JSON() []byte {
	if r.Output != nil {
		return r.Output
	}
	text := strings.TrimSpace(r.Text)
	if rest, fenced := strings.CutPrefix(text, "```"); fenced {
		text = strings.TrimSpace(strings.TrimSuffix(strings.TrimPrefix(rest, "json"), "```"))
	}
	return []byte(text)
}
