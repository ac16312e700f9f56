package around

import (
	"bytes"
	"context"
	"encoding/json"
	"slices"
	"sync"
	"time"

	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/engine"
	"github.com/patchbay-mcp/patchbay/expr"
	"github.com/patchbay-mcp/patchbay/internal/policy"
	"github.com/patchbay-mcp/patchbay/internal/servers/messages"
	"github.com/patchbay-mcp/patchbay/internal/sys/plainjson"
	"github.com/patchbay-mcp/patchbay/run"
)

// listAround runs the workflow that matches a client around the list of tools that it
// gets, and returns the tools that it then has. Those whose name no tool had are left out.
// The error is a [*policy.ListRefused].
func (ar *Around) listAround(ctx context.Context, client string, tools []policy.ListedTool) ([]policy.ListedTool, error) {
	set := ar.workflows.Load()
	if set == nil {
		return tools, nil
	}
	w := first(set.lists, "", "", client, nil)
	if w == nil {
		return tools, nil
	}
	began := time.Now()
	around := &aroundList{tools: tools, inside: []*workflow{w}}
	e := ar.execute(context.WithValue(ctx, aroundKey{}, around), w, json.RawMessage("{}"), engine.OnList, "", "")
	list, err := around.answer(ar, w, e)
	outcome := workflowPassed
	switch {
	case err != nil && e.fault != nil && e.fault.Code == engine.CodeHookBlocked:
		outcome = workflowBlocked
	case err != nil:
		outcome = workflowFailed
	case around.changed:
		outcome = workflowChanged
	}
	ar.workflowEnded(outcome, time.Since(began))
	return list, err
}

// An aroundList is one execution of a workflow around tools/list.
type aroundList struct {
	tools   []policy.ListedTool
	inside  []*workflow
	changed bool

	mu   sync.Mutex
	sent bool
}

// chain implements [around].
func (a *aroundList) chain() []*workflow { return a.inside }

// forward gives the workflow the list.
func (a *aroundList) forward(context.Context, run.Call) (*run.Result, error) {
	a.mu.Lock()
	again := a.sent
	a.sent = true
	a.mu.Unlock()
	if again {
		return nil, &run.CallError{Outcome: run.CallNotSent, Err: diag.Faultf(codeCalledTwice, "the workflow %q has already made its call", a.inside[0].name)}
	}
	b := []byte(`{"tools":[`)
	for i, t := range a.tools {
		if i > 0 {
			b = append(b, ',')
		}
		b = append(b, withOrigin(t.Definition, t.Tool, t.Server)...)
	}
	return &run.Result{Structured: append(b, "]}"...)}, nil
}

// answer is the list that the workflow has come to.
func (a *aroundList) answer(app *Around, w *workflow, e *workflowRun) ([]policy.ListedTool, error) {
	if e.fault != nil {
		if b := engine.HookBlock(e.fault); b != nil {
			return nil, refused(b)
		}
		return nil, refused(&engine.Block{Code: e.fault.Code, Message: e.fault.Message, Node: e.fault.Node})
	}
	response, _ := e.result.(expr.Object)
	var given expr.Value
	if response != nil {
		given, _ = response.Get("tools")
	}
	items, ok := given.([]any)
	if !ok {
		return nil, refused(&engine.Block{Code: engine.CodeScriptError, Message: "the response of the workflow has no list of tools", Node: w.name})
	}
	was := map[string]*policy.ListedTool{}
	for i := range a.tools {
		if name, ok := definedName(a.tools[i].Definition); ok {
			was[name] = &a.tools[i]
		}
	}
	list := make([]policy.ListedTool, 0, len(items))
	for _, item := range items {
		definition, err := expr.Encode(item)
		name, named := definedName(definition)
		tool := was[name]
		if err != nil || !named || tool == nil {
			app.process.Log.Warn("a tool is left out of tools/list: no tool had its name before the workflow", "workflow", w.name, "tool", diag.Excerpt(name))
			continue
		}
		delete(was, name) // a second one of the name is left out
		kept := *tool
		if !sameDefinition(withOrigin(tool.Definition, tool.Tool, tool.Server), definition) {
			kept.Definition, a.changed = withOrigin(definition, "", ""), true
		}
		list = append(list, kept)
	}
	a.changed = a.changed || len(list) != len(a.tools)
	return list, nil
}

func refused(b *engine.Block) *policy.ListRefused {
	return &policy.ListRefused{Code: b.Code, Node: b.Node, Text: b.String()}
}

// The members with which a workflow gets the server of a tool and the tool's own name. A call
// has them as metadata.serverName and params.name.
const serverMember, toolMember = "serverName", "toolName"

// withOrigin is a definition that says the server of its tool and the tool's own name there,
// or neither for a tool of Patchbay.
func withOrigin(definition json.RawMessage, tool, server string) json.RawMessage {
	members, err := messages.ReadObject(definition)
	if err != nil {
		return definition
	}
	before := len(members)
	members = slices.DeleteFunc(members, func(m messages.Member) bool { return m.Name == serverMember || m.Name == toolMember })
	if server == "" && len(members) == before {
		return definition
	}
	if server != "" {
		members = append(members, messages.Member{Name: serverMember, Value: json.RawMessage(plainjson.Quote(server))}, messages.Member{Name: toolMember, Value: json.RawMessage(plainjson.Quote(tool))})
	}
	return messages.Object(members)
}

// definedName is the name in the definition of a tool.
func definedName(definition json.RawMessage) (string, bool) {
	var d struct {
		Name *string `json:"name"`
	}
	if json.Unmarshal(definition, &d) != nil || d.Name == nil {
		return "", false
	}
	return *d.Name, true
}

// sameDefinition reports whether a definition is what another becomes that is read and
// written by a workflow.
func sameDefinition(was, is json.RawMessage) bool {
	v, err := expr.Decode(was)
	if err != nil {
		return false
	}
	b, err := expr.Encode(v)
	return err == nil && bytes.Equal(b, is)
}
