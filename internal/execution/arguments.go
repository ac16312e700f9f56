package execution

import (
	"context"
	"encoding/json"
	"slices"

	"github.com/patchbay-mcp/patchbay/graph"
	"github.com/patchbay-mcp/patchbay/internal/plans"
	"github.com/patchbay-mcp/patchbay/internal/request"
	"github.com/patchbay-mcp/patchbay/schema"
)

// A completion says what an input can still have.
type completion struct{ execution *Execution }

// An Argument is one that a run, a call or an answer takes, as its schema describes it.
type Argument struct {
	Name        string
	Description string
	Types       []string          // the JSON types of its values; none where the schema does not tell
	Choices     []json.RawMessage // none where the schema does not list them
	Required    bool              // it has to be given: it has no default
}

// Arguments lists what an input is to be completed with, in the order of the schema,
// the required ones first. The input is that of an operation whose arguments follow a
// schema: a [RunInput], a [RunNodeInput] or an [AnswerInput]. The list is empty where
// the schema is not known; the operation itself then says why.
func (cp *completion) Arguments(ctx context.Context, in any) []Argument {
	switch in := in.(type) {
	case *RunInput:
		if len(in.Cases) > 0 {
			return nil // each case has its own
		}
		return schemaArguments(cp.schemaOfRun(ctx, *in))
	case *RunNodeInput:
		return schemaArguments(cp.schemaOfCall(ctx, *in))
	case *AnswerInput:
		return schemaArguments(cp.schemaOfAnswer(ctx, *in))
	}
	return nil
}

// QuestionArguments lists what the answer to a question has, as Arguments does.
func QuestionArguments(a Ask) []Argument { return schemaArguments(a.Schema) }

// schemaOfRun is the inputSchema of the graph that a run is of.
func (cp *completion) schemaOfRun(ctx context.Context, in RunInput) json.RawMessage {
	if in.Saved != "" {
		tool, fault := plans.GraphResolver{Plans: cp.execution.plans, Rights: request.RightsFrom(ctx)}.Graph(in.Saved)
		if fault != nil {
			return nil
		}
		return tool.Spec.InputSchema
	}
	s, fault := cp.execution.plans.Source(ctx, in.GraphInput)
	if fault != nil {
		return nil
	}
	doc, _ := graph.Parse(s.Name, s.Text)
	if doc == nil {
		return nil
	}
	tools := doc.Tools()
	if in.Tool != "" {
		tools = slices.DeleteFunc(slices.Clone(tools), func(t *graph.Tool) bool { return t.Name.Text() != in.Tool })
	}
	if len(tools) != 1 {
		return nil
	}
	return tools[0].InputSchema.JSON()
}

// schemaOfCall is the inputSchema of a tool or of a saved graph.
func (cp *completion) schemaOfCall(ctx context.Context, in RunNodeInput) json.RawMessage {
	spec, fault := cp.execution.discover.Exact(ctx, in.node(), "/id")
	if fault != nil {
		return nil
	}
	return spec.InputSchema
}

// schemaOfAnswer is the schema of the question that a person accepts to answer.
func (cp *completion) schemaOfAnswer(ctx context.Context, in AnswerInput) json.RawMessage {
	rec, fault := cp.execution.record(ctx, in.RunID)
	if fault != nil || in.Action != "accept" {
		return nil
	}
	open := Asks(rec)
	if in.Step != "" {
		open = slices.DeleteFunc(open, func(a Ask) bool { return a.Step != in.Step })
	}
	if len(open) != 1 {
		return nil
	}
	return open[0].Schema
}

func schemaArguments(raw json.RawMessage) []Argument {
	root := schema.Read(raw).Resolve()
	var required, optional []Argument
	for _, name := range root.Required() {
		if a := schemaArgument(name, root.Property(name)); a.Required {
			required = append(required, a)
		} else {
			optional = append(optional, a)
		}
	}
	for name, property := range root.Properties() {
		if !root.Requires(name) {
			a := schemaArgument(name, property)
			a.Required = false
			optional = append(optional, a)
		}
	}
	return append(required, optional...)
}

// schemaArgument describes an argument that has to be given unless it has a default.
func schemaArgument(name string, property *schema.Node) Argument {
	if property == nil {
		return Argument{Name: name, Required: true}
	}
	p := property.Resolve()
	a := Argument{Name: name, Description: p.Get("description").Text(), Required: p.Default() == nil}
	if types := p.Types(); !slices.Contains(types, "any") {
		a.Types = types
	}
	if enum := p.Get("enum"); enum != nil {
		for _, choice := range enum.All() {
			a.Choices = append(a.Choices, choice.Raw())
		}
	}
	return a
}
