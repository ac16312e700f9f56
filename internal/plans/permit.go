package plans

import (
	"context"

	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/internal/library/graphfiles"
	"github.com/patchbay-mcp/patchbay/internal/request"
)

// AgentReplaces refuses to let an agent replace or delete a file that is not a graph: the folder
// may be a link to one with other files.
func (pl *Plans) AgentReplaces(ctx context.Context, name string) *diag.Fault {
	if request.ActorFrom(ctx).Operator {
		return nil
	}
	_, fault := pl.Saved.Get(name)
	if fault == nil || fault.Code != graphfiles.CodeBrokenGraph {
		return nil
	}
	fault.Hint = "a person repairs or removes the file; save under another name"
	return fault
}
