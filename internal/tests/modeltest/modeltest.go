// Package modeltest is an endpoint for tests that speaks the wire formats of models, Chat
// Completions at /v1/chat/completions and Messages at /v1/messages. It imports nothing of the
// product.
package modeltest

import (
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"sync"
)

// A Request is what was asked, in either format.
type Request struct {
	API    string // openai or anthropic
	Prompt string // the texts of all messages, each on its own line
	Schema bool   // structured output was asked for
	Images int
	Body   map[string]any
	Header http.Header
}

// A Reply is how to answer. The zero Reply is an empty text.
type Reply struct {
	Text     string // of the message; with a schema, JSON
	Refusal  string
	Cut      bool // by the limit of tokens
	In, Out  int  // tokens; 0 for both reports none
	Status   int  // an error, unless it is 0
	Header   map[string]string
	Raw      string          // the body instead of all this
	Hang     <-chan struct{} // the reply is not sent before it is closed
	Unstruct bool            // the endpoint does not know structured output
}

// An Endpoint answers requests. It is an http.Handler, safe for concurrent use.
type Endpoint struct {
	Answer func(n int, r Request) Reply // of the n-th request, from 1

	mu       sync.Mutex
	requests []Request
}

// Requests returns the requests so far.
func (e *Endpoint) Requests() []Request {
	e.mu.Lock()
	defer e.mu.Unlock()
	return append([]Request(nil), e.requests...)
}

// ServeHTTP implements http.Handler.
func (e *Endpoint) ServeHTTP(w http.ResponseWriter, req *http.Request) {
	data, _ := io.ReadAll(req.Body)
	r := Request{Header: req.Header, API: "openai"}
	if strings.HasSuffix(req.URL.Path, "/messages") {
		r.API = "anthropic"
	} else if !strings.HasSuffix(req.URL.Path, "/chat/completions") {
		http.NotFound(w, req)
		return
	}
	if json.Unmarshal(data, &r.Body) != nil {
		http.Error(w, "not JSON", http.StatusBadRequest)
		return
	}
	r.Schema = r.Body["response_format"] != nil || r.Body["tools"] != nil
	var texts []string
	if system, ok := r.Body["system"].(string); ok {
		texts = append(texts, system)
	}
	messages, _ := r.Body["messages"].([]any)
	for _, m := range messages {
		switch content := m.(map[string]any)["content"].(type) {
		case string:
			texts = append(texts, content)
		case []any:
			for _, part := range content {
				part, _ := part.(map[string]any)
				if text, ok := part["text"].(string); ok {
					texts = append(texts, text)
				} else {
					r.Images++
				}
			}
		}
	}
	r.Prompt = strings.Join(texts, "\n")
	e.mu.Lock()
	e.requests = append(e.requests, r)
	n := len(e.requests)
	e.mu.Unlock()
	a := Reply{}
	if e.Answer != nil {
		a = e.Answer(n, r)
	}
	if a.Hang != nil {
		select {
		case <-a.Hang:
		case <-req.Context().Done():
			return
		}
	}
	if a.Unstruct && r.Schema {
		a = Reply{Status: http.StatusBadRequest, Raw: `{"error":{"message":"unknown field response_format or tools"}}`}
	}
	w.Header().Set("Content-Type", "application/json")
	for name, value := range a.Header {
		w.Header().Set(name, value)
	}
	switch {
	case a.Status != 0:
		w.WriteHeader(a.Status)
		if a.Raw == "" {
			a.Raw = `{"error":{"type":"test","message":"as the test says"}}`
		}
		_, _ = io.WriteString(w, a.Raw)
	case a.Raw != "":
		_, _ = io.WriteString(w, a.Raw)
	case r.API == "openai":
		_ = json.NewEncoder(w).Encode(chatCompletion(a))
	default:
		_ = json.NewEncoder(w).Encode(message(a, r))
	}
}

func chatCompletion(a Reply) any {
	m := map[string]any{"role": "assistant", "content": a.Text}
	finish := "stop"
	if a.Refusal != "" {
		m["content"], m["refusal"] = nil, a.Refusal
	}
	if a.Cut {
		finish = "length"
	}
	reply := map[string]any{"id": "c1", "object": "chat.completion", "model": "test-2026-01", "choices": []any{map[string]any{"index": 0, "message": m, "finish_reason": finish}}}
	if a.In+a.Out > 0 {
		reply["usage"] = map[string]any{"prompt_tokens": a.In, "completion_tokens": a.Out, "total_tokens": a.In + a.Out}
	}
	return reply
}

func message(a Reply, r Request) any {
	content, stop := []any{map[string]any{"type": "text", "text": a.Text}}, "end_turn"
	switch tools, _ := r.Body["tools"].([]any); {
	case a.Refusal != "":
		content, stop = []any{map[string]any{"type": "text", "text": a.Refusal}}, "refusal"
	case a.Cut:
		stop = "max_tokens"
	case len(tools) > 0 && json.Valid([]byte(a.Text)):
		name := tools[0].(map[string]any)["name"] //nolint:forcetypeassert // it panics in a test
		input := json.RawMessage(a.Text)
		if name == "reply_value" {
			input = json.RawMessage(`{"value":` + a.Text + `}`)
		}
		content, stop = []any{map[string]any{"type": "tool_use", "id": "t1", "name": name, "input": input}}, "tool_use"
	}
	return map[string]any{"id": "m1", "type": "message", "role": "assistant", "model": "test-2026-01", "content": content, "stop_reason": stop, "usage": map[string]any{"input_tokens": a.In, "output_tokens": a.Out}}
}
