package config

import (
	"cmp"
	"net"
	"strconv"
	"strings"

	"github.com/patchbay-mcp/patchbay/graph"
)

// Runtime says what executes runs: this process, unless Temporal has an address.
type Runtime struct{ Temporal Temporal }

// Temporal is a Temporal service whose workers execute the runs.
type Temporal struct {
	Address    string // host:port, or "" for none
	Namespace  string
	TaskQueue  string // of the workers
	APIKey     string
	TLS        TemporalTLS
	Blobs      string // the folder of values that are too large for a history; "" without one
	Deployment Deployment
	S3         S3 // the bucket of these values, in place of the folder if it has a name
}

// Deployment is the worker deployment of Temporal that workers belong to, if it is enabled.
type Deployment struct {
	Enabled bool
	Name    string
	BuildID string // of the workers; "" is one that follows from the program
}

// S3 is a bucket of a service that speaks the protocol of S3.
type S3 struct {
	Bucket, Prefix   string
	Endpoint, Region string

	AccessKey, SecretKey, SessionToken string // from the environment
}

// TemporalTLS is how the connection to Temporal is secured.
type TemporalTLS struct {
	Enabled   bool
	CA        string // a file of certificates that are trusted in place of the system's, or ""
	Cert, Key string // files of the client's certificate, or ""
	Server    string // the name in the server's certificate; "" is the host of the address
}

// What the configuration of Temporal is unless the operator says otherwise.
const (
	DefaultNamespace = "default"
	DefaultTaskQueue = "patchbay"
)

// runtimeSettings are about what executes runs.
var runtimeSettings = []setting{
	{"temporal", needsTrust, "Execute runs on [Temporal](temporal.md), with `patchbay-temporal` in place of `patchbay`. `runs.store` and `runs.file` then have no effect.", "", group([]setting{
		{"address", needsTrust, "The address of the Temporal service.", "none: runs execute in the process that starts them", value{"`host:port`", (*loader).temporalAddress, nil}},
		{"namespace", needsTrust, "The namespace of the runs.", DefaultNamespace, expandedText("the name of a namespace", func(c *Config, s string) { c.Runtime.Temporal.Namespace = s })},
		{"taskQueue", needsTrust, "The task queue of the workers. Its activities have a queue of their own, with `-calls` after the name.", DefaultTaskQueue, expandedText("the name of a task queue", func(c *Config, s string) { c.Runtime.Temporal.TaskQueue = s })},
		{"apiKey", needsTrust, "The API key, as `${VAR}`. It is sent over TLS only.", "none", secretText("runtime.temporal.apiKey", func(c *Config) *string { return &c.Runtime.Temporal.APIKey })},
		{"blobs", needsTrust, "The folder of the values that are too large for a history, or a bucket: `s3://bucket/prefix`. Every worker and every server needs the same one.", "`$XDG_STATE_HOME/patchbay/blobs`", value{"path or `s3://bucket/prefix`", (*loader).temporalBlobs, nil}},
		{"s3", needsTrust, "The service of the bucket. The credentials are those of the environment: `AWS_ACCESS_KEY_ID`, `AWS_SECRET_ACCESS_KEY` and, if there is one, `AWS_SESSION_TOKEN`.", "", group([]setting{
			{"endpoint", needsTrust, "The URL of the service.", "`$AWS_ENDPOINT_URL_S3`, `$AWS_ENDPOINT_URL` or that of AWS for the region", value{"string", webAddress("https://s3.example.com", false, func(c *Config) *string { return &c.Runtime.Temporal.S3.Endpoint }).read, nil}},
			{"region", needsTrust, "The region of the bucket.", "`$AWS_REGION`, `$AWS_DEFAULT_REGION` or us-east-1", expandedText("the name of a region", func(c *Config, s string) { c.Runtime.Temporal.S3.Region = s })},
		})},
		{"deployment", needsTrust, "Workers register as a version of a worker deployment, and a run stays on the version on which it began ([upgrade](temporal.md#upgrade)). The service must support this.", "", group([]setting{
			{"enabled", needsTrust, "Whether they do.", "true with another key of `deployment`", written(func(l *loader) **bool { return &l.deployments })},
			{"name", needsTrust, "The name of the deployment, without a dot.", "the project and the task queue, as in `shop-patchbay`", value{"string", (*loader).deploymentName, nil}},
			{"buildId", needsTrust, "The version of the workers.", "the version of the program and a hash of what it was built from", expandedText("the name of a version", func(c *Config, s string) { c.Runtime.Temporal.Deployment.BuildID = s })},
		})},
		{"tls", needsTrust, "How the connection is secured.", "", group([]setting{
			{"enabled", needsTrust, "Whether the connection uses TLS.", "true with another key of `tls` or with `apiKey`", written(func(l *loader) **bool { return &l.temporalTLS })},
			{"ca", needsTrust, "A file of certificates that are trusted in place of the system's, PEM.", "none", folder(func(c *Config, file string) { c.Runtime.Temporal.TLS.CA = file })},
			{"cert", needsTrust, "The file of the client's certificate, PEM.", "none", folder(func(c *Config, file string) { c.Runtime.Temporal.TLS.Cert = file })},
			{"key", needsTrust, "The file of its private key, PEM.", "none", folder(func(c *Config, file string) { c.Runtime.Temporal.TLS.Key = file })},
			{"server", needsTrust, "The name in the server's certificate.", "the host of `address`", expandedText("the name of a host", func(c *Config, s string) { c.Runtime.Temporal.TLS.Server = s })},
		})},
	})},
}

