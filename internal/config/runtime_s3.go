package config

import (
	"cmp"
	"regexp"
	"strings"

	"github.com/patchbay-mcp/patchbay/graph"
	"github.com/patchbay-mcp/patchbay/internal/secrets"
)

// Names that a bucket and the prefix of its objects may have: those that are written in a
// URL as they are.
var (
	bucketName   = regexp.MustCompile(`^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$`)
	bucketPrefix = regexp.MustCompile(`^[A-Za-z0-9._/-]*$`)
)

// temporalBlobs reads where large values are: in a folder or in a bucket.
func (l *loader) temporalBlobs(o origin, v graph.Value) {
	text, ok := l.expanded(o, v, "a folder or s3://bucket/prefix")
	if !ok {
		return
	}
	t := &l.cfg.Runtime.Temporal
	rest, isBucket := strings.CutPrefix(text, "s3://")
	if !isBucket {
		t.Blobs, t.S3.Bucket = l.path(text, o.base), ""
		return
	}
	bucket, prefix, _ := strings.Cut(rest, "/")
	if !bucketName.MatchString(bucket) || !bucketPrefix.MatchString(prefix) || strings.Contains(prefix, "..") {
		o.bad(v, "s3://bucket/prefix, such as s3://shop-runs/blobs")
		return
	}
	t.Blobs, t.S3.Bucket, t.S3.Prefix = "", bucket, strings.Trim(prefix, "/")
	set := func(name string) bool {
		value, there := l.o.Environ(name)
		return there && value != ""
	}
	for _, name := range []string{accessKeyVariable, secretKeyVariable} {
		if !set(name) {
			o.report(ruleUnsetVariable, v, "set "+accessKeyVariable+" and "+secretKeyVariable+" to credentials that may read, write and delete the objects of the bucket", "the environment variable %q is not set", name)
		}
	}
}

// Variables of the environment that say who uses a bucket.
const (
	accessKeyVariable    = "AWS_ACCESS_KEY_ID"
	secretKeyVariable    = "AWS_SECRET_ACCESS_KEY"
	sessionTokenVariable = "AWS_SESSION_TOKEN"
)

// settleS3 completes what the settings of a bucket leave to the environment.
func (l *loader) settleS3(s *S3) {
	first := func(names ...string) string {
		for _, name := range names {
			if v, _ := l.o.Environ(name); v != "" {
				return v
			}
		}
		return ""
	}
	s.Region = cmp.Or(s.Region, first("AWS_REGION", "AWS_DEFAULT_REGION"), "us-east-1")
	s.Endpoint = cmp.Or(s.Endpoint, first("AWS_ENDPOINT_URL_S3", "AWS_ENDPOINT_URL"), "https://s3."+s.Region+".amazonaws.com")
	s.AccessKey, s.SecretKey, s.SessionToken = first(accessKeyVariable), first(secretKeyVariable), first(sessionTokenVariable)
	for _, secret := range []secrets.Secret{{Name: secretKeyVariable, Value: s.SecretKey}, {Name: sessionTokenVariable, Value: s.SessionToken}} {
		if secret.Value != "" {
			l.secrets = append(l.secrets, secret)
		}
	}
}
