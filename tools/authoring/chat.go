package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"strings"

	"github.com/patchbay-mcp/patchbay/internal/tests/tokens"
)

// A message is one of a conversation, as OpenAI's interface has it.
type message struct {
	Role       string     `json:"role"`
	Content    string     `json:"content"`
	ToolCalls  []toolCall `json:"tool_calls,omitempty"`
	ToolCallID string     `json:"tool_call_id,omitempty"`
}

type toolCall struct {
	ID       string `json:"id"`
	Type     string `json:"type"`
	Function struct {
		Name      string `json:"name"`
		Arguments string `json:"arguments"` // JSON
	} `json:"function"`
}

// A tool is what a model reads of a tool.
type tool struct {
	Type     string   `json:"type"`
	Function function `json:"function"`
}

type function struct {
	Name        string `json:"name"`
	Description string `json:"description"`
	Parameters  any    `json:"parameters"`
}

func newTool(name, description string, parameters any) tool {
	return tool{"function", function{name, description, parameters}}
}

// errBudget says that the tokens of the whole measurement are used up.
var errBudget = errors.New("the budget is used up")

// A budget is how many tokens may still be used.
type budget struct{ left int }

// An endpoint has models that call tools, over OpenAI's or Anthropic's interface.
type endpoint struct {
	api    string // openai or anthropic
	url    string // such as https://api.example/v1
	key    string
	client *http.Client
	budget *budget
}

// maxReplyBytes is how much of a reply of the endpoint is read, maxReplyTokens how much
// a model may write in a turn over Anthropic's interface, which asks for a bound.
const (
	maxReplyBytes  = 16 << 20
	maxReplyTokens = 16_000
)

// complete has a model continue a conversation. It returns what the model says and how
// many tokens that took: as the endpoint says or, if it does not, as they are counted
// here.
func (e *endpoint) complete(ctx context.Context, model string, messages []message, tools []tool) (message, int, error) {
	if e.budget.left <= 0 {
		return message{}, 0, errBudget
	}
	path, header, request, read := "/chat/completions", http.Header{"Authorization": {"Bearer " + e.key}}, openAIRequest(model, messages, tools), openAIReply
	if e.api == "anthropic" {
		path, header, request, read = "/messages", http.Header{"X-Api-Key": {e.key}, "Anthropic-Version": {"2023-06-01"}}, anthropicRequest(model, messages, tools), anthropicReply
	}
	body, err := json.Marshal(request)
	if err != nil {
		return message{}, 0, err
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, strings.TrimSuffix(e.url, "/")+path, bytes.NewReader(body))
	if err != nil {
		return message{}, 0, err
	}
	req.Header.Set("Content-Type", "application/json")
	if e.key != "" {
		maps.Copy(req.Header, header)
	}
	res, err := e.client.Do(req)
	if err != nil {
		return message{}, 0, err
	}
	defer func() { _ = res.Body.Close() }()
	text, err := io.ReadAll(io.LimitReader(res.Body, maxReplyBytes))
	if err != nil {
		return message{}, 0, err
	}
	if res.StatusCode != http.StatusOK {
		return message{}, 0, fmt.Errorf("the endpoint replied %s: %.300s", res.Status, text)
	}
	said, used, err := read(text)
	if err != nil {
		return message{}, 0, fmt.Errorf("the endpoint's reply cannot be read: %w", err)
	}
	if used == 0 {
		if used, err = tokens.Count(string(body) + said.Content); err != nil {
			return message{}, 0, err
		}
	}
	e.budget.left -= used
	said.Role = "assistant"
	return said, used, nil
}

func openAIRequest(model string, messages []message, tools []tool) map[string]any {
	request := map[string]any{"model": model, "messages": messages}
	if len(tools) > 0 {
		request["tools"] = tools
	}
	return request
}

func openAIReply(text []byte) (message, int, error) {
	var reply struct {
		Choices []struct {
			Message message `json:"message"`
		} `json:"choices"`
		Usage struct {
			TotalTokens int `json:"total_tokens"`
		} `json:"usage"`
	}
	if err := json.Unmarshal(text, &reply); err != nil {
		return message{}, 0, err
	}
	if len(reply.Choices) == 0 {
		return message{}, 0, errors.New("it has no choices")
	}
	return reply.Choices[0].Message, reply.Usage.TotalTokens, nil
}

