package main

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"runtime/debug"

	"go.temporal.io/sdk/worker"
	"go.temporal.io/sdk/workflow"

	"github.com/patchbay-mcp/patchbay/internal/config"
)

// deploymentOf returns the worker deployment and its version that a worker belongs to. The
// zero options belong to none.
func deploymentOf(d config.Deployment) worker.DeploymentOptions {
	if !d.Enabled {
		return worker.DeploymentOptions{}
	}
	return worker.DeploymentOptions{
		UseVersioning: true, DefaultVersioningBehavior: workflow.VersioningBehaviorPinned,
		Version: worker.WorkerDeploymentVersion{DeploymentName: d.Name, BuildID: d.BuildID},
	}
}

// buildID names what this program was built from: the same for every system.
func buildID() string {
	b, ok := debug.ReadBuildInfo()
	if !ok {
		return "unknown"
	}
	h := sha256.New()
	_, _ = fmt.Fprintln(h, b.GoVersion, b.Main.Version, b.Main.Sum) // never fails
	for _, dep := range b.Deps {
		_, _ = fmt.Fprintln(h, dep.Path, dep.Version, dep.Sum)
		if dep.Replace != nil {
			_, _ = fmt.Fprintln(h, dep.Replace.Version, dep.Replace.Sum)
		}
	}
	for _, s := range b.Settings {
		if s.Key == "vcs.revision" || s.Key == "vcs.modified" {
			_, _ = fmt.Fprintln(h, s.Key, s.Value)
		}
	}
	return b.Main.Version + "-" + hex.EncodeToString(h.Sum(nil)[:6])
}
