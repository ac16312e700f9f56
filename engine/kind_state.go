package engine

import (
	"context"
	"encoding/json"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/expr"
	"github.com/patchbay-mcp/patchbay/graph"
	"github.com/patchbay-mcp/patchbay/run"
	"github.com/patchbay-mcp/patchbay/specs"
	"github.com/patchbay-mcp/patchbay/types"
)

var _ = Register(Kind{
	Spec: specs.Spec{
		NodeType:    "state",
		Title:       "State",
		Description: "Stores a value under a key for later runs of the same graph, or reads it. get: <default> gives {value, found}; set: <value> gives {changed, previous}; add: <list> remembers members and gives {added, known, count}; delete: true gives {deleted}.",
		Tags:        []string{"state", "memory", "store", "cache", "deduplicate", "cursor"},
		Intents: []string{
			"remember a value for the next run", "only what is new since last time", "remember which items were seen", "skip items that were processed before", "keep a cursor between runs", "store a value", "deduplicate across runs",
			"detect that a value has changed since the last run", "cache a value for a while",
		},
		InputPorts:  []specs.Port{{Name: "input", Type: "any", Required: true, Description: "the node executed before"}},
		OutputPorts: []specs.Port{{Name: "output", Type: "object", Description: "{value, found}, {changed, previous}, {added, known, count} or {deleted}", MaxConnections: 1}},
		Skeleton:    json.RawMessage(`{"id":"seen","type":"state","key":"seen","add":{"expr":"$.entry.ids"},"next":"exit"}`),
		Examples: []specs.Example{
			{
				Title: "Keep the ids that were never given before",
				Graph: `name: new_ids
description: Returns the ids that no earlier run was given
inputSchema: {type: object, properties: {ids: {type: array, items: {type: string}}}, required: [ids]}
outputSchema: {type: object, properties: {new: {type: array, items: {type: string}}}, required: [new]}
nodes:
  - {id: entry, type: entry, next: seen}
  - {id: seen, type: state, key: seen, add: {expr: $.entry.ids}, ttl: 30d, next: exit}
  - {id: exit, type: exit, result: {expr: '{"new": $.seen.added}'}}
`,
				Arguments: json.RawMessage(`{"ids":["a","b","a"]}`),
				Result:    json.RawMessage(`{"new":["a","b"]}`),
			},
			{
				Title: "Count the runs",
				Graph: `name: count_runs
description: Returns which run this is
inputSchema: {type: object, properties: {}}
outputSchema: {type: object, properties: {run: {type: number}}, required: [run]}
nodes:
  - {id: entry, type: entry, next: before}
  - {id: before, type: state, key: runs, get: 0, next: now}
  - {id: now, type: state, key: runs, set: {expr: $.before.value + 1}, next: exit}
  - {id: exit, type: exit, result: {expr: '{"run": $.before.value + 1}'}}
`,
				Arguments: json.RawMessage(`{}`),
				Result:    json.RawMessage(`{"run":1}`),
			},
		},
	},
	ActsOutside: true,
	Aliases:     strings.Fields("store storage kv key-value remember memory cache persist static-data dedupe deduplicate removeDuplicates"),
	Guide:       GuideRow{Fields: "key, one of get: default, set: value, add: list, delete: true; ttl: 30d, next", Output: "{value, found}, {changed, previous}, {added, known, count} or {deleted}; kept for later runs of the graph"},
	Fields: []Field{
		{Name: "key", Type: "string", Required: true, Doc: "key: <text> or {expr: <JSONata>}; of at most 200 bytes", Aliases: []string{"name", "keyName", "field"}},
		{Name: "get", Type: "any", Doc: "get: <the value if there is none>, such as get: null", Aliases: []string{"read", "default", "load"}},
		{Name: "set", Type: "any", Doc: "set: <value>: at most 256 kB as JSON", Aliases: strings.Fields("value put write store save")},
		{Name: "add", Type: "any", Doc: "add: <list of members, or one>; such as ids, each at most 1 kB as JSON, 10,000 under a key", Aliases: []string{"append", "push", "members"}},
		{Name: "delete", Type: "boolean", Doc: "delete: true", Aliases: []string{"remove", "clear"}},
		{Name: "ttl", Type: "string", Doc: "90s, 15m, 12h or 30d; after it a value, or a member that was not added again, is forgotten, without it never", Aliases: []string{"expires", "expiresIn", "expiry", "maxAge"}},
		{Name: "next", Type: "node-id", Edges: true, Required: true, Doc: "id of the node that follows", Aliases: nextAliases},
	},
	Evidence:  []string{"ttl"},
	Modifiers: AllModifiers,
	Compile:   compileState,
})

