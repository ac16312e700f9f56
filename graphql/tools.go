package graphql

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/vektah/gqlparser/v2/ast"

	"github.com/patchbay-mcp/patchbay/internal/servers/apis"
)

// limits bound what one tool has, so that an API of thousands of fields fits into memory.
type limits struct {
	fields     int // of a selection, at all levels
	inputBytes int // of the definitions of its input objects
}

// limitsFor shares what all tools may have among so many.
func limitsFor(tools int) limits {
	const allFields, allInputBytes = 500_000, 16 << 20
	tools = max(tools, 1)
	return limits{fields: min(max(allFields/tools, 100), 1000), inputBytes: min(max(allInputBytes/tools, 4<<10), 128<<10)}
}

// tools returns a tool for each field that is wanted.
func (a *api) tools(names *apis.Names) ([]Tool, error) {
	wanted, err := a.wanted()
	if err != nil {
		return nil, err
	}
	a.limits = limitsFor(len(wanted))
	var tools []Tool
	shallow, cut := 0, 0
	for _, op := range wanted {
		op.name = op.field.Name
		if !a.o.PlainNames {
			op.name = string(op.operation) + "_" + op.name
		}
		if a.o.Prefix != "" {
			op.name = a.o.Prefix + "_" + op.name
		}
		if err := a.plan(op); err != nil {
			a.note("%s %s is left out: %v", op.operation, op.field.Name, err)
			continue
		}
		if op.shallow {
			shallow++
		}
		name, renamed := names.Take(op.name)
		if renamed {
			a.note("the name %s is taken: %s %s is %s", op.name, op.operation, op.field.Name, name)
		}
		op.name = name
		tools = append(tools, a.tool(op))
		op.selection = nil
		if op.cut {
			cut++
		}
	}
	a.selected, a.inputs, a.closures = nil, nil, nil // calls need the schema alone
	if len(tools) == 0 {
		return nil, errors.New("no operation of the GraphQL schema can be a tool")
	}
	if cut > 0 {
		a.note("%d input schemas allow any value for deeply nested input objects: they would be larger than %d KiB", cut, a.limits.inputBytes>>10)
	}
	if shallow > 0 {
		a.note("%d tools select fewer levels than depth says: they would select more than %d fields", shallow, a.limits.fields)
	}
	return tools, nil
}

// An operation is a field of Query or Mutation that becomes a tool.
type operation struct {
	api       *api
	operation ast.Operation
	field     *ast.FieldDefinition
	name      string // of the tool

	arguments []parameter
	selection *selection // nil if the field is a scalar or an enum
	depth     int        // levels that are selected
	shallow   bool       // they are fewer than what was asked for
	cut       bool       // some of its input objects allow anything
	head      string     // of the document, up to the selection
	document  string
	quoted    string // the document as JSON
	selectArg string // the argument that takes a selection, or ""
	input     json.RawMessage
}

// plan decides what an operation selects, and validates its document.
func (a *api) plan(op *operation) error {
	op.api, op.arguments = a, a.fieldParameters(op.field)
	op.head = head(op)
	of := a.schema.Types[op.field.Type.Name()]
	if !of.IsCompositeType() {
		op.document = op.head + " }"
		return a.finish(op)
	}
	op.selectArg = "select"
	for op.field.Arguments.ForName(op.selectArg) != nil {
		op.selectArg += "_"
	}
	asked := min(cmp.Or(a.o.Depths[op.field.Name], a.o.Depth), MaxDepth)
	var err error
	for depth := asked; depth >= 0; depth-- {
		k := selectionKey{of.Name, max(depth, 1), depth == 0}
		s, ok := a.selectFields(of, k)
		if !ok || s == nil {
			continue
		}
		op.selection, op.depth, op.shallow = s, k.depth, depth < asked
		op.document = op.head + " { " + s.text + " } }"
		if err = a.finish(op); err == nil {
			return nil
		}
	}
	if err != nil {
		return err
	}
	op.selection, op.depth, op.shallow = a.typename(of), 1, true
	op.document = op.head + " { __typename } }"
	return a.finish(op)
}

