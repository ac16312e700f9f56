package downstream

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/patchbay-mcp/patchbay/internal/servers/tooldef"
)

// A server that is not warm yet answers tools/list with an error, or with no tools: it is asked
// again, in the same process, and what was known of its tools counts until then.
func TestAServerThatIsNotWarmIsAskedAgain(t *testing.T) {
	dir, starts := t.TempDir(), filepath.Join(t.TempDir(), "starts")
	for i, cached := range []bool{false, true} {
		var l heard
		h := New([]Server{fakeServer("cold", "STARTS="+starts)}, &Options{CacheDir: dir, OnTools: l.hear, warmDelay: time.Millisecond})
		t.Cleanup(h.Close)
		h.Start(t.Context())
		if f := h.Ready(t.Context(), "fake"); f != nil {
			t.Fatal(f)
		}
		l.until(t, last(1))
		for _, list := range l.all() {
			if cached && len(list) == 0 {
				t.Errorf("published %v, though its tools are known", l.all())
			}
		}
		if st := h.Status()[0]; st.State != "ready" || len(st.Notes) > 0 && !cached {
			t.Errorf("its status is %+v", st)
		}
		if text, err := os.ReadFile(starts); err != nil || strings.Count(string(text), "\n") != i+1 {
			t.Errorf("it was started again: %s, %v", text, err)
		}
		h.Close()
	}
}

// One that remains empty is believed in the end, and one that refuses to list its tools failed.
func TestAServerThatStaysEmpty(t *testing.T) {
	var l heard
	s := fakeServer("empty")
	h := New([]Server{s}, &Options{OnTools: l.hear, warmDelay: time.Millisecond})
	defer h.Close()
	h.named("fake").publish(nil, nil)
	h.named("fake").publish([]*tooldef.Tool{{Name: "old"}}, nil)
	h.Start(t.Context())
	l.until(t, func(lists [][]string) bool { return len(lists) == 3 && len(lists[2]) == 0 })

	refusing := startHub(t, &Options{warmDelay: time.Millisecond}, fakeServer("refusing"))
	if f := refusing.Ready(t.Context(), "fake"); f == nil || !strings.Contains(f.Message, "still indexing") {
		t.Errorf("a server that lists nothing: %v", f)
	}
}