var (
	ruleStateShape = diag.Define("state-shape", diag.Error,
		"A state node has none or several of get, set, add and delete, or an invalid key, ttl or delete.")
	ruleStateUnnamed = diag.Define("state-unnamed", diag.Error,
		"A graph with a state node has no name. State belongs to a graph, by its name.")
)

// stateNode is a compiled state node.
type stateNode struct {
	graph string
	do    string
	key   *Template
	given *Template // what is under get, set or add
	ttl   time.Duration
	next  NodeIndex
}

func compileState(p *Pass, n *Node) Compiled {
	edges := p.Next(n)
	c := &stateNode{graph: p.plan.Name, key: &Template{}, given: &Template{}, next: edges[0].To}
	if c.graph == "" {
		p.Report(ruleStateUnnamed, n.where(), n, "the graph has no name, so nothing can be stored for its later runs").Hint = "write name: <name> at the top of the document"
	}
	if v := p.Require(n, "key"); v.Exists() {
		c.key = p.Template(n, v)
		if c.key.constant() {
			if _, fault := stateKey(c.key.literal); fault != nil {
				p.Report(ruleStateShape, v, n, "%s", fault.Message)
			}
		}
	}
	n.state = c
	c.read(p, n)
	c.readTTL(p, n)
	readOnly, idempotent := c.do == run.StateGet, true
	n.tool = &Tool{Spec: &specs.Spec{NodeType: "state", Subtype: c.do, Annotations: &specs.Annotations{Trusted: true, ReadOnly: &readOnly, Idempotent: &idempotent, Destructive: new(bool)}}}
	n.callee.tool = c.do
	return Compiled{Edges: edges, Step: c.step, Infer: c.infer}
}

// read reads which change the node makes.
func (c *stateNode) read(p *Pass, n *Node) {
	var said []graph.Value
	for _, do := range []string{run.StateGet, run.StateSet, run.StateAdd, run.StateDelete} {
		v := n.Field(do)
		if !v.Exists() {
			continue
		}
		said = append(said, v)
		if len(said) > 1 {
			continue
		}
		c.do = do
		if do != run.StateDelete {
			c.given = p.Computed(n, v, do)
		} else if !v.Is(graph.Boolean) || !v.Bool() {
			p.Report(ruleStateShape, v, n, "delete is %s, expected true", diag.Cut(string(raw(v)), 40))
		}
	}
	switch {
	case len(said) == 0:
		p.Report(ruleStateShape, n.where(), n, "the state has none of get, set, add and delete").Hint = "write get: null to read, set: <value>, add: <list of members> or delete: true"
	case len(said) > 1:
		p.Report(ruleStateShape, said[1], n, "the state has both %s and %s", said[0].Name(), said[1].Name()).
			WithFix("use a node for each", said[1].Remove("remove "+said[1].Name()))
	}
}

// duration is a time to live as authors write it.
var duration = regexp.MustCompile(`^([0-9]{1,9})(s|m|h|d)$`)

func (c *stateNode) readTTL(p *Pass, n *Node) {
	v := n.Field("ttl")
	if !v.Exists() {
		return
	}
	if c.do == run.StateGet || c.do == run.StateDelete {
		p.Report(ruleStateShape, v, n, "ttl has no meaning for %s", c.do).
			WithFix("it belongs to the node that sets or adds", v.Remove("remove ttl"))
		return
	}
	parts := duration.FindStringSubmatch(v.Text())
	if parts == nil || !v.Is(graph.String) {
		d := p.Report(ruleStateShape, v, n, "ttl is %s, expected a time such as 90s, 15m, 12h or 30d", diag.Cut(string(raw(v)), 40))
		if seconds, ok := v.Int(); ok && seconds > 0 {
			d.Offer(v.Replace(fmt.Sprintf("change to %ds", seconds), fmt.Sprintf("%ds", seconds)))
		}
		return
	}
	number, _ := strconv.Atoi(parts[1])
	unit := map[string]time.Duration{"s": time.Second, "m": time.Minute, "h": time.Hour, "d": 24 * time.Hour}[parts[2]]
	c.ttl = min(time.Duration(number), 100*365*24*time.Hour/unit) * unit
	if c.ttl == 0 {
		p.Report(ruleStateShape, v, n, "ttl is 0, so nothing would be stored").Hint = "leave ttl out to store it without an end"
	}
}

