package walk_test

import (
	"errors"

	"go.temporal.io/sdk/temporal"

	"github.com/patchbay-mcp/patchbay/temporal/wire"
)

// update sends an update, which is refused with a code, or taken for "".
func (e *trial) update(name, id string, arg any, code string) {
	e.UpdateWorkflow(name, id, &outcome{e, id, code}, arg)
}

// outcome is what is expected of an update.
type outcome struct {
	e        *trial
	id, code string
}

func (o *outcome) Accept()          {}
func (o *outcome) Reject(err error) { o.e.t.Errorf("%s is rejected: %v", o.id, err) }

func (o *outcome) Complete(_ any, err error) {
	code := ""
	if refused, ok := errors.AsType[*temporal.ApplicationError](err); ok {
		var f wire.Fault
		if err := refused.Details(&f); err != nil || f.Fault == nil {
			o.e.t.Errorf("%s: %v", o.id, err)
			return
		}
		code = f.Code
	} else if err != nil {
		o.e.t.Errorf("%s: %v", o.id, err)
	}
	if code != o.code {
		o.e.t.Errorf("%s: code %q, want %q", o.id, code, o.code)
	}
}
