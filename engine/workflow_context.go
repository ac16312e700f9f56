package engine

import (
	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/expr"
	"github.com/patchbay-mcp/patchbay/types"
)

// contextVariable is the variable by which expressions of a workflow read its context:
// {request: {method, params}, response, metadata}. The nodes that change the context
// have it as their output: start, mcp-call and blocking hooks. Every node reads the
// newest on its path.
const contextVariable = "context"

// carried is the newest context of a workflow on the path of a branch.
type carried struct {
	value expr.Object
	count int // of the contexts so far, the branch's own and those before it
}

// carry makes the output of a node the context of what follows.
func (s *State) carry(output expr.Value) {
	c, ok := output.(expr.Object)
	if !ok {
		return // an output that was given instead
	}
	if _, whole := c.Get("request"); !whole && s.context.value != nil { // so is a part of one
		part := c
		c = copyObject(s.context.value)
		for key, v := range part.All() {
			c.Set(key, v)
		}
	}
	s.context = carried{c, s.context.count + 1}
	if s.plan.readsContext {
		s.scope.Bind(contextVariable, c)
	}
}

// merge takes the context of a branch that has joined, if the branch has changed it.
func (s *State) merge(b *State) {
	if b.context.count > s.context.count {
		s.carry(b.context.value)
	}
}

// contextAt returns the context as the step in progress sees it: with the id of its node.
func (s *State) contextAt() (expr.Object, error) {
	if s.context.value == nil {
		return nil, diag.Faultf(codeNoContext, "the workflow has no context at %q", s.step.Node).
			WithHint("a workflow runs around a call; to run it by itself, give it the arguments {request: {method, params}, metadata: {}}")
	}
	c, metadata := copyObject(s.context.value), expr.NewObject()
	if given, ok := objectAt(c, "metadata"); ok {
		metadata = copyObject(given)
	}
	metadata.Set("nodeId", s.step.Node)
	c.Set("metadata", metadata)
	return c, nil
}

// copyObject returns an object with the same members.
func copyObject(o expr.Object) expr.Object {
	c := expr.NewObject()
	for key, v := range o.All() {
		c.Set(key, v)
	}
	return c
}

// with returns a copy of an object with another value of a member.
func with(o expr.Object, key string, v expr.Value) expr.Object {
	c := copyObject(o)
	c.Set(key, v)
	return c
}

func objectAt(o expr.Object, key string) (expr.Object, bool) {
	member, ok := expr.Member(o, key).(expr.Object)
	return member, ok
}

// answered reports whether the call has been made when the node being inferred starts.
func (t *Types) answered() bool {
	for i := range t.pass.plan.nodes {
		if n := &t.pass.plan.nodes[i]; n.kind != nil && n.kind.Forwards && t.when(NodeIndex(i), t.at) == always {
			return true
		}
	}
	return false
}

// contextType is what the context of a workflow is before, or after, the call.
func (w *Workflow) contextType(answered bool) types.Type {
	if w == nil {
		return types.Unknown() // the nodes are in a graph that is not a workflow, which is reported
	}
	text, object := types.Of(types.String), types.ObjectOf(false)
	params := types.ObjectOf(false)
	response := types.ObjectOf(false, types.Field{Name: "tools", Type: types.ArrayOf(object)})
	if w.On == OnCall {
		params = types.ObjectOf(false, types.Field{Name: "name", Type: text}, types.Field{Name: "arguments", Type: object, Optional: true})
		response = types.ObjectOf(false,
			types.Field{Name: "content", Type: types.ArrayOf(types.ObjectOf(false, types.Field{Name: "type", Type: text})), Optional: true},
			types.Field{Name: "structuredContent", Type: types.Unknown(), Optional: true},
			types.Field{Name: "isError", Type: types.Of(types.Boolean), Optional: true})
	}
	return types.ObjectOf(true,
		types.Field{Name: "request", Type: types.ObjectOf(true, types.Field{Name: "method", Type: text}, types.Field{Name: "params", Type: params})},
		types.Field{Name: "response", Type: response, Optional: !answered},
		types.Field{Name: "metadata", Type: types.ObjectOf(true,
			types.Field{Name: "clientId", Type: text},
			types.Field{Name: "serverName", Type: text, Optional: true},
			types.Field{Name: "workflowId", Type: text},
			types.Field{Name: "nodeId", Type: text, Optional: true},
			types.Field{Name: "startedAt", Type: text},
			types.Field{Name: "shared", Type: object})})
}