func (l *loader) temporalAddress(o origin, v graph.Value) {
	text, ok := l.expanded(o, v, "host:port")
	if !ok {
		return
	}
	host, port, err := net.SplitHostPort(text)
	if _, bad := strconv.ParseUint(port, 10, 16); err != nil || bad != nil || host == "" {
		o.bad(v, "host:port, such as 127.0.0.1:7233")
		return
	}
	l.cfg.Runtime.Temporal.Address = text
	if l.cfg.Project == "" && l.o.Project == "" {
		o.report(ruleBadSetting, v, "write project: NAME, the same one on every machine", "runs on Temporal need a project with a name")
	}
}

func (l *loader) deploymentName(o origin, v graph.Value) {
	text, ok := l.expanded(o, v, "the name of a deployment")
	switch {
	case !ok:
	case strings.Contains(text, "."):
		o.bad(v, "a name without a dot, such as shop-patchbay")
	default:
		l.cfg.Runtime.Temporal.Deployment.Name = text
	}
}

// settleRuntime completes what the settings of Temporal leave open.
func (l *loader) settleRuntime() {
	t := &l.cfg.Runtime.Temporal
	if t.Address == "" {
		l.cfg.Runtime = Runtime{}
		return
	}
	t.Namespace, t.TaskQueue = cmp.Or(t.Namespace, DefaultNamespace), cmp.Or(t.TaskQueue, DefaultTaskQueue)
	if t.S3.Bucket != "" {
		l.settleS3(&t.S3)
	} else if t.S3 = (S3{}); t.Blobs == "" {
		t.Blobs = l.folder("XDG_STATE_HOME", "LOCALAPPDATA", ".local/state", "blobs")
	}
	d := &t.Deployment
	if d.Enabled = enabled(l.deployments, *d != Deployment{}); !d.Enabled {
		*d = Deployment{}
	} else if d.Name == "" {
		d.Name = strings.ReplaceAll(l.cfg.Project+"-"+t.TaskQueue, ".", "-")
	}
	t.TLS.Enabled = t.APIKey != "" || enabled(l.temporalTLS, t.TLS != TemporalTLS{})
}

// enabled is a switch as it is written, or its default.
func enabled(written *bool, otherwise bool) bool {
	if written != nil {
		return *written
	}
	return otherwise
}
