package mcpserver

import (
	"fmt"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/patchbay-mcp/patchbay/internal/app"
	"github.com/patchbay-mcp/patchbay/internal/execution"
	"github.com/patchbay-mcp/patchbay/internal/plans"
)

// BenchmarkConcurrentCalls runs different graphs side by side, each with its own
// answer: the time per call with 64 callers is to be no more than with 4.
func BenchmarkConcurrentCalls(b *testing.B) {
	pb := app.New(app.Options{})
	for _, callers := range []int{1, 4, 64} {
		b.Run(strconv.Itoa(callers), func(b *testing.B) {
			b.ReportAllocs()
			work := make(chan int)
			var wrong atomic.Pointer[string]
			done := make(chan struct{})
			for range callers {
				go func() {
					defer func() { done <- struct{}{} }()
					for i := range work {
						kind := i % 64
						graph := strings.NewReplacer("$.add.i}", fmt.Sprintf("$.add.i + %d}", kind*1000), `"n": `, `"n":`).Replace(loopGraph)
						r, fault := pb.Run(b.Context(), execution.RunInput{GraphInput: plans.GraphInput{Graph: raw(graph)}, Arguments: raw(`{"n":10}`), Trace: "none"})
						if want := fmt.Sprintf(`{"total":%d}`, kind*1000+10); fault != nil || string(r.Result) != want {
							text := fmt.Sprintf("graph %d: %v, want %s, %v", kind, r, want, fault)
							wrong.Store(&text)
						}
					}
				}()
			}
			b.ResetTimer()
			for i := range b.N {
				work <- i
			}
			close(work)
			for range callers {
				<-done
			}
			if w := wrong.Load(); w != nil {
				b.Fatal(*w)
			}
		})
	}
}
