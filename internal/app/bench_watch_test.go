package app_test

import (
	"testing"

	"github.com/patchbay-mcp/patchbay/internal/app"
	"github.com/patchbay-mcp/patchbay/internal/execution"
	"github.com/patchbay-mcp/patchbay/internal/plans"
	"github.com/patchbay-mcp/patchbay/run"
)

// BenchmarkWatchedRun compares a run that nobody watches with one whose events are told.
func BenchmarkWatchedRun(b *testing.B) {
	for name, watch := range map[string]bool{"nobody": false, "somebody": true} {
		b.Run(name, func(b *testing.B) {
			pb := app.New(app.Options{})
			b.Cleanup(pb.Close)
			if watch {
				b.Cleanup(pb.Watchers.Watch(func(run.Notice) {}))
			}
			in := execution.RunInput{GraphInput: plans.GraphInput{Graph: text(`{"nodes":[{"id":"entry","type":"entry","next":"t"},{"id":"t","type":"transform","transform":{"expr":"1"},"foreach":{"items":{"expr":"[1..100]"}},"next":"exit"},{"id":"exit","type":"exit"}]}`)}}
			b.ReportAllocs()
			for b.Loop() {
				if r, fault := pb.Run(b.Context(), in); fault != nil || r.Status != string(run.Succeeded) {
					b.Fatal(fault, r)
				}
			}
		})
	}
}
