package runs

import (
	"context"
	"errors"
	"fmt"

	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/internal/admission"
)

// keeper is the share of memory that a run keeps its values in.
type keeper struct {
	share admission.Share
	end   context.CancelCauseFunc // of the run
}

// Keep implements [local.Keeper]. Where there is no memory, all branches of the run
// end, whatever the graph says about failures.
func (k *keeper) Keep(ctx context.Context, bytes int64) error {
	err := k.share.Keep(ctx, bytes)
	var why string
	switch large, tooLarge := errors.AsType[*admission.TooLarge](err); {
	case err == nil:
		return nil
	case tooLarge:
		why = fmt.Sprintf("the run keeps %s of inputs and outputs, more than the %s for all runs together", diag.Bytes(large.Bytes), diag.Bytes(large.Most))
	case errors.Is(err, admission.ErrMost):
		why = fmt.Sprintf("all runs wait for memory, and this one keeps most: %s of inputs and outputs of the %s for all runs together", diag.Bytes(bytes), diag.Bytes(k.share.Most()))
	default:
		return err
	}
	fault := &diag.Fault{
		Code: "too-much-memory", Message: why + " (half of limits.memoryMB)",
		Hint: "pass less from node to node, or do less in one run; the operator sets limits.memoryMB",
	}
	k.end(fault)
	return fault
}
