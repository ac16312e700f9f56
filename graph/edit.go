package graph

import (
	"encoding/json"
	"slices"
	"strconv"
	"strings"

	"github.com/patchbay-mcp/patchbay/diag"
)

// editor makes one operation's changes to a text.
type editor struct {
	doc   *Document
	tool  Value
	nodes Value
	ids   []string
	fixes []diag.Fix
}

// NewEditor returns an editor of one tool of a document; tool may be empty where
// the document has one. The fault says why there is nothing to edit.
func NewEditor(name, text, tool string) (*editor, *diag.Fault) {
	doc, found := Parse(name, text)
	if doc == nil {
		f := diag.Faultf("syntax", "the graph cannot be read: %s", found[0].Message)
		f.Hint = "repair it with validate_graph first"
		return nil, f
	}
	e := &editor{doc: doc}
	for _, t := range doc.Tools() {
		if tool == "" && len(doc.Tools()) == 1 || t.Get("name").Text() == tool {
			e.tool = t
		}
	}
	if !e.tool.Exists() {
		return nil, diag.BadArgument("/tool", "say which tool of the document to edit", "the document has %d tools", len(doc.Tools()))
	}
	if e.nodes = e.tool.Get("nodes"); !e.nodes.Is(List) {
		return nil, diag.BadArgument("/graph", "repair it with validate_graph first", "the tool has no list of nodes")
	}
	for _, n := range e.nodes.Items() {
		e.ids = append(e.ids, n.Get("id").Text())
	}
	return e, nil
}

// text is the document with the changes made.
func (e *editor) Text() (string, *diag.Fault) {
	joined := Join("", e.fixes...)
	if len(joined.Edits) == 0 && len(joined.Patch) > 0 {
		return "", diag.Faultf("conflicting-edit", "the operation changes the same place twice; split it")
	}
	return diag.ApplyEdits(e.doc.Src, joined.Edits), nil
}

func (e *editor) change(f diag.Fix) { e.fixes = append(e.fixes, f) }

var editOps = []string{"add_node", "update_node", "remove_node", "connect", "insert_between", "rename_node", "set"}

func (e *editor) Apply(op EditOp) *diag.Fault {
	switch op.Op {
	case "add_node":
		return e.addNode(op.Node, op.After)
	case "update_node":
		return e.updateNode(op)
	case "remove_node":
		return e.removeNode(op)
	case "connect":
		return e.connect(op.From, op.To, op.Branch)
	case "insert_between":
		return e.insertBetween(op)
	case "rename_node":
		return e.renameNode(op.ID, op.NewID)
	case "set":
		return e.setPath(e.tool, op.Path, op.Value)
	}
	f := diag.BadArgument("/op", "the ops are "+strings.Join(editOps, ", "), "unknown op %q", op.Op)
	f.Suggestions = diag.Closer(op.Op, editOps, 1)
	return f
}

// node finds a node by its id.
func (e *editor) node(id, path string) (Value, *diag.Fault) {
	if i := slices.Index(e.ids, id); i >= 0 && id != "" {
		return e.nodes.Items()[i], nil
	}
	f := diag.BadArgument(path, "the nodes are "+diag.OneOf(e.ids, 20), "the graph has no node %q", id)
	f.Suggestions = diag.Closer(id, e.ids, 3)
	return Value{}, f
}

// newNode reads the node of an operation, which must have an id of its own.
func (e *editor) newNode(raw json.RawMessage) (id string, fault *diag.Fault) {
	var head struct {
		ID string `json:"id"`
	}
	if json.Unmarshal(raw, &head) != nil || head.ID == "" {
		return "", diag.BadArgument("/node", "such as {id: …, type: …, next: …}", "node is not an object with an id")
	}
	if slices.Contains(e.ids, head.ID) {
		return "", diag.BadArgument("/node/id", "choose another id, or update_node", "the graph has a node %q already", head.ID)
	}
	return head.ID, nil
}

func (e *editor) addNode(raw json.RawMessage, after string) *diag.Fault {
	if _, fault := e.newNode(raw); fault != nil {
		return fault
	}
	at := e.nodes.Len()
	if after != "" {
		i := slices.Index(e.ids, after)
		if i < 0 {
			_, fault := e.node(after, "/after")
			return fault
		}
		at = i + 1
	}
	e.change(e.nodes.InsertItem("", at, raw))
	return nil
}

