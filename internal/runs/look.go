package runs

import (
	"context"

	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/engine/local"
	"github.com/patchbay-mcp/patchbay/run"
)

// Look implements [Runner].
func (l *Local) Look(ctx context.Context, actor run.Actor, id string) (*run.Record, *diag.Fault) {
	rec, fault := l.stored(actor, id)
	if fault != nil || l.o.CompileAlone == nil || !local.HasLost(rec) {
		return rec, fault
	}
	plan, fault := l.o.CompileAlone(ctx, rec.Source)
	if fault != nil { // what is lost stays lost
		return rec, nil
	}
	local.Complete(ctx, plan, rec)
	return rec, nil
}
