package downstream

import (
	"os"
	"strings"
	"testing"
)

func TestStderrIsKeptForOtherProcesses(t *testing.T) {
	h := startHub(t, &Options{CacheDir: t.TempDir(), Redact: strings.NewReplacer("sesame-opens", "***").Replace}, fakeServer("ok", "TOKEN=sesame-opens"))
	if _, fault := call(t, h, `{"z":1}`); fault != nil {
		t.Fatal(fault)
	}
	h.Close()
	b, err := os.ReadFile(h.LogFile("fake"))
	if err != nil || !strings.HasPrefix(string(b), "--- started ") || !strings.Contains(string(b), "fake server says hello, token ***\n") {
		t.Errorf("%v: %q", err, b)
	}
}
