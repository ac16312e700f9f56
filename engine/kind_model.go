package engine

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/expr"
	"github.com/patchbay-mcp/patchbay/graph"
	"github.com/patchbay-mcp/patchbay/run"
	"github.com/patchbay-mcp/patchbay/schema"
	"github.com/patchbay-mcp/patchbay/specs"
	"github.com/patchbay-mcp/patchbay/types"
)

var _ = Register(Kind{
	Spec: specs.Spec{
		NodeType:    "model",
		Title:       "Ask a language model",
		Description: "Asks a configured language model, to summarise, translate, classify, extract or write. Its output is text, or a value by schema.",
		Tags:        []string{"llm", "ai", "model", "summarise", "classify", "extract", "translate"},
		Intents: []string{
			"summarise a text", "classify a message by its content", "extract fields from text", "translate a text", "ask an LLM", "let an AI decide",
			"write a reply to a mail", "summarise each item of a list", "find the sentiment of a review", "describe an image",
		},
		InputPorts:  []specs.Port{{Name: "input", Type: "any", Required: true, Description: "the node executed before"}},
		OutputPorts: []specs.Port{{Name: "output", Type: "any", Description: "a value by schema; without one, text", MaxConnections: 1}},
		Skeleton:    json.RawMessage(`{"id":"label","type":"model","model":"<name>","prompt":"Which kind is this?","input":{"expr":"$.entry.text"},"schema":{"type":"string"},"next":"exit"}`),
		Examples: []specs.Example{{
			Title: "Sort a message into one of three kinds",
			Graph: `name: kind_of_message
description: Says whether a message is a question, a complaint or praise
inputSchema: {type: object, properties: {text: {type: string}}, required: [text]}
outputSchema: {type: object, properties: {kind: {type: string}}, required: [kind]}
nodes:
  - {id: entry, type: entry, next: label}
  - id: label
    type: model
    model: fast
    prompt: Which kind of message is this?
    input: {expr: $.entry.text}
    schema: {type: object, properties: {kind: {enum: [question, complaint, praise]}}, required: [kind], additionalProperties: false}
    retry: {maxAttempts: 3}
    next: exit
  - {id: exit, type: exit, result: {expr: '{"kind": $.label.kind}'}}
`,
			Arguments: json.RawMessage(`{"text":"Where is my parcel?"}`),
			Pins:      map[string]json.RawMessage{"label": json.RawMessage(`{"kind":"question"}`)},
			Result:    json.RawMessage(`{"kind":"question"}`),
		}},
	},
	AsksModel:   true,
	ActsOutside: true,
	Evidence:    []string{"prompt"},
	Aliases:     strings.Fields("llm ai gpt claude chat completion chat_completion language_model ask_model prompt generate summarize summarise classify extract translate agent sampling"),
	Guide:       GuideRow{Fields: "model, prompt, input, schema, temperature, maxTokens, next; models that the operator configures", Output: "a value by schema, else text; what the model cannot give fails with model-output"},
	Fields: []Field{
		{Name: "model", Type: "string", Required: true, Doc: "name of a configured model", Aliases: []string{"modelName", "llm", "engine", "provider"}},
		{Name: "prompt", Type: "any", Required: true, Doc: "text, {expr}, or [{role, content}]", Aliases: strings.Fields("message messages question instruction instructions text query")},
		{Name: "input", Type: "any", Doc: "a value, or content blocks", Aliases: strings.Fields("data content context document value payload")},
		{Name: "schema", Type: "object", Doc: "of the output", Aliases: strings.Fields("outputSchema responseSchema output format response_format")},
		{Name: "temperature", Type: "number", Doc: "0 to 2"},
		{Name: "maxTokens", Type: "number", Doc: "of the reply", Aliases: strings.Fields("max_tokens maxOutputTokens max_completion_tokens")},
		{Name: "next", Type: "node-id", Edges: true, Required: true, Doc: "id of the node that follows", Aliases: nextAliases},
	},
	Modifiers: AllModifiers,
	Compile:   compileModel,
})

