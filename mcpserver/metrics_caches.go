package mcpserver

import (
	"github.com/prometheus/client_golang/prometheus"

	"github.com/patchbay-mcp/patchbay/internal/app"
)

// cacheMetrics say how often the caches had what was asked of them.
type cacheMetrics struct{ pb *app.App }

var (
	cacheHits   = prometheus.NewDesc("patchbay_cache_hits_total", "Questions to a cache that had the answer.", []string{"cache"}, nil)
	cacheMisses = prometheus.NewDesc("patchbay_cache_misses_total", "Questions to a cache that did not have the answer.", []string{"cache"}, nil)
)

// Describe implements [prometheus.Collector].
func (m cacheMetrics) Describe(to chan<- *prometheus.Desc) { to <- cacheHits; to <- cacheMisses }

// Collect implements [prometheus.Collector].
func (m cacheMetrics) Collect(to chan<- prometheus.Metric) {
	for name, use := range m.pb.Caches() {
		to <- prometheus.MustNewConstMetric(cacheHits, prometheus.CounterValue, float64(use.Hits.Load()), name)
		to <- prometheus.MustNewConstMetric(cacheMisses, prometheus.CounterValue, float64(use.Misses.Load()), name)
	}
}
