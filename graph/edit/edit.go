package edit

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/graph"
)

// An Editor makes one operation's changes to a text.
type Editor struct {
	doc   *graph.Document
	tool  *graph.Tool
	ids   []string
	fixes []diag.Fix
}

// New returns an editor of one tool of a document; tool may be empty where
// the document has one. The fault says why there is nothing to edit.
func New(name, text, tool string) (*Editor, *diag.Fault) {
	doc, found := graph.Parse(name, text)
	if doc == nil {
		return nil, diag.Faultf(diag.CodeSyntax, "the graph cannot be read: %s", found[0].Message).WithHint("repair it with validate_graph first")
	}
	e := &Editor{doc: doc}
	for _, t := range doc.Tools() {
		if tool == "" && len(doc.Tools()) == 1 || t.Name.Text() == tool {
			e.tool = t
		}
	}
	if e.tool == nil {
		return nil, diag.BadArgument("/tool", "say which tool of the document to edit", "the document has %d tools", len(doc.Tools()))
	}
	if !e.tool.NodeList.Is(graph.Array) {
		return nil, diag.BadArgument("/graph", "repair it with validate_graph first", "the tool has no list of nodes")
	}
	for _, n := range e.tool.Nodes {
		e.ids = append(e.ids, n.ID.Text())
	}
	return e, nil
}

var codeConflictingEdit = diag.DefineFault("conflicting-edit", diag.RefusesRequest, "an edit changes the same place twice", "split it")

// Text is the document with the changes made.
func (e *Editor) Text() (string, *diag.Fault) {
	joined := graph.Join("", e.fixes...)
	if len(joined.Edits) == 0 && len(joined.Patch) > 0 {
		return "", diag.Faultf(codeConflictingEdit, "the operation changes the same place twice; split it")
	}
	return diag.ApplyEdits(e.doc.Src, joined.Edits), nil
}

func (e *Editor) change(f diag.Fix) { e.fixes = append(e.fixes, f) }

var ops = []string{"add_node", "update_node", "remove_node", "connect", "insert_between", "rename_node", "set"}

// Apply makes one operation; its fault says what of it cannot be done.
func (e *Editor) Apply(op Op) *diag.Fault {
	switch op.Op {
	case "add_node":
		return e.addNode(op.Node, op.After)
	case "update_node":
		return e.updateNode(op)
	case "remove_node":
		return e.removeNode(op)
	case "connect":
		return e.connect(op)
	case "insert_between":
		return e.insertBetween(op)
	case "rename_node":
		return e.renameNode(op.ID, op.NewID)
	case "set":
		return e.setPath(e.tool.Value, op.Path, op.Value)
	}
	f := diag.BadArgument("/op", "the ops are "+strings.Join(ops, ", "), "unknown op %q", op.Op)
	f.Suggestions = diag.Closer(op.Op, ops, 1)
	return f
}

// node finds a node by its id.
func (e *Editor) node(id, path string) (*graph.Node, *diag.Fault) {
	if i := slices.Index(e.ids, id); i >= 0 && id != "" {
		return &e.tool.Nodes[i], nil
	}
	f := diag.BadArgument(path, "the nodes are "+diag.OneOf(e.ids, 20), "the graph has no node %q", id)
	f.Suggestions = diag.Closer(id, e.ids, 3)
	return nil, f
}

// newNode reads the node of an operation, which must have an id of its own.
func (e *Editor) newNode(raw json.RawMessage) (id string, fault *diag.Fault) {
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

func (e *Editor) addNode(raw json.RawMessage, after string) *diag.Fault {
	if _, fault := e.newNode(raw); fault != nil {
		return fault
	}
	at := len(e.tool.Nodes)
	if after != "" {
		i := slices.Index(e.ids, after)
		if i < 0 {
			_, fault := e.node(after, "/after")
			return fault
		}
		at = i + 1
	}
	e.change(e.tool.NodeList.InsertItem("", at, raw))
	return nil
}

func (e *Editor) updateNode(op Op) *diag.Fault {
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
		if fault := e.setPath(n.Value, path, op.Set[path]); fault != nil {
			fault.Path = "/set"
			return fault
		}
	}
	return nil
}

// An Op is one change of a graph.
type Op struct {
	Op        string                     `json:"op"`
	ID        string                     `json:"id,omitempty"`
	NewID     string                     `json:"new_id,omitempty"`
	Node      json.RawMessage            `json:"node,omitempty"`
	After     string                     `json:"after,omitempty"`
	Set       map[string]json.RawMessage `json:"set,omitempty"`
	From      string                     `json:"from,omitempty"`
	To        string                     `json:"to,omitempty"`
	Branch    string                     `json:"branch,omitempty"`
	Port      string                     `json:"port,omitempty"` // the input port that an edge leads to
	Reconnect *bool                      `json:"reconnect,omitempty"`
	Path      string                     `json:"path,omitempty"`
	Value     json.RawMessage            `json:"value,omitempty"`
}

// Singles splits an update_node of several paths into one for each, in order of
// path: each then sees what the one before has made.
func (op Op) Singles() []Op {
	if op.Op != "update_node" || len(op.Set) < 2 {
		return []Op{op}
	}
	paths := slices.Sorted(maps.Keys(op.Set))
	ops := make([]Op, len(paths))
	for i, path := range paths {
		ops[i] = op
		ops[i].Set = map[string]json.RawMessage{path: op.Set[path]}
	}
	return ops
}

// OpPath is the JSON Pointer of a part of the i-th operation of a call.
func OpPath(i int, path string) string {
	b, err := json.Marshal(i)
	if err != nil {
		return path
	}
	return "/ops/" + string(b) + path
}

// renameNode changes an id, the edges that name it, and the references in
// expressions and rules.
func (e *Editor) renameNode(id, newID string) *diag.Fault {
	n, fault := e.node(id, "/id")
	if fault != nil {
		return fault
	}
	if newID == "" || slices.Contains(e.ids, newID) {
		return diag.BadArgument("/new_id", "choose a free id", "%q cannot be the new id: it is empty or taken", newID)
	}
	e.change(n.ID.Replace("", newID))
	for _, other := range e.tool.Nodes {
		e.rewire(&other, id, newID)
		for _, x := range other.Reads() {
			if edits := x.Rename(id, newID); len(edits) > 0 {
				e.change(x.ReplaceText("rename "+id, edits...))
			}
		}
	}
	return nil
}
