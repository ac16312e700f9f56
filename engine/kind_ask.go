package engine

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

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
		NodeType:    "ask",
		Title:       "Ask a person",
		Description: "Asks a person, with a form if there is a schema, and continues with the answer. Its output is {action: accept, decline, cancel or timeout, content}. A client that can show a form asks at once; else the run waits, also across restarts, for: patchbay runs answer.",
		Tags:        []string{"approval", "human", "confirm", "form", "elicitation", "input"},
		Intents:     []string{"pause until a person approves", "ask for approval", "ask the user a question", "human in the loop", "confirm before doing something dangerous", "let somebody fill in a form", "wait for a person's decision"},
		InputPorts:  []specs.Port{{Name: "input", Type: "any", Required: true, Description: "the node executed before"}},
		OutputPorts: []specs.Port{{Name: "output", Type: "object", Description: "{action, content}", MaxConnections: 1}},
		Skeleton:    json.RawMessage(`{"id":"approve","type":"ask","message":"Go on?","next":"exit"}`),
		Examples: []specs.Example{{
			Title: "Continue only if a person agrees",
			Graph: `name: approve
description: Says whether a person agreed
inputSchema: {type: object, properties: {what: {type: string, default: deploy}}}
outputSchema: {type: object, properties: {approved: {type: boolean}}, required: [approved]}
nodes:
  - {id: entry, type: entry, next: approve}
  - id: approve
    type: ask
    message: {expr: '"May I " & $.entry.what & "?"'}
    schema: {type: object, properties: {sure: {type: boolean, title: Are you sure}}, required: [sure]}
    next: said
  - {id: said, type: transform, transform: {expr: '{"approved": $.approve.action = "accept" and $.approve.content.sure}'}, next: exit}
  - {id: exit, type: exit}
`,
			Arguments: json.RawMessage(`{}`),
			Pins:      map[string]json.RawMessage{"approve": json.RawMessage(`{"action":"accept","content":{"sure":true}}`)},
			Result:    json.RawMessage(`{"approved":true}`),
		}},
	},
	Asks:    true,
	Aliases: strings.Fields("elicit elicitation approval approve human human_input user_input confirm form prompt_user question input"),
	Guide:   GuideRow{Fields: "message, schema (flat), timeoutMs, next", Output: "{action: accept, decline, cancel or timeout, content}: a person's answer"},
	Fields: []Field{
		{Name: "message", Type: "string", Required: true, Doc: "message: <text> or {expr: <JSONata>}", Aliases: strings.Fields("question prompt text title label ask content")},
		{Name: "schema", Type: "object", Doc: "schema: a flat JSON Schema of the answer: an object whose properties are strings, numbers, booleans, enums or lists of enum values", Aliases: strings.Fields("requestedSchema form fields inputSchema properties answerSchema")},
		{Name: "timeoutMs", Type: "number", Doc: "milliseconds after which the answer is {action: timeout}; without it the question stays open", Aliases: []string{"timeout", "deadline", "expiresMs", "waitMs"}},
		{Name: "next", Type: "node-id", Edges: true, Required: true, Doc: "id of the node that follows, whatever the answer", Aliases: nextAliases},
	},
	Compile: compileAsk,
})

var ruleAskSchema = diag.Define("ask-schema", diag.Error,
	"The schema of an ask node is not flat. It describes a form, so it must be an object whose properties are strings, numbers, integers, booleans, enums of strings or, where several may be chosen, arrays of enum values.")

