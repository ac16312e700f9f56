package execution

import (
	"context"
	"strings"

	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/internal/plans"
	"github.com/patchbay-mcp/patchbay/internal/request"
	"github.com/patchbay-mcp/patchbay/run"
)

// RunID returns the ID of the run that a person means: by the whole ID, by the
// beginning or the end of one, by "latest" or by "latest:STATUS". Runs are those of the
// caller's project. What is not recognized is returned as it is.
func (ex *Execution) RunID(ctx context.Context, handle string) (string, *diag.Fault) {
	handle = strings.TrimPrefix(handle, run.IDCut) // as lists show it
	word, status, _ := strings.Cut(handle, ":")
	if word != plans.Latest && (len(handle) >= plans.WholeID || len(strings.TrimPrefix(handle, run.IDPrefix)) < plans.MinHandle) {
		return handle, nil
	}
	f := run.Filter{Actor: request.ActorFrom(ctx), Project: ex.plans.Projects(false)}
	if word == plans.Latest {
		if fault := knownStatus(status); fault != nil {
			return "", fault
		}
		f.Status, f.Limit, f.Ordinary = run.Status(status), 1, true
	}
	list, fault := ex.Runner.List(f)
	if fault != nil {
		return "", fault
	}
	if word == plans.Latest {
		if len(list) == 0 {
			return "", diag.BadArgument("/run_id", "patchbay runs list shows the runs of this project", "there is no run for %q", handle)
		}
		return list[0].ID, nil
	}
	var ids []string
	for _, s := range list {
		part := strings.ToUpper(strings.TrimPrefix(handle, run.IDPrefix))
		if strings.HasPrefix(s.ID, run.IDPrefix+part) || strings.HasSuffix(s.ID, part) {
			ids = append(ids, s.ID)
		}
	}
	if len(ids) == 1 {
		return ids[0], nil
	}
	if len(ids) > 1 {
		fault := diag.BadArgument("/run_id", "give more of the ID", "%d runs are meant by %q", len(ids), handle)
		fault.Suggestions = ids[:min(len(ids), 5)]
		return "", fault
	}
	return handle, nil
}
