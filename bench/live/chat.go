package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"

	"github.com/patchbay-mcp/patchbay/internal/tests/tokens"
)

// A message is one of a conversation, as the endpoint takes it.
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

// An endpoint is an OpenAI-compatible one, and what is used of it.
type endpoint struct {
	url    string // such as https://api.example/v1
	key    string
	client *http.Client
	budget *budget
}

// maxReplyBytes is how much of a reply of the endpoint is read.
const maxReplyBytes = 16 << 20

// complete has a model continue a conversation. It returns what the model says and how
// many tokens that took: as the endpoint says or, if it does not, as they are counted
// here.
func (e *endpoint) complete(ctx context.Context, model string, messages []message, tools []tool) (message, int, error) {
	if e.budget.left <= 0 {
		return message{}, 0, errBudget
	}
	request := map[string]any{"model": model, "messages": messages}
	if len(tools) > 0 {
		request["tools"] = tools
	}
	body, err := json.Marshal(request)
	if err != nil {
		return message{}, 0, err
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, strings.TrimSuffix(e.url, "/")+"/chat/completions", bytes.NewReader(body))
	if err != nil {
		return message{}, 0, err
	}
	req.Header.Set("Content-Type", "application/json")
	if e.key != "" {
		req.Header.Set("Authorization", "Bearer "+e.key)
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
	var reply struct {
		Choices []struct {
			Message message `json:"message"`
		} `json:"choices"`
		Usage struct {
			TotalTokens int `json:"total_tokens"`
		} `json:"usage"`
	}
	if err := json.Unmarshal(text, &reply); err != nil {
		return message{}, 0, fmt.Errorf("the endpoint's reply cannot be read: %w", err)
	}
	if len(reply.Choices) == 0 {
		return message{}, 0, errors.New("the endpoint's reply has no choices")
	}
	used := reply.Usage.TotalTokens
	if used == 0 {
		if used, err = tokens.Count(string(body) + reply.Choices[0].Message.Content); err != nil {
			return message{}, 0, err
		}
	}
	e.budget.left -= used
	said := reply.Choices[0].Message
	said.Role = "assistant"
	return said, used, nil
}
