package config_test

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/patchbay-mcp/patchbay/internal/config"
)

func TestRuntimeOfTemporal(t *testing.T) {
	dir := folder(t, map[string]string{"patchbay.yaml": "project: shop\nruntime:\n  temporal: {address: \"${TEMPORAL}\", apiKey: \"${KEY}\", blobs: blobs}\n"})
	cfg, found := load(t, config.Options{Dir: dir}, map[string]string{"TEMPORAL": "temporal.example.com:7233", "KEY": "a-key-of-temporal"})
	want := config.Temporal{Address: "temporal.example.com:7233", Namespace: "default", TaskQueue: "patchbay", APIKey: "a-key-of-temporal", Blobs: filepath.Join(dir, "blobs"), TLS: config.TemporalTLS{Enabled: true}}
	if diff := cmp.Diff(want, cfg.Runtime.Temporal); diff != "" || len(found) > 0 {
		t.Errorf("%s\n%v", diff, found)
	}
	if got := cfg.Redactor.Redact("the key is a-key-of-temporal"); got != "the key is ***" {
		t.Errorf("the key is shown: %s", got)
	}
}

func TestRuntimeIsThisProcessByDefault(t *testing.T) {
	for _, text := range []string{"", "runtime:\n", "runtime: {temporal: {namespace: shop}}\n"} {
		cfg, found := load(t, config.Options{Dir: folder(t, map[string]string{"patchbay.yaml": text})}, nil)
		if cfg.Runtime != (config.Runtime{}) || len(found) > 0 {
			t.Errorf("%q: %+v, %v", text, cfg.Runtime, found)
		}
	}
}

func TestBadRuntime(t *testing.T) {
	for text, want := range map[string]string{
		"project: shop\nruntime: {temporal: {address: \"127.0.0.1:7233\", deployment: {name: a.b}}}\n": "error bad-setting",
		"project: shop\nruntime: {temporal: {address: here}}\n":                                        "error bad-setting",
		"runtime: {temporal: {address: \"127.0.0.1:7233\"}}\n":                                         "error bad-setting", // whose project?
		"project: shop\nruntime: {temporal: {address: \"127.0.0.1:7233\", queue: mine}}\n":             "error unknown-setting",
		"project: shop\nruntime: {temporal: {address: \"127.0.0.1:7233\", apiKey: \"${K}\"}}":          "error unset-variable",
	} {
		_, found := load(t, config.Options{Dir: folder(t, map[string]string{"patchbay.yaml": text})}, nil)
		if diff := cmp.Diff([]string{want}, codes(found)); diff != "" {
			t.Errorf("%s\n%s", text, diff)
		}
	}
}

func TestBlobsInABucket(t *testing.T) {
	text := "project: shop\nruntime:\n  temporal: {address: \"127.0.0.1:7233\", blobs: \"s3://runs/a/b/\"EXTRA}\n"
	credentials := map[string]string{"AWS_ACCESS_KEY_ID": "the-access-key", "AWS_SECRET_ACCESS_KEY": "the-secret-key-of-s3", "AWS_SESSION_TOKEN": "the-session-token", "AWS_REGION": "eu-west-1"}
	for extra, want := range map[string]config.S3{
		"": {Endpoint: "https://s3.eu-west-1.amazonaws.com", Region: "eu-west-1"},
		", s3: {endpoint: \"http://127.0.0.1:9000\", region: here}": {Endpoint: "http://127.0.0.1:9000", Region: "here"},
	} {
		want.Bucket, want.Prefix, want.AccessKey, want.SecretKey, want.SessionToken = "runs", "a/b", "the-access-key", "the-secret-key-of-s3", "the-session-token"
		cfg, found := load(t, config.Options{Dir: folder(t, map[string]string{"patchbay.yaml": strings.Replace(text, "EXTRA", extra, 1)})}, credentials)
		if diff := cmp.Diff(want, cfg.Runtime.Temporal.S3); diff != "" || len(found) > 0 || cfg.Runtime.Temporal.Blobs != "" {
			t.Errorf("%s\n%v", diff, found)
		}
		if got := cfg.Redactor.Redact("the-secret-key-of-s3 the-session-token"); strings.Contains(got, "the") {
			t.Errorf("shown: %s", got)
		}
	}
	for text, want := range map[string][]string{
		strings.Replace(text, "EXTRA", "", 1):                       {"error unset-variable", "error unset-variable"},
		strings.Replace(text, "s3://runs/a/b/", "s3://Runs", 1):     {"error bad-setting"},
		strings.Replace(text, "s3://runs/a/b/", "s3://runs/a b", 1): {"error bad-setting"},
		strings.Replace(text, "EXTRA", ", s3: {endpoint: here}", 1): {"error bad-setting"},
		strings.Replace(text, "EXTRA", ", s3: {accessKey: a}", 1):   {"error unknown-setting"},
	} {
		env := credentials
		if len(want) == 2 {
			env = nil
		}
		_, found := load(t, config.Options{Dir: folder(t, map[string]string{"patchbay.yaml": strings.Replace(text, "EXTRA", "", 1)})}, env)
		if diff := cmp.Diff(want, codes(found)); diff != "" {
			t.Errorf("%s\n%s", text, diff)
		}
	}
}

func TestDeployment(t *testing.T) {
	for text, want := range map[string]config.Deployment{
		"":                               {},
		", deployment: {enabled: false}": {},
		", deployment: {enabled: false, name: all, buildId: v2}": {},
		", deployment: {enabled: true}":                          {Enabled: true, Name: "shop-eu-queue"},
		", deployment: {buildId: v2}":                            {Enabled: true, Name: "shop-eu-queue", BuildID: "v2"},
		", deployment: {name: \"${NAME}\"}":                      {Enabled: true, Name: "all"},
	} {
		text = "project: shop.eu\nruntime: {temporal: {address: \"127.0.0.1:7233\", taskQueue: queue" + text + "}}\n"
		cfg, found := load(t, config.Options{Dir: folder(t, map[string]string{"patchbay.yaml": text})}, map[string]string{"NAME": "all"})
		if diff := cmp.Diff(want, cfg.Runtime.Temporal.Deployment); diff != "" || len(found) > 0 {
			t.Errorf("%s%s\n%v", text, diff, found)
		}
	}
}

// TLS is off where the file says so, but a key is never sent without it.
func TestTemporalWithoutTLS(t *testing.T) {
	for extra, want := range map[string]bool{
		"":                                       false,
		", tls: {server: here}":                  true,
		", tls: {enabled: true}":                 true,
		", tls: {enabled: false, server: here}":  false,
		", apiKey: a-key":                        true,
		", apiKey: a-key, tls: {enabled: false}": true,
	} {
		text := "project: shop\nruntime: {temporal: {address: \"127.0.0.1:7233\"" + extra + "}}\n"
		cfg, _ := load(t, config.Options{Dir: folder(t, map[string]string{"patchbay.yaml": text})}, nil)
		if cfg.Runtime.Temporal.TLS.Enabled != want {
			t.Errorf("%s: %+v", extra, cfg.Runtime.Temporal.TLS)
		}
	}
}