func (e *editor) updateNode(op EditOp) *diag.Fault {
	n, fault := e.node(op.ID, "/id")
	if fault != nil {
		return fault
	}
	if len(op.Set) == 0 {
		return diag.BadArgument("/set", `such as {"args.path": {"expr": "$.entry.dir"}}; null removes`, "set is empty")
	}
	paths := make([]string, 0, len(op.Set))
	for path := range op.Set {
		paths = append(paths, path)
	}
	slices.Sort(paths)
	for _, path := range paths {
		if strings.Trim(path, "/") == "id" {
			return diag.BadArgument("/set/id", "use rename_node: it renames references too", "an id is not changed by update_node")
		}
		if fault := e.setPath(n, path, op.Set[path]); fault != nil {
			fault.Path = "/set"
			return fault
		}
	}
	return nil
}

// edges calls f for every edge of a node, with the value that holds its target.
func edges(n Value, f func(branch string, target Value)) {
	if next := n.Get("next"); next.Is(String) {
		f("", next)
	}
	for i, c := range n.Get("conditions").Items() {
		if next := c.Get("next"); next.Is(String) {
			f(strconv.Itoa(i), next)
		}
		if target := c.Get("target"); target.Is(String) {
			f(strconv.Itoa(i), target)
		}
	}
	for _, key := range []string{"onError", "join"} {
		if v := n.Get(key); v.Is(String) {
			f(key, v)
		}
	}
	for i, b := range n.Get("branches").Items() {
		if b.Is(String) {
			f("branches/"+strconv.Itoa(i), b)
		}
	}
}

func (e *editor) removeNode(op EditOp) *diag.Fault {
	n, fault := e.node(op.ID, "/id")
	if fault != nil {
		return fault
	}
	next := n.Get("next").Text()
	if op.Reconnect == nil || *op.Reconnect {
		for _, other := range e.nodes.Items() {
			edges(other, func(_ string, target Value) {
				if target.Text() == op.ID && next != "" && next != op.ID && other.Get("id").Text() != op.ID {
					e.change(target.Replace("", next))
				}
			})
		}
	}
	e.change(n.Remove(""))
	return nil
}

// connect points one edge of a node at another: its next, a condition of a switch
// by index, its default, or onError.
func (e *editor) connect(from, to, branch string) *diag.Fault {
	n, fault := e.node(from, "/from")
	if fault != nil {
		return fault
	}
	if _, fault := e.node(to, "/to"); fault != nil {
		return fault
	}
	if i, err := strconv.Atoi(branch); err == nil {
		conditions := n.Get("conditions").Items()
		if i < 0 || i >= len(conditions) {
			return diag.BadArgument("/branch", "a condition's index, default or onError", "%q has %d conditions", from, len(conditions))
		}
		e.change(setMember(conditions[i], "next", to))
		return nil
	}
	switch branch {
	case "", "default", "next":
		e.change(setMember(n, "next", to))
	case "onError", "join":
		e.change(setMember(n, branch, to))
	default:
		return diag.BadArgument("/branch", "a condition's index, default or onError", "unknown branch %q", branch)
	}
	return nil
}

func setMember(v Value, key, text string) diag.Fix {
	if m := v.Get(key); m.Exists() {
		return m.Replace("", text)
	}
	return v.Insert("", key, text, "")
}

func (e *editor) insertBetween(op EditOp) *diag.Fault {
	id, fault := e.newNode(op.Node)
	if fault != nil {
		return fault
	}
	from, fault := e.node(op.From, "/from")
	if fault != nil {
		return fault
	}
	if _, fault := e.node(op.To, "/to"); fault != nil {
		return fault
	}
	found := false
	edges(from, func(branch string, target Value) {
		if target.Text() == op.To && (op.Branch == "" || op.Branch == branch) {
			e.change(target.Replace("", id))
			found = true
		}
	})
	if !found {
		return diag.BadArgument("/to", "connect makes an edge", "no edge leads from %q to %q", op.From, op.To)
	}
	e.change(e.nodes.InsertItem("", slices.Index(e.ids, op.From)+1, withNext(op.Node, op.To)))
	return nil
}

// withNext gives a node without a next one.
func withNext(raw json.RawMessage, next string) any {
	doc, _ := Parse("node", string(raw))
	if doc == nil || doc.Root.Get("next").Exists() {
		return raw
	}
	n := Object{}
	for _, key := range doc.Root.Keys() {
		n = append(n, Pair{Key: key, Value: json.RawMessage(doc.Root.Get(key).JSON())})
	}
	return append(n, Pair{Key: "next", Value: next})
}
