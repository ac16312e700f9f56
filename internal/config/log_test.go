package config_test

import (
	"path/filepath"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/internal/config"
)

func TestLogSettings(t *testing.T) {
	dir := folder(t, map[string]string{"patchbay.yaml": "log: {format: json, slowMs: 0, audit: log/audit.jsonl, auditMB: 2, auditKeep: 9}\n"})
	cfg, found := load(t, config.Options{Dir: dir}, nil)
	if want := (config.Log{JSON: true, Audit: filepath.Join(dir, "log", "audit.jsonl"), AuditBytes: 2 << 20, AuditKeep: 9}); cfg.Log != want || len(found) > 0 {
		t.Errorf("%+v, %v", cfg.Log, found)
	}
	dir = folder(t, map[string]string{"patchbay.yaml": "log: {format: xml, slowMs: -1}\n"})
	cfg, found = load(t, config.Options{Dir: dir}, nil)
	if diff := cmp.Diff([]string{"error bad-setting", "error bad-setting"}, codes(found)); diff != "" || cfg.Log.Slow != 10*time.Second {
		t.Errorf("%s\n%v", diff, cfg.Log)
	}
}

func codes(l diag.List) []string {
	var out []string
	for _, d := range l {
		out = append(out, string(d.Severity)+" "+d.Code)
	}
	return out
}
