package app

import (
	"cmp"
	"context"
	"reflect"
	"strings"

	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/internal/policy/access"
)

// An Operation is one thing that the product does, declared once in [Operations].
// The tools of the MCP server, the commands of the command line, the names that
// saved graphs cannot have and the reference follow from it.
type Operation struct {
	Tool        string // name of the MCP tool, or ""
	Title       string // of the tool, for people
	Debug       bool   // the tool is for debugging: clients have it only with serve --debug-tools
	Command     string // words of the command, such as "runs show", or ""
	Summary     string // what the command does, in a line
	Description string // what the tool does, for the model that chooses it
	Sought      string // what a client looks for that loads definitions on demand, at most 60 characters; it loads a tool that has this at once
	Scope       string // that a principal needs; "" is [access.Admin]
	Local       bool   // only for the operator at this machine: by the command line, or by a link of patchbay ui
	Hints       Hints

	input, result reflect.Type
	call          func(context.Context, *App, any) (any, *diag.Fault)
}

// Hints say what a tool does to the world, in the words of MCP's annotations.
type Hints struct {
	ReadOnly, Destructive, Idempotent, OpenWorld bool
}

// define completes an operation by the method that does it, whose input and result
// are structs.
func define[In, Out any](o Operation, method func(*App, context.Context, In) (*Out, *diag.Fault)) Operation {
	o.input, o.result = reflect.TypeFor[In](), reflect.TypeFor[Out]()
	o.Scope = cmp.Or(o.Scope, access.Admin)
	o.call = func(ctx context.Context, app *App, in any) (any, *diag.Fault) {
		out, fault := method(app, ctx, *in.(*In))
		if fault != nil {
			return nil, fault
		}
		fillLists(reflect.ValueOf(out).Elem())
		return out, nil
	}
	return o
}

// fillLists makes the lists that are always in the JSON of a result empty instead of null.
func fillLists(result reflect.Value) {
	for i := range result.NumField() {
		f, tag := result.Field(i), result.Type().Field(i).Tag.Get("json")
		if f.Kind() == reflect.Slice && f.IsNil() && f.CanSet() && f.Type().Elem().Kind() != reflect.Uint8 && !strings.Contains(tag, ",omit") {
			f.Set(reflect.MakeSlice(f.Type(), 0, 0))
		}
	}
}

// Input is the struct type of the input.
func (o Operation) Input() reflect.Type { return o.input }

// Result is the struct type of the result.
func (o Operation) Result() reflect.Type { return o.result }

// NewInput returns a pointer to an empty input.
func (o Operation) NewInput() any { return reflect.New(o.input).Interface() }

// Call does the operation. The input is a pointer as from [Operation.NewInput], the
// result a pointer to the result's struct, or nil with a fault.
func (o Operation) Call(ctx context.Context, app *App, in any) (any, *diag.Fault) {
	return o.call(ctx, app, in)
}

// Fields lists the fields of the input, those of embedded structs included.
func (o Operation) Fields() []Field { return InputFields(o.input) }