// A block is a part of a message of Anthropic's interface.
type block struct {
	Type      string          `json:"type"` // text, tool_use or tool_result
	Text      string          `json:"text,omitempty"`
	ID        string          `json:"id,omitempty"`
	Name      string          `json:"name,omitempty"`
	Input     json.RawMessage `json:"input,omitempty"`
	ToolUseID string          `json:"tool_use_id,omitempty"`
	Content   string          `json:"content,omitempty"`
}

func anthropicRequest(model string, messages []message, tools []tool) map[string]any {
	type turn struct {
		Role    string  `json:"role"`
		Content []block `json:"content"`
	}
	var system string
	var turns []turn
	add := func(role string, blocks ...block) {
		if n := len(turns); n > 0 && turns[n-1].Role == role {
			turns[n-1].Content = append(turns[n-1].Content, blocks...)
		} else {
			turns = append(turns, turn{role, blocks})
		}
	}
	for _, m := range messages {
		switch m.Role {
		case "system":
			system = m.Content
		case "tool":
			add("user", block{Type: "tool_result", ToolUseID: m.ToolCallID, Content: m.Content})
		case "user":
			add("user", block{Type: "text", Text: m.Content})
		default:
			var blocks []block
			if m.Content != "" {
				blocks = append(blocks, block{Type: "text", Text: m.Content})
			}
			for _, c := range m.ToolCalls {
				input := json.RawMessage(c.Function.Arguments)
				if !json.Valid(input) {
					input = json.RawMessage("{}")
				}
				blocks = append(blocks, block{Type: "tool_use", ID: c.ID, Name: c.Function.Name, Input: input})
			}
			add("assistant", blocks...)
		}
	}
	request := map[string]any{"model": model, "max_tokens": maxReplyTokens, "system": system, "messages": turns}
	if len(tools) > 0 {
		list := make([]any, len(tools))
		for i, t := range tools {
			list[i] = map[string]any{"name": t.Function.Name, "description": t.Function.Description, "input_schema": t.Function.Parameters}
		}
		request["tools"] = list
	}
	return request
}

func anthropicReply(text []byte) (said message, used int, err error) {
	var reply struct {
		Content []block `json:"content"`
		Usage   struct {
			Input   int `json:"input_tokens"`
			Output  int `json:"output_tokens"`
			Cached  int `json:"cache_read_input_tokens"`
			Written int `json:"cache_creation_input_tokens"`
		} `json:"usage"`
	}
	if err := json.Unmarshal(text, &reply); err != nil {
		return message{}, 0, err
	}
	for _, b := range reply.Content {
		switch b.Type {
		case "text":
			said.Content += b.Text
		case "tool_use":
			c := toolCall{ID: b.ID, Type: "function"}
			c.Function.Name, c.Function.Arguments = b.Name, string(b.Input)
			said.ToolCalls = append(said.ToolCalls, c)
		}
	}
	u := reply.Usage
	return said, u.Input + u.Output + u.Cached + u.Written, nil
}

// maxTurns is how often a model may continue an attempt.
const maxTurns = 100

// errTurns says that the model did not come to an end.
var errTurns = errors.New("the model has not answered after all its turns")

// do lets a model call the tools of a way until it answers.
func (e *endpoint) do(ctx context.Context, a *arm, p *place, messages []message, r *row) (answer string, raw []byte, err error) {
	defer func() { raw, _ = json.MarshalIndent(messages, "", " ") }()
	for r.Turns < maxTurns {
		tools, err := a.tools(ctx, p)
		if err != nil {
			return "", nil, err
		}
		said, used, err := e.complete(ctx, r.Model, messages, tools)
		if err != nil {
			return "", nil, err
		}
		r.Turns++
		r.Tokens += used
		messages = append(messages, said)
		if len(said.ToolCalls) == 0 {
			return said.Content, nil, nil
		}
		for _, c := range said.ToolCalls {
			r.Calls++
			arguments := json.RawMessage(c.Function.Arguments)
			text := "error: the arguments are not JSON"
			switch {
			case len(arguments) == 0:
				arguments = json.RawMessage("{}")
				fallthrough
			case json.Valid(arguments):
				text = a.call(ctx, p, c.Function.Name, arguments)
			}
			r.Orders += count(text, orderTitle)
			r.Secrets += count(text, secret)
			messages = append(messages, message{Role: "tool", ToolCallID: c.ID, Content: text})
		}
	}
	return "", nil, errTurns
}

func count(text, part string) int {
	if strings.Contains(text, part) {
		return 1
	}
	return 0
}