func compileAsk(p *Pass, n *Node) Compiled {
	edges := p.Next(n)
	a := &askNode{next: edges[0].To, message: &Template{}}
	if v := p.Require(n, "message"); v.Exists() {
		a.message = p.Computed(n, v, "message")
		if a.message.constant() && !v.Is(graph.String) {
			p.Report(ruleWrongShape, v, n, "message is %s, expected a string or {expr: …}", shape(v))
		}
	}
	if v := n.Field("timeoutMs"); v.Exists() {
		a.timeout = time.Duration(p.whole(n, v, "timeoutMs", 0, 1, longest)) * time.Millisecond
	}
	content := types.ObjectOf(false)
	if v := n.Field("schema"); v.Exists() && p.flatForm(n, v) {
		a.schema = raw(v)
		if shape, note := schema.TypeOf(a.schema); note == "" {
			content = shape
		}
	}
	return Compiled{Edges: edges, Step: a.step, Infer: func(t *Types) types.Type {
		t.mayLack(placeMessage, a.message)
		return types.ObjectOf(true,
			types.Field{Name: "action", Type: types.Of(types.String)},
			types.Field{Name: "content", Type: content, Optional: true})
	}}
}

// flatForm reports whether a schema can be shown to a person as a form.
func (p *Pass) flatForm(n *Node, v graph.Value) bool {
	if !v.Is(graph.Object) || v.Get("type").Text() != "object" || !v.Get("properties").Is(graph.Object) {
		d := p.Report(ruleAskSchema, v, n, "schema is not an object with properties")
		d.Hint = "write schema: {type: object, properties: {<name>: {type: string}}, required: [<name>]}"
		if v.Is(graph.Object) && !v.Has("type") && v.Get("properties").Is(graph.Object) {
			d.Offer(v.Insert("add type: object", "type", "object", ""))
		}
		return false
	}
	flat := true
	for name, property := range v.Get("properties").Members() {
		switch property.Get("type").Text() {
		case "string", "number", "integer", "boolean":
			continue
		}
		if property.Get("enum").Is(graph.Array) && !property.Has("type") || choosesSeveral(property) {
			continue
		}
		flat = false
		p.Report(ruleAskSchema, property, n, "%q is not a string, number, integer, boolean, enum or array of enum values, so a form cannot ask for it", name).Hint = "ask for simple values, or for several of some options by {type: array, items: {type: string, enum: […]}}; take objects and other lists from the arguments or from other nodes"
	}
	return flat
}

// choosesSeveral reports whether a property asks for several of some options: an array whose
// items are an enum, or constants with titles.
func choosesSeveral(property graph.Value) bool {
	items := property.Get("items")
	if property.Get("type").Text() != "array" || !items.Is(graph.Object) {
		return false
	}
	if items.Get("enum").Is(graph.Array) {
		kind := items.Get("type")
		return !kind.Exists() || kind.Text() == "string"
	}
	options := items.Get("anyOf")
	if !options.Is(graph.Array) || options.Len() == 0 {
		return false
	}
	return !slices.ContainsFunc(options.Items(), func(v graph.Value) bool { return !v.Get("const").Is(graph.String) })
}

// askNode is a compiled ask node.
type askNode struct {
	message *Template
	schema  json.RawMessage
	timeout time.Duration
	next    NodeIndex
}

func (a *askNode) step(ctx context.Context, s *State) (Outcome, error) {
	said, err := a.message.Eval(ctx, s)
	if err != nil {
		return Outcome{}, err
	}
	if fault := placeMessage.fault(said); fault != nil {
		return Outcome{Input: said}, fault
	}
	text, ok := said.(string)
	if !ok {
		b, _ := expr.Encode(said)
		text = string(b)
	}
	out := Outcome{Input: text, Next: a.next}
	answer, err := s.rt.Await(ctx, run.Question{Key: s.step.Key + "/ask", Node: s.step.Node, Message: text, Schema: a.schema, Timeout: a.timeout})
	if err != nil {
		return out, err
	}
	output := expr.NewObject()
	output.Set("action", answer.Action)
	if len(answer.Content) > 0 {
		content, err := expr.Decode(answer.Content)
		if err != nil {
			return out, fmt.Errorf("the answer cannot be read: %w", err)
		}
		output.Set("content", content)
	}
	out.Output = output
	return out, nil
}