var (
	ruleUnknownModel = diag.Define("unknown-model", diag.Error,
		"A model node names a model that the operator has not configured. models in patchbay.yaml lists the models.")
	codeModelOutput  = diag.DefineFault("model-output", diag.FailsAttempt, "the reply of a model was cut, or does not satisfy the schema of its node, also after it was asked once more", "`error.details` has the reply; raise `maxTokens`, make the schema or the prompt simpler, or handle it with `onError`")
	codeModelRefused = diag.DefineFault("model-refused", diag.FailsNode, "a model declined to answer", "change the prompt, or handle it with `onError`")
)

// modelNode is a compiled model node.
type modelNode struct {
	model         string
	prompt, input *Template // input is nil where the node has none
	schema        *schema.Schema
	raw           json.RawMessage
	temperature   *float64
	maxTokens     int
	next          NodeIndex
}

func compileModel(p *Pass, n *Node) Compiled {
	edges := p.Next(n)
	m := &modelNode{next: edges[0].To, prompt: &Template{}}
	if v := p.Require(n, "model"); v.Exists() {
		m.model = p.modelName(n, v)
		n.callee.tool = m.model
	}
	if v := p.Require(n, "prompt"); v.Exists() {
		m.prompt = p.Computed(n, v, "prompt")
	}
	if v := n.Field("input"); v.Exists() {
		m.input = p.Computed(n, v, "input")
	}
	if v := n.Field("schema"); v.Exists() {
		if m.schema = p.schema(v, "schema"); m.schema != nil {
			m.raw = raw(v)
		}
	}
	if v := n.Field("temperature"); v.Exists() {
		if json.Unmarshal(raw(v), &m.temperature) != nil || m.temperature == nil || *m.temperature < 0 || *m.temperature > 2 {
			p.Report(ruleModifierValue, v, n, "temperature is %s, expected a number from 0 to 2", diag.Cut(string(raw(v)), 40))
		}
	}
	if v := n.Field("maxTokens"); v.Exists() {
		m.maxTokens = int(p.whole(n, v, "maxTokens", 0, 1, longest))
	}
	return Compiled{
		Edges: edges, Step: m.step, Call: m.call, NotRepeatableBecause: "its reply costs tokens", RetryAfter: m.mayAskAgain,
		Infer: func(t *Types) types.Type {
			t.mayLack(Place{Field: "prompt"}, m.prompt)
			if m.schema == nil {
				return types.Of(types.String)
			}
			return m.schema.FilledType()
		},
	}
}

// modelName returns the name of a configured model.
func (p *Pass) modelName(n *Node, v graph.Value) string {
	if !v.Is(graph.String) {
		p.Report(ruleWrongShape, v, n, "model is %s, expected a name", shape(v))
		return ""
	}
	if p.env.Models == nil || slices.Contains(p.env.Models(), v.Text()) {
		return v.Text()
	}
	names := p.env.Models()
	d := p.Report(ruleUnknownModel, v, n, "no model %q is configured", diag.Excerpt(v.Text()))
	near := p.closest(v.Text(), names)
	if len(names) == 1 {
		near = names[0]
	}
	switch {
	case near != "":
		d.WithFix(fmt.Sprintf("did you mean %q?", near), changeTo(v, near))
	case len(names) > 0:
		d.Hint = "the models are " + diag.OneOf(names, 12)
	default:
		d.Hint = "the operator adds to patchbay.yaml: models: {" + diag.Excerpt(v.Text()) + ": {api: openai, url: \"http://127.0.0.1:11434/v1\", model: …}}; api is openai or anthropic, key: ${VAR}"
	}
	return v.Text()
}