func (c *stateNode) infer(t *Types) types.Type {
	if t.mayLack(placeKey, c.key); c.do == run.StateAdd {
		t.mayLack(placeAdd, c.given)
	}
	given := t.Template(c.given)
	json := types.Unknown().Without(types.Function | types.Undefined)
	list := types.ArrayOf(json)
	boolean := types.Of(types.Boolean)
	switch c.do {
	case run.StateGet:
		return types.ObjectOf(true, types.Field{Name: "value", Type: json.Or(given)}, types.Field{Name: "found", Type: boolean})
	case run.StateSet:
		return types.ObjectOf(true, types.Field{Name: "changed", Type: boolean}, types.Field{Name: "previous", Type: json, Optional: true})
	case run.StateAdd:
		return types.ObjectOf(true, types.Field{Name: "added", Type: list}, types.Field{Name: "known", Type: list}, types.Field{Name: "count", Type: types.Of(types.Integer)})
	}
	return types.ObjectOf(true, types.Field{Name: "deleted", Type: boolean})
}

func (c *stateNode) step(ctx context.Context, s *State) (Outcome, error) {
	out := Outcome{Next: c.next}
	key, given, err := c.values(ctx, s)
	if err != nil {
		return out, err
	}
	if fault := placeKey.fault(key); fault != nil {
		return out, fault
	}
	input := expr.NewObject()
	input.Set("key", key)
	if given != nil {
		input.Set(c.do, given)
	}
	out.Input = input
	change, fault := c.change(key, given)
	if fault != nil {
		return out, fault
	}
	result, simulated, err := s.rt.State(ctx, s.step.Key+"/state", change)
	if err != nil {
		return out, err
	}
	s.step.Simulated = simulated
	output, err := expr.Decode(result)
	if err != nil {
		return out, err
	}
	if c.do == run.StateGet {
		if o, isObject := output.(expr.Object); isObject {
			if found, _ := o.Get("found"); found == false {
				answer := expr.NewObject()
				answer.Set("value", given)
				answer.Set("found", false)
				output = answer
			}
		}
	}
	out.Output = output
	return out, nil
}

// values evaluates the key, and what is under get, set or add.
func (c *stateNode) values(ctx context.Context, s *State) (key, given expr.Value, err error) {
	if key, err = c.key.Eval(ctx, s); err != nil || c.do == run.StateDelete {
		return key, nil, err
	}
	given, err = c.given.Eval(ctx, s)
	switch _, isList := given.([]any); {
	case err != nil:
	case c.do == run.StateAdd && expr.IsNull(given):
		err = placeAdd.fault(given)
	case c.do == run.StateAdd && given == nil:
		given = []any{}
	case c.do == run.StateAdd && !isList:
		given = []any{given}
	case given == nil:
		given = expr.Null()
	}
	return key, given, err
}

// change is what the step asks the runtime to do.
func (c *stateNode) change(key, given expr.Value) (change run.StateChange, fault *diag.Fault) {
	change = run.StateChange{Graph: c.graph, Do: c.do, TTL: c.ttl}
	if change.Key, fault = stateKey(key); fault != nil || c.do == run.StateGet || c.do == run.StateDelete {
		return change, fault
	}
	value, err := expr.Encode(given)
	if err != nil {
		return change, diag.Faultf(codeNotJSON, "the value is not JSON: %w", err)
	}
	change.Value = value
	if c.do == run.StateSet && len(value) > run.MaxStateValue {
		return change, tooLarge("the value", run.MaxStateValue)
	}
	if members, isList := given.([]any); isList && c.do == run.StateAdd {
		if len(members) > run.MaxMembers {
			return change, diag.Faultf(CodeTooLarge, "%d members are added at once, at most %d are allowed", len(members), run.MaxMembers)
		}
		for i, m := range members {
			if size := expr.Size(m, run.MaxStateMember+1); size > run.MaxStateMember {
				f := tooLarge(fmt.Sprintf("member %d", i), run.MaxStateMember)
				f.Hint = "add what identifies an item, such as its id"
				return change, f
			}
		}
	}
	return change, nil
}

func tooLarge(what string, most int) *diag.Fault {
	return diag.Faultf(CodeTooLarge, "%s has more than %d bytes of JSON, the maximum that state stores", what, most)
}

// stateKey is a value as a key.
func stateKey(v expr.Value) (string, *diag.Fault) {
	key, isText := v.(string)
	switch {
	case !isText:
		return "", diag.Faultf(diag.CodeBadRequest, "the key is %s, expected text", valueText(v)).WithHint("write key: <text>, or {expr: <JSONata>} that gives text")
	case key == "" || len(key) > run.MaxStateKey:
		return "", diag.Faultf(diag.CodeBadRequest, "the key has %d bytes, expected 1 to %d", len(key), run.MaxStateKey)
	}
	return key, nil
}
