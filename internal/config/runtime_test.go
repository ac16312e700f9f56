package config_test

import (
	"path/filepath"
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
		"project: shop\nruntime: {temporal: {address: here}}\n":                               "error bad-setting",
		"runtime: {temporal: {address: \"127.0.0.1:7233\"}}\n":                                "error bad-setting", // whose project?
		"project: shop\nruntime: {temporal: {address: \"127.0.0.1:7233\", queue: mine}}\n":    "error unknown-setting",
		"project: shop\nruntime: {temporal: {address: \"127.0.0.1:7233\", apiKey: \"${K}\"}}": "error unset-variable",
	} {
		_, found := load(t, config.Options{Dir: folder(t, map[string]string{"patchbay.yaml": text})}, nil)
		if diff := cmp.Diff([]string{want}, codes(found)); diff != "" {
			t.Errorf("%s\n%s", text, diff)
		}
	}
}
