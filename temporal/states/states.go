package states

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"net/url"
	"slices"
	"strings"
	"time"

	enumspb "go.temporal.io/api/enums/v1"
	"go.temporal.io/api/serviceerror"
	"go.temporal.io/api/workflowservice/v1"
	"go.temporal.io/sdk/client"

	"github.com/patchbay-mcp/patchbay/run"
	"github.com/patchbay-mcp/patchbay/temporal/wire"
)

// How many bytes the state of a graph may take. More than a megabyte needs a place for large
// values: without one, they are in the history, which the service bounds.
const (
	MaxBytes      = 1 << 20
	MaxBytesBlobs = 32 << 20
)

// patience is how long the workflow of a state may take to answer.
const patience = 8 * time.Second

// A Store reaches the state of the graphs of a namespace.
type Store struct {
	Client    client.Client
	Namespace string
	Queue     string        // the task queue of the workflows
	Most      int           // bytes of the state of a graph: MaxBytes or MaxBytesBlobs
	Task      time.Duration // how long a workflow task may take; 0 is the service's default
}

// idPrefix begins the ids of the workflows; the project and the graph follow.
const idPrefix = "patchbay-state/"

func idOf(project, graph string) string {
	return idPrefix + url.PathEscape(project) + "/" + url.PathEscape(graph)
}

// named returns the graph whose state the workflow with an id has.
func named(id string) (project, graph string, ok bool) {
	rest, ok := strings.CutPrefix(id, idPrefix)
	project, graph, both := strings.Cut(rest, "/")
	project, bad := url.PathUnescape(project)
	graph, worse := url.PathUnescape(graph)
	return project, graph, ok && both && bad == nil && worse == nil
}

// Change reads or changes state. Again says that the change may have been made before: then
// it is not made another time, and has the same result. What is not possible is a
// diag.Fault.
func (s *Store) Change(ctx context.Context, r *wire.StateRequest, again bool) (json.RawMessage, error) {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	sum := sha256.Sum256([]byte(r.Run + "\n" + r.Intent.Key))
	q := request{ID: hex.EncodeToString(sum[:16]), At: r.Intent.At, Change: r.Change, Again: again}
	id := idOf(r.Change.Project, r.Change.Graph)
	var got reply
	var err error
	if r.Dry || r.Change.Do == run.StateGet {
		got, err = s.read(ctx, id, &q)
	} else {
		err = s.update(ctx, state{Project: r.Change.Project, Graph: r.Change.Graph, Most: s.Most}, q.ID, updateChange, &q, &got)
	}
	switch {
	case err != nil:
		return nil, err
	case got.Fault.Diag() != nil:
		return nil, got.Fault.Diag()
	}
	return got.Result, nil
}

func (s *Store) read(ctx context.Context, id string, q *request) (got reply, err error) {
	v, err := s.Client.QueryWorkflow(ctx, id, "", queryRead, q)
	if _, none := errors.AsType[*serviceerror.NotFound](err); none {
		return (&state{}).read(q), nil
	}
	if err == nil {
		err = v.Get(&got)
	}
	return got, err
}

// update sends an update to the workflow of a state, which it starts if it is not there.
func (s *Store) update(ctx context.Context, first state, id, name string, message, result any) error {
	of := idOf(first.Project, first.Graph)
	start := s.Client.NewWithStartWorkflowOperation(client.StartWorkflowOptions{
		ID: of, TaskQueue: s.Queue, WorkflowTaskTimeout: s.Task, WorkflowIDConflictPolicy: enumspb.WORKFLOW_ID_CONFLICT_POLICY_USE_EXISTING,
	}, workflowType, first)
	h, err := s.Client.UpdateWithStartWorkflow(ctx, client.UpdateWithStartWorkflowOptions{
		StartWorkflowOperation: start,
		UpdateOptions: client.UpdateWorkflowOptions{
			WorkflowID: of, UpdateID: id, UpdateName: name, Args: []any{message}, WaitForStage: client.WorkflowUpdateStageCompleted,
		},
	})
	if err == nil {
		err = h.Get(ctx, result)
	}
	return err
}

// States is that of run.StateStore.
func (s *Store) States(ctx context.Context, project, graph string) ([]run.StateEntry, error) {
	ids := []string{idOf(project, graph)}
	if project == "" || graph == "" {
		var err error
		if ids, err = s.find(ctx, project, graph); err != nil {
			return nil, err
		}
	}
	list, now := []run.StateEntry{}, time.Now()
	for _, id := range ids {
		ctx, cancel := context.WithTimeout(ctx, patience)
		v, err := s.Client.QueryWorkflow(ctx, id, "", queryList)
		cancel()
		var of []run.StateEntry
		if err == nil {
			err = v.Get(&of)
		}
		if _, none := errors.AsType[*serviceerror.NotFound](err); err != nil && !none {
			return nil, err
		}
		for _, e := range of {
			if e.Expires.IsZero() || now.Before(e.Expires) {
				list = append(list, e)
			}
		}
	}
	slices.SortFunc(list, func(a, b run.StateEntry) int {
		return cmp.Or(cmp.Compare(a.Project, b.Project), cmp.Compare(a.Graph, b.Graph), cmp.Compare(a.Key, b.Key))
	})
	return list, nil
}

// find returns the ids of the workflows that have the state of some graphs.
func (s *Store) find(ctx context.Context, project, graph string) (ids []string, err error) {
	request := &workflowservice.ListWorkflowExecutionsRequest{Namespace: s.Namespace, Query: "WorkflowType = '" + workflowType + "' AND ExecutionStatus = 'Running'"}
	for {
		bounded, cancel := context.WithTimeout(ctx, patience)
		page, err := s.Client.ListWorkflow(bounded, request)
		cancel()
		if err != nil {
			return nil, err
		}
		for _, info := range page.GetExecutions() {
			id := info.GetExecution().GetWorkflowId()
			p, g, ok := named(id)
			if ok && (project == "" || p == project) && (graph == "" || g == graph) {
				ids = append(ids, id)
			}
		}
		if request.NextPageToken = page.GetNextPageToken(); len(request.NextPageToken) == 0 {
			return ids, nil
		}
	}
}

// Delete is DeleteState of run.StateStore.
func (s *Store) Delete(ctx context.Context, project, graph, key string) (deleted int, err error) {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	h, err := s.Client.UpdateWorkflow(ctx, client.UpdateWorkflowOptions{
		WorkflowID: idOf(project, graph), UpdateName: updateDelete, Args: []any{key}, WaitForStage: client.WorkflowUpdateStageCompleted,
	})
	if err == nil {
		err = h.Get(ctx, &deleted)
	}
	if _, none := errors.AsType[*serviceerror.NotFound](err); none {
		return 0, nil
	}
	return deleted, err
}
