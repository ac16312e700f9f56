package main

import (
	"testing"

	"go.temporal.io/sdk/worker"
	"go.temporal.io/sdk/workflow"

	"github.com/patchbay-mcp/patchbay/internal/config"
)

// Workers belong to a version of a deployment only where the configuration says so, and
// their runs stay on that version.
func TestDeployment(t *testing.T) {
	if o := deploymentOf(config.Deployment{Name: "shop"}); o != (worker.DeploymentOptions{}) {
		t.Errorf("%+v", o)
	}
	o := deploymentOf(config.Deployment{Enabled: true, Name: "shop", BuildID: "v2"})
	if !o.UseVersioning || o.DefaultVersioningBehavior != workflow.VersioningBehaviorPinned || o.Version.DeploymentName != "shop" || o.Version.BuildID != "v2" {
		t.Errorf("%+v", o)
	}
	if id := buildID(); len(id) < 13 || id != buildID() {
		t.Errorf("build %q", id)
	}
}

// Large values are in a bucket if the configuration names one, else in a folder.
func TestStore(t *testing.T) {
	s, where := storeOf(&config.Temporal{S3: config.S3{Bucket: "runs", Endpoint: "https://s3.example.com"}})
	if s == nil || where != "the bucket runs at https://s3.example.com" {
		t.Errorf("%v, %s", s, where)
	}
	if s, where := storeOf(&config.Temporal{Blobs: "/values"}); s == nil || where != "the folder /values" {
		t.Errorf("%v, %s", s, where)
	}
	if s, _ := storeOf(&config.Temporal{}); s != nil {
		t.Errorf("%v", s)
	}
}
