// Command patchbay-temporal has the commands of patchbay, whose runs execute on Temporal
// where the configuration says so, and the command worker, which executes them.
package main

import (
	"context"
	"net/http"
	"time"

	"go.temporal.io/sdk/client"

	"github.com/patchbay-mcp/patchbay/internal/app"
	"github.com/patchbay-mcp/patchbay/internal/around/hooks"
	"github.com/patchbay-mcp/patchbay/internal/cli"
	"github.com/patchbay-mcp/patchbay/internal/config"
	"github.com/patchbay-mcp/patchbay/internal/execution/runs"
	_ "github.com/patchbay-mcp/patchbay/internal/sys/startup" // for its effect
	"github.com/patchbay-mcp/patchbay/temporal/blobs"
	"github.com/patchbay-mcp/patchbay/temporal/runner"
	"github.com/patchbay-mcp/patchbay/temporal/walk"
	"github.com/patchbay-mcp/patchbay/temporal/wire"
)

func main() {
	hooks.ServeIfWorker()
	cli.Main(app.Setup{Program: "patchbay-temporal", Runtime: prepare}, nil, nil)
}

// prepare is the runtime of this program.
func prepare(cfg *config.Config) (func(runs.Options) runs.Remote, error) {
	store, where := storeOf(&cfg.Runtime.Temporal)
	named := wire.Named(cfg.Redactor.Refer, cfg.Redactor.Restore)
	if d := &cfg.Runtime.Temporal.Deployment; d.Enabled && d.BuildID == "" {
		d.BuildID = buildID()
	}
	o := runner.Options{Temporal: cfg.Runtime.Temporal, TaskTimeout: walk.TaskTimeout, Converter: named}
	if store != nil {
		o.Storage = blobs.External(store)
		o.Blobs = func(ctx context.Context) (string, error) { return where, blobs.Check(ctx, store) }
	}
	o.Work = func(ctx context.Context, c client.Client, t config.Temporal, of runs.Options, r runs.Role) error {
		return worked{store, named}.work(ctx, c, t, of, r, o.StateOf(c))
	}
	return runner.Prepare(o)
}

// answerIn is how long a bucket may take to begin its answer.
const answerIn = 30 * time.Second

// storeOf returns where large values are kept, nil for nowhere.
func storeOf(t *config.Temporal) (s blobs.Store, where string) {
	switch {
	case t.S3.Bucket != "":
		transport := http.DefaultTransport.(*http.Transport).Clone()
		transport.ResponseHeaderTimeout = answerIn
		return &blobs.S3{
			Endpoint: t.S3.Endpoint, Region: t.S3.Region, Bucket: t.S3.Bucket, Prefix: t.S3.Prefix,
			AccessKey: t.S3.AccessKey, SecretKey: t.S3.SecretKey, SessionToken: t.S3.SessionToken, Client: &http.Client{Transport: transport},
		}, "the bucket " + t.S3.Bucket + " at " + t.S3.Endpoint
	case t.Blobs != "":
		return blobs.Files(t.Blobs), "the folder " + t.Blobs
	}
	return nil, ""
}
