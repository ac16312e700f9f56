package app_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"testing"
	"time"

	"github.com/patchbay-mcp/patchbay/internal/app"
	"github.com/patchbay-mcp/patchbay/internal/library"
	"github.com/patchbay-mcp/patchbay/internal/library/graphfiles"
	"github.com/patchbay-mcp/patchbay/internal/plans"
)

// BenchmarkSaveGraph saves a graph beside others.
func BenchmarkSaveGraph(b *testing.B) {
	for _, others := range []int{0, 1000, 10_000} {
		b.Run(strconv.Itoa(others), func(b *testing.B) {
			dir := b.TempDir()
			for i := range others {
				path, old := filepath.Join(dir, fmt.Sprintf("g%05d.yaml", i)), time.Now().Add(-time.Hour)
				if err := os.WriteFile(path, []byte(savedGraph(fmt.Sprintf("g%05d", i), i, "")), 0o600); err != nil {
					b.Fatal(err)
				}
				if err := os.Chtimes(path, old, old); err != nil {
					b.Fatal(err)
				}
			}
			graphs, err := graphfiles.OpenGraphs(dir)
			if err != nil {
				b.Fatal(err)
			}
			pb := app.New(app.Options{Graphs: graphs})
			defer pb.Close()
			n := 0
			save := func() {
				n++
				in := library.SaveInput{GraphInput: plans.GraphInput{Graph: text(savedGraph("saved", n, ""))}, Overwrite: true}
				if r, fault := pb.Save(operator(b), in); fault != nil || r.Status != "saved" {
					b.Fatalf("%+v, %v", r, fault)
				}
			}
			save()
			for b.Loop() {
				save()
			}
		})
	}
}
