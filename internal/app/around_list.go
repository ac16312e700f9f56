package app

import (
	"bytes"
	"context"
	"encoding/json"
	"sync"
	"time"

	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/engine"
	"github.com/patchbay-mcp/patchbay/expr"
	"github.com/patchbay-mcp/patchbay/run"
)

// A ListRefused is the error of tools/list that a workflow has stopped.
type ListRefused struct{ engine.Block }

// Error is the text of the answer.
func (e *ListRefused) Error() string { return e.String() }

// listAround runs the workflow that matches a client around the list of tools that it
// gets, and returns the tools that it then has. Those whose name no tool had are left out.
// The error is a [*ListRefused].
func (pb *App) listAround(ctx context.Context, client string, tools []ListedTool) ([]ListedTool, error) {
	set := pb.workflows.Load()
	if set == nil {
		return tools, nil
	}
	w := first(set.lists, "", "", client, nil)
	if w == nil {
		return tools, nil
	}
	began := time.Now()
	a := &aroundList{tools: tools, inside: []*workflow{w}}
	e := pb.execute(context.WithValue(ctx, aroundKey{}, a), w, json.RawMessage("{}"), engine.OnList, "", "")
	list, err := a.answer(pb, w, e)
	outcome := workflowPassed
	switch {
	case err != nil && e.fault != nil && e.fault.Code == "hook-blocked":
		outcome = workflowBlocked
	case err != nil:
		outcome = workflowFailed
	case a.changed:
		outcome = workflowChanged
	}
	pb.workflowEnded(outcome, time.Since(began))
	return list, err
}

// An aroundList is one execution of a workflow around tools/list.
type aroundList struct {
	tools   []ListedTool
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
		return nil, &run.CallError{Outcome: run.CallNotSent, Err: diag.Faultf("called-twice", "the workflow %q has made its call already", a.inside[0].name)}
	}
	b := []byte(`{"tools":[`)
	for i, t := range a.tools {
		if i > 0 {
			b = append(b, ',')
		}
		b = append(b, t.Definition...)
	}
	return &run.Result{Structured: append(b, "]}"...)}, nil
}

// answer is the list that the workflow has come to.
func (a *aroundList) answer(pb *App, w *workflow, e *execution) ([]ListedTool, error) {
	if e.fault != nil {
		if b := engine.BlockOf(e.fault); b != nil {
			return nil, &ListRefused{*b}
		}
		return nil, &ListRefused{engine.Block{Code: e.fault.Code, Message: e.fault.Message, Node: e.fault.Node}}
	}
	response, _ := e.result.(expr.Object)
	var given expr.Value
	if response != nil {
		given, _ = response.Get("tools")
	}
	items, ok := given.([]any)
	if !ok {
		return nil, &ListRefused{engine.Block{Code: engine.CodeScriptError, Message: "the response of the workflow has no list of tools", Node: w.name}}
	}
	was := map[string]*ListedTool{}
	for i := range a.tools {
		if name, ok := definedName(a.tools[i].Definition); ok {
			was[name] = &a.tools[i]
		}
	}
	list := make([]ListedTool, 0, len(items))
	for _, item := range items {
		definition, err := expr.Encode(item)
		name, named := definedName(definition)
		tool := was[name]
		if err != nil || !named || tool == nil {
			pb.log.Warn("a tool is left out of tools/list: no tool had its name before the workflow", "workflow", w.name, "tool", diag.Excerpt(name))
			continue
		}
		delete(was, name) // a second one of the name is left out
		kept := *tool
		if !sameDefinition(tool.Definition, definition) {
			kept.Definition, a.changed = definition, true
		}
		list = append(list, kept)
	}
	a.changed = a.changed || len(list) != len(a.tools)
	return list, nil
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
