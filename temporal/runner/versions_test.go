package runner_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/worker"

	"github.com/patchbay-mcp/patchbay/internal/config"
	"github.com/patchbay-mcp/patchbay/internal/execution/runs"
	"github.com/patchbay-mcp/patchbay/temporal/runner"
)

// versioned is a service with a worker deployment.
type versioned struct {
	*service

	info client.WorkerDeploymentInfo
	err  error
}

func (v *versioned) WorkerDeploymentClient() client.WorkerDeploymentClient { return deployments{of: v} }

type deployments struct {
	client.WorkerDeploymentClient
	of *versioned
}

func (d deployments) GetHandle(string) client.WorkerDeploymentHandle { return deployment{of: d.of} }

type deployment struct {
	client.WorkerDeploymentHandle
	of *versioned
}

func (d deployment) Describe(context.Context, client.WorkerDeploymentDescribeOptions) (client.WorkerDeploymentDescribeResponse, error) {
	return client.WorkerDeploymentDescribeResponse{Info: d.of.info}, d.of.err
}

// The doctor says which versions of the workers have runs, whether one is current, and
// whether large values can be kept.
func TestExamineVersionsAndValues(t *testing.T) {
	version := func(id string) worker.WorkerDeploymentVersion {
		return worker.WorkerDeploymentVersion{DeploymentName: "shop", BuildID: id}
	}
	current := version("v3")
	info := client.WorkerDeploymentInfo{VersionSummaries: []client.WorkerDeploymentVersionSummary{
		{Version: current},
		{Version: version("v2"), DrainageStatus: client.WorkerDeploymentVersionDrainageStatusDraining},
		{Version: version("v1"), DrainageStatus: client.WorkerDeploymentVersionDrainageStatusDrained},
	}}
	_, s := over(t, nil)
	v := &versioned{service: s, info: info}
	var stored error
	r := runner.New(v, runner.Options{
		Temporal: config.Temporal{Namespace: "shop", TaskQueue: "queue", Deployment: config.Deployment{Enabled: true, Name: "shop"}},
		Blobs:    func(context.Context) (string, error) { return "the folder /values", stored },
	}, runs.Options{Project: "shop"})
	find := func(about string) runs.Finding {
		for _, f := range r.Examine(t.Context()) {
			if strings.Contains(f.What, about) {
				return f
			}
		}
		t.Fatalf("nothing is said of %s", about)
		return runs.Finding{}
	}
	if f := find("deployment shop"); f.OK || !strings.HasSuffix(f.Hint, "set-current-version --namespace shop --deployment-name shop --build-id v3") {
		t.Errorf("without a current version: %+v", f)
	}
	v.info.RoutingConfig.CurrentVersion = &current
	if f := find("deployment shop"); !f.OK || !strings.Contains(f.What, "v3 (current), v2 (has runs), v1 (has no runs") {
		t.Errorf("%+v", f)
	}
	v.err = errors.New("not supported")
	if f := find("deployment shop"); f.OK || !strings.Contains(f.What, "not supported") {
		t.Errorf("%+v", f)
	}
	if f := find("/values"); !f.OK {
		t.Errorf("%+v", f)
	}
	stored = errors.New("read-only file system")
	if f := find("/values"); f.OK || !strings.Contains(f.What, "read-only") || f.Hint == "" {
		t.Errorf("%+v", f)
	}
}
