package engine

import (
	"fmt"
	"strconv"

	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/graph"
	"github.com/patchbay-mcp/patchbay/schema"
)

var (
	ruleVersion = diag.Define("format-version", diag.Warning,
		"The document's version is not \"1.0\", the version of the format.")
	ruleBadLimit = diag.Define("bad-limit", diag.Error,
		"An execution limit is not a positive whole number.")
	ruleLimitCeiling = diag.Define("limit-above-ceiling", diag.Warning,
		"An execution limit is above the operator's ceiling, and a run gets the ceiling. The operator sets it by limits in patchbay.yaml.")
	ruleBadSchema = diag.Define("bad-schema", diag.Error,
		"A schema of the tool is not a valid JSON Schema of an object, or validating with it would take too long.")
	rulePattern = diag.Define("unchecked-pattern", diag.Note,
		"A schema has a pattern that cannot be read, or that is too large. It is not checked: any text is accepted.")
	ruleSchemaShorthand = diag.Define("schema-shorthand", diag.Error,
		"A schema is written as a map of argument to type. Write a JSON Schema: {type: object, properties: {…}, required: […]}.")
	ruleBadName = diag.Define("bad-tool-name", diag.Error,
		"The tool's name has characters that MCP clients refuse, or is too long.")
	ruleSameTool = diag.Define("duplicate-tool", diag.Error,
		"Two tools of the document have the same name.")
)

var documentKeys, toolKeys = fieldNames(DocumentFields()), fieldNames(ToolFields())

// checkDocument checks the fields of the document except the tools.
func (p *Pass) checkDocument() {
	p.recoverDocument()
	tree := p.tree
	if tree.Bare() {
		return
	}
	p.readKeys(tree.Root, "the document", nil, documentKeys, foreignWords["document"])
	if v := tree.Version; v.Exists() && v.Text() != "1.0" {
		p.Report(ruleVersion, v, nil, "version is %s, expected \"1.0\"", strconv.Quote(v.Text())).
			Offer(v.Replace(`change to "1.0"`, "1.0"))
	}
	p.documentServers()
	p.limits(tree.ExecutionLimits)
	seen := map[string]graph.Value{}
	for _, t := range tree.Tools {
		name := t.Name
		if first, dup := seen[name.Text()]; dup && name.Text() != "" {
			d := p.Report(ruleSameTool, name, nil, "the document has two tools %q", name.Text())
			d.Related = []diag.Related{{Path: first.Path(), Range: first.Range(), Message: "the first"}}
		}
		seen[name.Text()] = name
	}
}

// checkTool checks the fields of the tool except the nodes, and reads them into the plan.
func (p *Pass) checkTool() {
	t := p.tool
	if p.tree.Bare() {
		p.documentServers()
	}
	if t.Name.Exists() {
		p.checkName(t.Name)
		p.plan.Name = t.Name.Text()
	}
	p.plan.Description = t.Description.Text()
	quiet := *p
	quiet.diags = &diag.List{}
	if p.tree.Bare() {
		quiet.diags = p.diags
	}
	p.plan.limits = quiet.limits(p.tree.ExecutionLimits).Within(p.env.Limits)
	p.plan.input = p.schema(t.InputSchema, "inputSchema")
	p.plan.output = p.schema(t.OutputSchema, "outputSchema")
	p.readWorkflow()
}

// checkName holds a tool's name to what MCP and its clients accept.
func (p *Pass) checkName(v graph.Value) {
	name := v.Text()
	if v.Is(graph.String) && ValidName(name) {
		return
	}
	d := p.Report(ruleBadName, v, nil, "the name %s is not 1 to 64 letters, digits, _ or -", strconv.Quote(diag.Cut(name, 80)))
	if fixed := NameFrom(name); fixed != "" {
		d.WithFix(fmt.Sprintf("name it %q", fixed), changeTo(v, fixed))
	}
}

// ValidName reports whether MCP clients accept the name of a tool: 1 to 64
// letters, digits, underscores and hyphens.
func ValidName(name string) bool {
	if name == "" || len(name) > 64 {
		return false
	}
	for _, r := range name {
		if r != '_' && r != '-' && (r < '0' || r > '9') && (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') {
			return false
		}
	}
	return true
}

// NameFrom makes a valid name of any text, or "" when nothing is left of it.
func NameFrom(text string) string {
	out := []byte{}
	for _, r := range text {
		switch {
		case ValidName(string(r)):
			out = append(out, byte(r))
		case len(out) > 0 && out[len(out)-1] != '_':
			out = append(out, '_')
		}
	}
	for len(out) > 0 && out[len(out)-1] == '_' {
		out = out[:len(out)-1]
	}
	return string(out[:min(len(out), 64)])
}

// schema compiles a schema of the tool.
func (p *Pass) schema(v graph.Value, what string) *schema.Schema {
	if !v.Exists() || v.Is(graph.Null) {
		return nil
	}
	if !v.Is(graph.Object) {
		p.wrongForm(&schemaForm, what, nil, v)
		return nil
	}
	if p.respell(&propertiesForm, what, nil, v) != nil || p.schemaSlips(v, what) {
		return nil
	}
	s := schema.New(raw(v))
	err := s.ErrContext(p.ctx)
	p.stop()
	if err != nil {
		p.Report(ruleBadSchema, v, nil, "%s: %s", what, err).Hint = "see https://json-schema.org; {type: object} accepts any object"
		return nil
	}
	p.uncheckedPatterns(v, nil, what, s)
	return s
}

// uncheckedPatterns notes that a schema has patterns which are not checked.
func (p *Pass) uncheckedPatterns(v graph.Value, n *Node, what string, s *schema.Schema) {
	patterns := s.Unchecked()
	if len(patterns) == 0 {
		return
	}
	p.Report(rulePattern, v, n, "%s: patterns that are not checked: %d, such as %s", what, len(patterns), diag.Quote(diag.Excerpt(patterns[0]))).Hint = "patterns are JavaScript's, without properties of characters such as \\p{Script=Greek}, and of bounded size"
}
