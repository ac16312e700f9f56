package expr

import (
	"github.com/patchbay-mcp/patchbay/jsonata"
	"github.com/patchbay-mcp/patchbay/types"
)

// A param is what an argument must be, and its words.
type param struct {
	kinds types.Kind
	elem  types.Kind // of an array's items; 0: anything
	words string
}

func paramOf(p *jsonata.Param) param {
	kinds := p.Kinds
	if kinds != types.Any {
		kinds &^= types.Undefined
	}
	return param{kinds, p.Items, p.Words()}
}

// takesContext reports whether the context is the first argument of a call: there
// are too few, or they fit only so.
func takesContext(b *jsonata.Builtin, args []types.Type) bool {
	params := b.Params()
	if len(params) == 0 || !params[0].Context || len(args) >= len(params) {
		return false
	}
	if len(args) < b.Required() {
		return true
	}
	for i, a := range args {
		if !a.Has(params[i+1].Kinds | types.Undefined) {
			return false
		}
	}
	return !args[0].Has(params[0].Kinds | types.Undefined)
}
