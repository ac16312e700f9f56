package expr

import (
	"github.com/patchbay-mcp/patchbay/jsonata"
	"github.com/patchbay-mcp/patchbay/types"
)

// odd reports whether path n does what is not modelled: bound positions and
// elements, parents.
func (in *inferrer) odd(n *jsonata.Node) bool {
	for _, step := range n.Args {
		if step.Focus != nil || step.Index != nil || step.Kind == jsonata.KindParent {
			return true
		}
		for _, stage := range step.Stages {
			if stage.Kind == jsonata.KindIndex {
				return true
			}
		}
	}
	return in.ast.Parents
}

// oddPath evaluates the parts of such a path that do not depend on its steps.
func (in *inferrer) oddPath(n *jsonata.Node, ctx types.Type) {
	in.quiet++
	defer func() { in.quiet-- }()
	_ = ctx
	defer in.open(n)()
	in.scope.vars = map[string]types.Type{}
	for _, step := range n.Args {
		for _, v := range []*jsonata.Node{step.Focus, step.Index} {
			if v != nil {
				in.scope.vars[v.Text] = types.Unknown()
			}
		}
		for _, stage := range step.Stages {
			if stage.Kind == jsonata.KindIndex {
				in.scope.vars[stage.Text] = types.Unknown()
			}
		}
	}
	for _, step := range n.Args {
		switch step.Kind {
		case jsonata.KindName, jsonata.KindSort, jsonata.KindParent:
		default:
			in.bare(step, types.Unknown())
		}
		for _, stage := range step.Stages {
			in.unknownContext(stage)
		}
	}
	if n.Group != nil {
		in.unknownContext(n.Group.Args...)
	}
}