// call makes up the request.
func (m *modelNode) call(ctx context.Context, s *State) (run.Call, expr.Value, error) {
	seen, asked := expr.NewObject(), run.ModelRequest{Schema: m.raw, Temperature: m.temperature, MaxTokens: m.maxTokens}
	prompt, err := m.prompt.Eval(ctx, s)
	if err != nil {
		return run.Call{}, nil, err
	}
	seen.Set("prompt", prompt)
	if fault := (Place{Field: "prompt"}).fault(prompt); fault != nil {
		return run.Call{}, seen, fault
	}
	if asked.Messages, err = messagesOf(prompt); err != nil {
		return run.Call{}, seen, err
	}
	var input expr.Value
	if m.input != nil {
		if input, err = m.input.Eval(ctx, s); err != nil {
			return run.Call{}, seen, err
		}
	}
	if input != nil {
		seen.Set("input", input)
		blocks, err := blocksOf(input)
		if err != nil {
			return run.Call{}, seen, err
		}
		if asked.Messages[len(asked.Messages)-1].Role != "user" {
			asked.Messages = append(asked.Messages, run.ModelMessage{Role: "user"})
		}
		last := &asked.Messages[len(asked.Messages)-1]
		last.Content = append(last.Content, blocks...)
	}
	args, err := json.Marshal(asked)
	return run.Call{Server: run.ModelServer, Tool: m.model, Args: args, Answer: m.schema}, seen, err
}

var codeBadPrompt = diag.DefineFault("bad-prompt", diag.FailsNode, "the prompt of a model node is neither text nor a list of messages", "write text, or [{role: user, content: …}]; roles are system, user and assistant")

// messagesOf reads a prompt: a text, or a list of messages.
func messagesOf(prompt expr.Value) ([]run.ModelMessage, error) {
	list, isList := prompt.([]any)
	if !isList {
		blocks, err := blocksOf(prompt)
		return []run.ModelMessage{{Role: "user", Content: blocks}}, err
	}
	if len(list) == 0 {
		return nil, diag.Faultf(codeBadPrompt, "the prompt is an empty list")
	}
	messages := make([]run.ModelMessage, len(list))
	for i, item := range list {
		if _, ok := item.(expr.Object); !ok {
			return nil, diag.Faultf(codeBadPrompt, "a message of the prompt is %s", valueText(item))
		}
		role, content := expr.Member(item, "role"), expr.Member(item, "content")
		name, _ := role.(string)
		if !slices.Contains([]string{"system", "user", "assistant"}, name) || content == nil {
			return nil, diag.Faultf(codeBadPrompt, "a message of the prompt has the role %s and the content %s", valueText(role), valueText(content))
		}
		blocks, err := blocksOf(content)
		if err != nil {
			return nil, err
		}
		messages[i] = run.ModelMessage{Role: name, Content: blocks}
	}
	return messages, nil
}

// blocksOf returns a value as the content of a message: blocks as they are, text as text, and
// everything else as JSON.
func blocksOf(v expr.Value) ([]run.ModelBlock, error) {
	if text, ok := v.(string); ok {
		return []run.ModelBlock{{Type: "text", Text: text}}, nil
	}
	b, err := expr.Encode(v)
	if err != nil {
		return nil, diag.Faultf(codeNotJSON, "what the model is asked about is not JSON: %w", err)
	}
	list, isList := v.([]any)
	if !isList {
		list = []any{v}
	}
	if slices.ContainsFunc(list, func(item any) bool { return !isBlock(item) }) || len(list) == 0 {
		return []run.ModelBlock{{Type: "text", Text: string(b)}}, nil
	}
	if !isList {
		b = slices.Concat([]byte("["), b, []byte("]"))
	}
	var blocks []run.ModelBlock
	if err := json.Unmarshal(b, &blocks); err != nil {
		return nil, diag.Faultf(codeBadPrompt, "a block of content cannot be read: %w", err)
	}
	return blocks, nil
}

// isBlock reports whether a value is a block of content.
func isBlock(v any) bool {
	kind := expr.Member(v, "type")
	return kind == "text" && expr.Member(v, "text") != nil || kind == "image" && expr.Member(v, "data") != nil
}

