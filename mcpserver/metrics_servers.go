package mcpserver

import (
	"github.com/prometheus/client_golang/prometheus"

	"github.com/patchbay-mcp/patchbay/internal/app"
)

// serverMetrics says how the downstream servers are when it is asked.
type serverMetrics struct{ pb *app.App }

var (
	serverReady    = prometheus.NewDesc("patchbay_server_ready", "1 while a downstream server can be called, else 0.", []string{"server"}, nil)
	serverTools    = prometheus.NewDesc("patchbay_server_tools", "Tools of a downstream server.", []string{"server"}, nil)
	serverSessions = prometheus.NewDesc("patchbay_server_sessions_total", "Sessions with a downstream server: its start, and each time that it was started or reached again.", []string{"server"}, nil)
	serverFailures = prometheus.NewDesc("patchbay_server_failures_total", "Attempts to start or reach a downstream server that failed.", []string{"server"}, nil)
)

// Describe implements [prometheus.Collector].
func (m serverMetrics) Describe(to chan<- *prometheus.Desc) {
	for _, d := range []*prometheus.Desc{serverReady, serverTools, serverSessions, serverFailures} {
		to <- d
	}
}

// Collect implements [prometheus.Collector].
func (m serverMetrics) Collect(to chan<- prometheus.Metric) {
	for _, s := range m.pb.Status() {
		ready := 0.0
		if s.State == "ready" {
			ready = 1
		}
		to <- prometheus.MustNewConstMetric(serverReady, prometheus.GaugeValue, ready, s.Name)
		to <- prometheus.MustNewConstMetric(serverTools, prometheus.GaugeValue, float64(s.Tools), s.Name)
		to <- prometheus.MustNewConstMetric(serverSessions, prometheus.CounterValue, float64(s.Sessions), s.Name)
		to <- prometheus.MustNewConstMetric(serverFailures, prometheus.CounterValue, float64(s.Failures), s.Name)
	}
}
