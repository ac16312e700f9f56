package telemetry

import (
	"cmp"
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/internal/sys/timelimit"
)

// Environ looks up an environment variable, as [os.LookupEnv] does.
type Environ = func(name string) (value string, ok bool)

// exporters are how a signal can be exported.
const (
	exportOTLP    = "otlp"
	exportConsole = "console"
	exportNone    = "none"
)

// exporterName returns how a signal, TRACES or METRICS, is exported: as its variable says,
// else to the collector if there is one.
func exporterName(environ Environ, signal string) string {
	of := variables(environ)
	kind := of("OTEL_" + signal + "_EXPORTER")
	if kind == "" && of("OTEL_EXPORTER_OTLP_ENDPOINT")+of("OTEL_EXPORTER_OTLP_"+signal+"_ENDPOINT") != "" {
		kind = exportOTLP
	}
	if kind == "" || strings.EqualFold(of("OTEL_SDK_DISABLED"), "true") {
		return exportNone
	}
	return kind
}

// variables returns the values of variables, "" for those that are not set.
func variables(environ Environ) func(string) string {
	return func(name string) string { v, _ := environ(name); return strings.TrimSpace(v) }
}

// A collector receives one signal by OTLP over HTTP.
type collector struct {
	url     string
	headers http.Header
	gzip    bool
	timeout time.Duration // of one request with its repetitions
	client  *http.Client
	pause   func(ctx context.Context, d time.Duration) error // between repetitions
}

// newCollector returns the collector of a signal, as the variables
// OTEL_EXPORTER_OTLP_<SIGNAL>_* and OTEL_EXPORTER_OTLP_* say. Any error is a [diag.Fault].
func newCollector(environ Environ, signal string) (*collector, error) {
	all := variables(environ)
	of := func(name string) string {
		return cmp.Or(all("OTEL_EXPORTER_OTLP_"+signal+"_"+name), all("OTEL_EXPORTER_OTLP_"+name))
	}
	c := &collector{headers: http.Header{}, timeout: 10 * time.Second, pause: timelimit.Sleep}
	wrong := func(name string, format string, args ...any) error {
		if all("OTEL_EXPORTER_OTLP_"+signal+"_"+name) != "" {
			name = signal + "_" + name
		}
		return &diag.Fault{Code: diag.CodeUsage, Path: "OTEL_EXPORTER_OTLP_" + name, Message: strings.ToLower(signal) + " cannot be sent: " + fmt.Sprintf(format, args...), Hint: "set it to the address of a collector that speaks OTLP over HTTP, such as http://127.0.0.1:4318"}
	}
	if p := of("PROTOCOL"); p != "" && p != "http/protobuf" {
		f := wrong("PROTOCOL", "the protocol %q is not known here", p).(*diag.Fault) //nolint:errorlint // it was just made
		f.Hint = "http/protobuf, which collectors usually receive on port 4318"
		return nil, f
	}
	at := all("OTEL_EXPORTER_OTLP_" + signal + "_ENDPOINT")
	if at == "" {
		at = strings.TrimSuffix(cmp.Or(all("OTEL_EXPORTER_OTLP_ENDPOINT"), "http://localhost:4318"), "/") + "/v1/" + strings.ToLower(signal)
	}
	u, err := url.Parse(at)
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		return nil, wrong("ENDPOINT", "%q is not a URL of http or https", at)
	}
	c.url = u.String()
	for pair := range strings.SplitSeq(of("HEADERS"), ",") {
		name, value, ok := strings.Cut(pair, "=")
		if value, err := url.PathUnescape(strings.TrimSpace(value)); ok && err == nil {
			c.headers.Add(strings.TrimSpace(name), value)
		}
	}
	c.gzip = of("COMPRESSION") == "gzip"
	if ms, err := strconv.Atoi(of("TIMEOUT")); err == nil && ms > 0 {
		c.timeout = time.Duration(ms) * time.Millisecond
	}
	t := http.DefaultTransport.(*http.Transport).Clone()
	if t.TLSClientConfig, err = tlsConfig(of("CERTIFICATE"), of("CLIENT_CERTIFICATE"), of("CLIENT_KEY")); err != nil {
		return nil, wrong("CERTIFICATE", "%v", err)
	}
	c.client = &http.Client{Transport: t, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	return c, nil
}

// tlsConfig returns the TLS configuration of a certificate authority's file, and of those of
// a client; nil without any.
func tlsConfig(authority, certificate, key string) (*tls.Config, error) {
	if authority+certificate+key == "" {
		return nil, nil //nolint:nilnil // the default of http.Transport
	}
	c := &tls.Config{MinVersion: tls.VersionTLS12}
	if authority != "" {
		pem, err := os.ReadFile(authority)
		if err != nil {
			return nil, err
		}
		if c.RootCAs = x509.NewCertPool(); !c.RootCAs.AppendCertsFromPEM(pem) {
			return nil, errors.New(authority + " has no certificate")
		}
	}
	if certificate+key != "" {
		pair, err := tls.LoadX509KeyPair(certificate, key)
		if err != nil {
			return nil, err
		}
		c.Certificates = []tls.Certificate{pair}
	}
	return c, nil
}
