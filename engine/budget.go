package engine

import (
	"context"
	"fmt"
	"sync/atomic"

	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/expr"
	"github.com/patchbay-mcp/patchbay/run"
)

// budget is what all branches of a run share.
type budget struct {
	id     string
	limit  int
	most   int          // the operator's ceiling of limit
	count  atomic.Int64 // node executions so far
	limits run.Limits
	bytes  atomic.Int64 // of all outputs so far
}

// take counts one node execution; it is false when the limit is reached.
func (l *budget) take() bool {
	if l.count.Add(1) > int64(l.limit) {
		l.count.Add(-1)
		return false
	}
	return true
}

// checkEvery is the number of items that are counted between two checks of the context.
const checkEvery = 4096

// itemsLeft returns for how many of n items, with keys that begin with that of the step,
// the run has node executions left. It stops counting when ctx ends.
func (s *State) itemsLeft(ctx context.Context, n int) int {
	left := s.run.limit - int(s.run.count.Load())
	for i := 0; i < n && left < n && i <= left; i++ { // beyond that there are too many in any case
		if i%checkEvery == 0 && ctx.Err() != nil {
			break
		}
		if s.rt.Counted(itemKey(s.step.Key, i)) {
			left++
		}
	}
	return left
}

// maxSize is up to which size an output is measured to say how large it is.
const maxSize = 1 << 40

var CodeTooLarge = diag.DefineFault("too-large", diag.EndsRun, "an output or all outputs of the run exceed their limit", "select less in the node, or raise `executionLimits`")

// weigh adds an output to what the run keeps, and returns its size. One that is
// tooLarge ends the run: nothing could be done with it. One that makes the run full is
// the last: what made it has completed.
func (l *budget) weigh(n *planNode, output expr.Value) (size int, tooLarge, full *diag.Fault) {
	if output == nil {
		return 0, nil, nil
	}
	most := l.limits.MaxResultBytes
	size = expr.Size(output, most)
	if size > most {
		return 0, &diag.Fault{
			Code: CodeTooLarge, Node: n.id,
			Message: fmt.Sprintf("the output of node %q is %s of JSON, larger than the limit of %s (maxResultBytes)", n.id, diag.Bytes(int64(expr.Size(output, maxSize))), diag.Bytes(int64(most))),
			Hint:    "take the part that is needed, or raise executionLimits.maxResultBytes of the document (the operator's ceiling is limits.maxResultBytes in patchbay.yaml)",
		}, nil
	}
	if all := l.bytes.Add(int64(size)); all > int64(l.limits.MaxTraceBytes) {
		return size, nil, &diag.Fault{
			Code: CodeTooLarge, Node: n.id,
			Message: fmt.Sprintf("stopped at node %q: the outputs of the run together are larger than %s of JSON, the limit", n.id, diag.Bytes(int64(l.limits.MaxTraceBytes))),
			Hint:    "pass less from node to node, or raise executionLimits.maxTraceBytes of the document (the operator's ceiling is limits.maxTraceBytes in patchbay.yaml)",
		}
	}
	return size, nil, nil
}

// restore counts an output that an earlier attempt at the run has computed. It was
// within the limits then; what is computed from now on may exceed them.
func (l *budget) restore(output expr.Value) {
	if output != nil {
		l.bytes.Add(int64(expr.Size(output, l.limits.MaxTraceBytes)))
	}
}
