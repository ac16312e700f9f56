package app

import (
	"context"
	"strings"

	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/run"
)

// latest is the handle of the run that started last; "latest:failed" is that of the
// last one with a status.
const latest = "latest"

const (
	wholeID   = len(run.IDPrefix) + 26 // characters of an ID
	minHandle = 4                      // of one that name a run
)

// RunID returns the ID of the run that a person means: by the whole ID, by the
// beginning or the end of one, by "latest" or by "latest:STATUS". Runs are those of the
// caller's project. What is not recognized is returned as it is.
func (pb *App) RunID(ctx context.Context, handle string) (string, *diag.Fault) {
	handle = strings.TrimPrefix(handle, run.IDCut) // as lists show it
	word, status, _ := strings.Cut(handle, ":")
	if word != latest && (len(handle) >= wholeID || len(strings.TrimPrefix(handle, run.IDPrefix)) < minHandle) {
		return handle, nil
	}
	f := run.Filter{Actor: actor(ctx), Project: pb.projects(false)}
	if word == latest {
		if fault := knownStatus(status); fault != nil {
			return "", fault
		}
		f.Status, f.Limit = run.Status(status), 1
	}
	list, fault := pb.runs.List(f)
	if fault != nil {
		return "", fault
	}
	if word == latest {
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
