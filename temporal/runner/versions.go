package runner

import (
	"context"
	"fmt"
	"strings"

	"go.temporal.io/sdk/client"

	"github.com/patchbay-mcp/patchbay/internal/execution/runs"
)

// versions says which versions the worker deployment has, and which of them have runs.
func (r *Runner) versions(ctx context.Context) runs.Finding {
	name := r.t.Deployment.Name
	d, err := r.client.WorkerDeploymentClient().GetHandle(name).Describe(ctx, client.WorkerDeploymentDescribeOptions{})
	if err != nil {
		return runs.Finding{
			What: fmt.Sprintf("the worker deployment %s cannot be looked at: %v", name, err),
			Hint: "start a worker, which registers it; if the service does not support worker deployments, remove runtime.temporal.deployment",
		}
	}
	current := ""
	if v := d.Info.RoutingConfig.CurrentVersion; v != nil {
		current = v.BuildID
	}
	var list []string
	for _, v := range d.Info.VersionSummaries {
		id := v.Version.BuildID
		switch {
		case id == current:
			id += " (current)"
		case v.DrainageStatus == client.WorkerDeploymentVersionDrainageStatusDraining:
			id += " (has runs)"
		case v.DrainageStatus == client.WorkerDeploymentVersionDrainageStatusDrained:
			id += " (has no runs: its workers can be stopped)"
		}
		list = append(list, id)
	}
	what := fmt.Sprintf("worker deployment %s: %s", name, strings.Join(list, ", "))
	if current != "" {
		return runs.Finding{OK: true, What: what}
	}
	newest := "BUILD"
	if len(d.Info.VersionSummaries) > 0 {
		newest = d.Info.VersionSummaries[0].Version.BuildID
	}
	return runs.Finding{
		What: what + "; no version is current, so no worker of it executes runs",
		Hint: fmt.Sprintf("temporal worker deployment set-current-version --namespace %s --deployment-name %s --build-id %s", r.t.Namespace, name, newest),
	}
}