func (m *modelNode) step(ctx context.Context, s *State) (Outcome, error) {
	call, seen, err := m.call(ctx, s)
	out := Outcome{Input: seen, Next: m.next}
	if err != nil {
		return out, err
	}
	for {
		res, err := s.Call(ctx, call)
		if err != nil {
			return out, err
		}
		if res.Simulated != "" || res.Structured == nil { // of a dry run, or what a replay has recorded of the step
			out.Output, err = Unwrap(res)
			return out, err
		}
		if res.IsError {
			answer, err := s.unwrap(ctx, res)
			if err != nil {
				return out, err
			}
			return out, notOK("the model "+m.model, answer)
		}
		var reply run.ModelReply
		if err := json.Unmarshal(res.Structured, &reply); err != nil {
			return out, err
		}
		var wrong *diag.Fault
		if out.Output, wrong = m.output(&reply); wrong == nil {
			return out, nil
		}
		if call.Again || wrong.Code != codeModelOutput || reply.Cut {
			return out, wrong
		}
		if call, err = askAgain(call, &reply, wrong); err != nil {
			return out, err
		}
	}
}

// output returns the value of a reply, or what is wrong with it.
func (m *modelNode) output(reply *run.ModelReply) (expr.Value, *diag.Fault) {
	fault := func(code, format string, args ...any) *diag.Fault {
		f := diag.Faultf(code, format, args...)
		details := expr.NewObject()
		details.Set("reply", diag.Cut(string(reply.JSON()), 2048))
		details.Set("model", reply.Model)
		f.Details = details
		return f
	}
	switch {
	case reply.Refusal != "":
		return nil, fault(codeModelRefused, "the model %s declined to answer: %s", m.model, diag.Cut(reply.Refusal, 500))
	case reply.Cut:
		return nil, fault(codeModelOutput, "the reply of the model %s was cut after %d tokens", m.model, reply.Tokens.Output).WithHint("raise maxTokens of the node or, in patchbay.yaml, of the model")
	case m.schema == nil:
		return reply.Text, nil
	}
	value, err := expr.Decode(reply.JSON())
	if err != nil {
		return nil, fault(codeModelOutput, "the reply of the model %s is not JSON: %v", m.model, err)
	}
	switch found, err := satisfy(value, m.schema); {
	case err != nil:
		return nil, fault(codeModelOutput, "%v", err)
	case len(found) > 0:
		return nil, fault(codeModelOutput, "%s", schema.Fault(codeModelOutput, "the reply of the model "+m.model+" does not satisfy the schema", "", found).Message)
	}
	return value, nil
}

// askAgain is the call that says what is wrong with a reply.
func askAgain(call run.Call, reply *run.ModelReply, wrong *diag.Fault) (run.Call, error) {
	var asked run.ModelRequest
	if err := json.Unmarshal(call.Args, &asked); err != nil {
		return call, err
	}
	said := cmp.Or(string(reply.JSON()), "(nothing)")
	asked.Messages = append(asked.Messages,
		run.ModelMessage{Role: "assistant", Content: []run.ModelBlock{{Type: "text", Text: said}}},
		run.ModelMessage{Role: "user", Content: []run.ModelBlock{{Type: "text", Text: "This reply cannot be used: " + wrong.Message + ". Reply again, and only with JSON that satisfies the schema."}}})
	args, err := json.Marshal(asked)
	call.Args, call.Again = args, true
	return call, err
}

// mayAskAgain reports whether retry asks again after a failure: the model has not answered,
// or the reply is known and could not be used.
func (m *modelNode) mayAskAgain(err error) bool {
	f := run.AsFault(err)
	outcome := run.OutcomeOf(err)
	return f.Code == codeHTTPStatus || f.Code == codeModelOutput || outcome == run.CallNotSent || outcome == run.CallRefused || outcome == run.CallCompleted
}
