package run

import (
	"bytes"
	"encoding/json"
	"slices"
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

// MostTokens returns what a request to a model and its reply, of at most maxReply tokens, are
// assumed to take at most.
func (c *Call) MostTokens(maxReply int) int {
	var asked ModelRequest
	if json.Unmarshal(c.Args, &asked) == nil && asked.MaxTokens > 0 {
		maxReply = min(maxReply, asked.MaxTokens)
	}
	return EstimateTokens(len(c.Args)) + maxReply
}

// EstimateTokens returns how many tokens so many bytes of text are assumed to be.
func EstimateTokens(bytes int) int { return (bytes + 2) / 3 }

// Tokens returns the tokens of a request to a model, an estimate while its reply is not known.
// asks is false for other intents.
func (in *Intent) Tokens() (t Tokens, asks bool) {
	if !bytes.Contains(in.Detail, []byte(`"server":"`+ModelServer+`"`)) { // most are not read
		return t, false
	}
	var c Called
	_ = json.Unmarshal(in.Detail, &c) // of our own
	var o struct {
		Structured ModelReply `json:"structured"` // of an error, {status, headers, body}
	}
	if in.Outcome == nil {
		return Tokens{Input: c.Tokens, Estimated: true}, c.Server == ModelServer
	}
	_ = json.Unmarshal(in.Outcome, &o) // of our own
	return o.Structured.Tokens, c.Server == ModelServer
}

// A TokenUse has the tokens of the requests of a node.
type TokenUse struct {
	Node     string `json:"node"`
	Requests int    `json:"requests"`
	Tokens
}

// TokenUses returns the tokens of the nodes of a run that ask models, in the order of their
// first requests, and their sum.
func (r *Record) TokenUses() (uses []TokenUse, all Tokens) {
	var nodes map[string]string // by key of the step
	for i := range r.Intents {
		in := &r.Intents[i]
		t, asks := in.Tokens()
		if !asks {
			continue
		}
		if nodes == nil {
			nodes = map[string]string{}
			for _, s := range r.Steps {
				nodes[s.Key] = s.Node
			}
		}
		at := slices.IndexFunc(uses, func(u TokenUse) bool { return u.Node == nodes[in.Step] })
		if at < 0 {
			at, uses = len(uses), append(uses, TokenUse{Node: nodes[in.Step]})
		}
		uses[at].Requests++
		uses[at].Add(t)
		all.Add(t)
	}
	return uses, all
}

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
