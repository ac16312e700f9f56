package runner

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"go.temporal.io/api/workflowservice/v1"

	commonpb "go.temporal.io/api/common/v1"

	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/run"
	"github.com/patchbay-mcp/patchbay/temporal/wire"
)

// pageSize is how many runs one request lists.
const pageSize = 200

// List implements [runs.Runner]. The service's lists may be some seconds late.
func (r *Runner) List(f run.Filter) ([]run.Summary, *diag.Fault) {
	var list []run.Summary
	fault := r.each(f, func(now *look) bool {
		s := run.Summary{
			ID: now.ID, Graph: now.Graph, Principal: now.Principal, Project: now.Project, Status: now.Status.Status,
			Started: now.Started, Ended: now.Ended, Steps: now.Steps, Code: now.Code, Message: now.Message,
		}
		if s.Status == run.Running && s.Code == "" && len(now.Waiting) > 0 {
			s.Code, s.Message = "waits", now.Waiting[0]
		}
		list = append(list, s)
		return f.Limit <= 0 || len(list) < f.Limit
	})
	slices.SortStableFunc(list, func(a, b run.Summary) int { return b.Started.Compare(a.Started) })
	return list, fault
}

// Uses implements [runs.Runner]. The calls of the runs are not counted.
func (r *Runner) Uses(f run.Filter) ([]run.Use, *diag.Fault) {
	f.Status, f.Limit = run.Succeeded, 0
	uses := map[string]*run.Use{}
	fault := r.each(f, func(now *look) bool {
		if uses[now.Graph] == nil {
			uses[now.Graph] = &run.Use{Graph: now.Graph}
		}
		uses[now.Graph].Runs++
		return true
	})
	var list []run.Use
	for _, u := range uses {
		list = append(list, *u)
	}
	slices.SortFunc(list, func(a, b run.Use) int { return cmp.Or(b.Runs-a.Runs, cmp.Compare(a.Graph, b.Graph)) })
	return list, fault
}

// Prune implements [runs.Runner]. Besides, the namespace deletes what has ended after its
// retention; there is no bound on bytes.
func (r *Runner) Prune(project string, before time.Time, _ int64) (deleted int, fault *diag.Fault) {
	if before.IsZero() {
		return 0, nil
	}
	var old []string
	fault = r.each(run.Filter{Actor: operator, Project: project}, func(now *look) bool {
		if !now.open && now.Ended.Before(before) {
			old = append(old, now.ID)
		}
		return true
	})
	for _, id := range old {
		if fault != nil {
			break
		}
		ctx, cancel := bounded(context.Background())
		_, err := r.client.WorkflowService().DeleteWorkflowExecution(ctx, &workflowservice.DeleteWorkflowExecutionRequest{
			Namespace: r.t.Namespace, WorkflowExecution: &commonpb.WorkflowExecution{WorkflowId: id},
		})
		cancel()
		if err != nil {
			return deleted, r.fault(id, err)
		}
		deleted++
	}
	return deleted, fault
}

// each calls a function with the runs that a filter chooses, the latest first, until it
// returns false.
func (r *Runner) each(f run.Filter, take func(*look) bool) *diag.Fault {
	seen := map[string]bool{} // a run that was resumed has several workflows
	request := &workflowservice.ListWorkflowExecutionsRequest{Namespace: r.t.Namespace, PageSize: pageSize, Query: r.query(f)}
	for {
		ctx, cancel := bounded(context.Background())
		page, err := r.client.ListWorkflow(ctx, request)
		cancel()
		if err != nil {
			return r.fault("", err)
		}
		for _, info := range page.GetExecutions() {
			now, ok := r.lookAt(info)
			if !ok || seen[now.ID] {
				continue
			}
			seen[now.ID] = true
			if chooses(f, now) && !take(now) {
				return nil
			}
		}
		if request.NextPageToken = page.GetNextPageToken(); len(request.NextPageToken) == 0 {
			return nil
		}
	}
}

func chooses(f run.Filter, now *look) bool {
	return f.Actor.Sees(now.Principal) &&
		(f.Graph == "" || f.Graph == now.Graph) &&
		(f.Status == "" || f.Status == now.Status.Status) &&
		(f.Project == "" || f.Project == now.Project) &&
		(!f.Ordinary || !now.Around) &&
		!now.Started.Before(f.Since)
}

// query is what the service can say about a filter. The rest is up to chooses.
func (r *Runner) query(f run.Filter) string {
	terms := []string{"WorkflowType = " + quoted(wire.Workflow), "ExecutionStatus != 'ContinuedAsNew'"}
	if r.indexed() {
		for name, value := range map[string]string{wire.AttributeGraph.GetName(): f.Graph, wire.AttributeProject.GetName(): f.Project} {
			if value != "" {
				// Runs that started before the namespace had the attributes have none.
				terms = append(terms, fmt.Sprintf("(%s = %s OR %[1]s IS NULL)", name, quoted(value)))
			}
		}
	}
	slices.Sort(terms)
	return strings.Join(terms, " AND ")
}

func quoted(s string) string { return "'" + strings.ReplaceAll(s, "'", "''") + "'" }

// attributes are the search attributes of runs.
var attributes = []string{wire.AttributeGraph.GetName(), wire.AttributeProject.GetName(), wire.AttributePrincipal.GetName(), wire.AttributeStatus.GetName()}

// knowsAttributes reports whether the namespace has the search attributes of runs. A service
// over an SQL database has them as aliases of the namespace, others have them themselves.
func (r *Runner) knowsAttributes() bool {
	ctx, cancel := bounded(context.Background())
	defer cancel()
	known, err := r.client.GetSearchAttributes(ctx)
	if err != nil {
		return false
	}
	names := slices.Collect(maps.Keys(known.GetKeys()))
	if hasAttributes(names) {
		return true
	}
	of, err := r.client.WorkflowService().DescribeNamespace(ctx, &workflowservice.DescribeNamespaceRequest{Namespace: r.t.Namespace})
	if err != nil {
		return false
	}
	return hasAttributes(slices.AppendSeq(names, maps.Values(of.GetConfig().GetCustomSearchAttributeAliases())))
}

func hasAttributes(names []string) bool {
	return !slices.ContainsFunc(attributes, func(name string) bool { return !slices.Contains(names, name) })
}

// createAttributes is the command that adds them.
func createAttributes(namespace string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "temporal operator search-attribute create --namespace %s", namespace)
	for _, name := range attributes {
		fmt.Fprintf(&b, " --name %s --type Keyword", name)
	}
	return b.String()
}
