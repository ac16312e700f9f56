package downstream

import (
	"fmt"
	"testing"
	"time"
)

// BenchmarkStart starts a hub over servers whose tools are cached, at once and when they
// are needed, and calls one. It reports how many processes were started, and the time from
// the start of the hub to the end of that call.
func BenchmarkStart(b *testing.B) {
	const n = 50
	dir := b.TempDir()
	var servers []Server
	for i := range n {
		s := fakeServer("ok")
		if s.Name = fmt.Sprintf("fake%d", i); i == 0 {
			s.Name = "fake"
		}
		servers = append(servers, s)
	}
	fill := New(servers, &Options{CacheDir: dir})
	fill.Start(b.Context())
	for _, s := range servers {
		if f := fill.Ready(b.Context(), s.Name); f != nil {
			b.Fatal(f)
		}
	}
	fill.Close()
	for name, lazy := range map[string]bool{"eager": false, "lazy": true} {
		b.Run(name, func(b *testing.B) {
			var started int
			var took time.Duration
			for b.Loop() {
				h := New(servers, &Options{CacheDir: dir, Lazy: lazy})
				began := time.Now()
				h.Start(b.Context())
				if f := h.Ready(b.Context(), "fake"); f != nil {
					b.Fatal(f)
				}
				took += time.Since(began)
				for _, s := range servers {
					if !lazy {
						_ = h.Ready(b.Context(), s.Name)
					}
				}
				for _, st := range h.Status() {
					started += st.Sessions
				}
				h.Close()
			}
			b.ReportMetric(float64(started)/float64(b.N), "processes/op")
			b.ReportMetric(float64(took.Microseconds())/float64(b.N), "µs/first-call")
		})
	}
}