// finish validates the document of an operation.
func (a *api) finish(op *operation) error {
	if err := a.validate(op.document); err != nil {
		return fmt.Errorf("its document is not valid: %w", err)
	}
	op.quoted = quote(op.document)
	return nil
}

// head is a document up to the selection: query Query_user($id: ID!) { user(id: $id).
func head(op *operation) string {
	var declared, passed []string
	for _, p := range op.arguments {
		typ := *p.typ
		typ.NonNull = p.required() // with a default, the variable may be absent
		variable := "$" + p.name + ": " + typ.String()
		if p.typ.NonNull && p.value != nil { // older servers want the default here too
			variable += " = " + p.value.String()
		}
		declared = append(declared, variable)
		passed = append(passed, p.name+": $"+p.name)
	}
	word, kind := "query", "Query_"
	if op.operation == ast.Mutation {
		word, kind = "mutation", "Mutation_"
	}
	if len(declared) == 0 {
		return word + " " + kind + op.field.Name + " { " + op.field.Name
	}
	return word + " " + kind + op.field.Name + "(" + strings.Join(declared, ", ") + ") { " + op.field.Name + "(" + strings.Join(passed, ", ") + ")"
}

// selected is the key of a result that a caller has selected himself.
const selected = "selected"

// tool makes the tool of an operation.
func (a *api) tool(op *operation) Tool {
	query := op.operation == ast.Query
	destructive, open := !query, true
	title := "Mutation: "
	if query {
		title = "Query: "
	}
	op.input = a.arguments(op)
	return Tool{
		Tool: &mcp.Tool{
			Name: op.name, Title: title + op.field.Name, Description: a.description(op),
			InputSchema: op.input, OutputSchema: a.result(op),
			Annotations: &mcp.ToolAnnotations{ReadOnlyHint: query, IdempotentHint: query, DestructiveHint: &destructive, OpenWorldHint: &open},
		},
		Document: op.document,
		Handler:  op.call,
	}
}

func (a *api) description(op *operation) string {
	words := strings.TrimSpace(op.field.Description)
	if words == "" {
		words = fmt.Sprintf("The GraphQL %s %s, of type %s.", op.operation, op.field.Name, op.field.Type)
	}
	if reason, deprecated := isDeprecated(op.field.Directives); deprecated {
		words += " Deprecated: " + reason
	}
	return words
}

// arguments is the input schema of a tool.
func (a *api) arguments(op *operation) json.RawMessage {
	var s objectSchema
	for _, p := range op.arguments {
		s.add(a, p, false)
	}
	if op.selectArg != "" {
		text := fmt.Sprintf("What to select of %s, in GraphQL without the outer braces, in place of the default selection. What it returns is in the result's field %s.", op.field.Type.Name(), selected)
		s.properties = append(s.properties, quote(op.selectArg)+`:{"type":"string","description":`+quote(text)+`}`)
	}
	defs := a.definitions(s.refs)
	op.cut = !defs.whole
	object := closedObject(s.properties, s.required)
	schema := make(json.RawMessage, 0, len(object)+len(defs.schema))
	return append(append(append(schema, object[:len(object)-1]...), defs.schema...), '}')
}

// result is the output schema of a tool: data as GraphQL returns it, or what the caller
// has selected.
func (a *api) result(op *operation) json.RawMessage {
	properties := []string{quote(op.field.Name) + ":" + a.outputSchema(op.field.Type, op.selection)}
	required := []string{op.field.Name}
	if op.selectArg != "" {
		properties = append(properties, quote(selectedKey(op))+`:{}`)
		required = nil
	}
	return json.RawMessage(closedObject(properties, required))
}

// selectedKey is [selected], unless the field has that name.
func selectedKey(op *operation) string {
	if op.field.Name == selected {
		return selected + "_"
	}
	return selected
}
