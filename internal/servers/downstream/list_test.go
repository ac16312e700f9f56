package downstream

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/internal/servers/tooldef"
	"github.com/patchbay-mcp/patchbay/internal/tests/spectest"
)

// heard collects what a hub publishes.
type heard struct {
	mu      sync.Mutex
	lists   [][]string
	changed chan struct{} // closed when there is another list
}

func (l *heard) hear(_ string, tools []*tooldef.Tool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.lists = append(l.lists, names(tools))
	if l.changed != nil {
		close(l.changed)
		l.changed = nil
	}
}

// until waits until what is published is as ok wants it.
func (l *heard) until(t *testing.T, ok func(lists [][]string) bool) {
	t.Helper()
	for {
		l.mu.Lock()
		if ok(l.lists) {
			l.mu.Unlock()
			return
		}
		if l.changed == nil {
			l.changed = make(chan struct{})
		}
		changed := l.changed
		l.mu.Unlock()
		select {
		case <-changed:
		case <-t.Context().Done():
			t.Fatalf("published is %v", l.all())
		}
	}
}

// last reports whether the last list has so many tools.
func last(tools int) func([][]string) bool {
	return func(lists [][]string) bool { return len(lists) > 0 && len(lists[len(lists)-1]) == tools }
}

func (l *heard) all() [][]string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return append([][]string(nil), l.lists...)
}

func names(tools []*tooldef.Tool) []string {
	all := []string{}
	for _, t := range tools {
		all = append(all, t.Name)
	}
	return all
}

func TestPages(t *testing.T) {
	for _, c := range []struct {
		mode  string
		tools int
		note  string
	}{
		{"pages", 7, ""},
		{"loop", 1, "lead back to one already read"},
		{"endless", 0, "more than 1000 pages"},
		{"bulky", 51, "its list of tools has more than 1 MiB; the rest is left out"},
	} {
		s := fakeServer(c.mode)
		s.StartTimeout = time.Hour
		h := startHub(t, &Options{Wait: time.Hour, maxListBytes: 1 << 20}, s)
		if f := h.Ready(t.Context(), "fake"); f != nil {
			t.Fatal(f)
		}
		if n := len(h.Tools("fake")); n != c.tools {
			t.Errorf("%s: %d tools, want %d", c.mode, n, c.tools)
		}
		if notes := strings.Join(h.Status()[0].Notes, "\n"); !strings.Contains(notes, c.note) || c.note == "" && notes != "" {
			t.Errorf("%s: notes are %q, want %q", c.mode, notes, c.note)
		}
		h.Close()
	}
}

func TestInvalidDefinitions(t *testing.T) {
	h := startHub(t, nil, fakeServer("invalid"))
	if f := h.Ready(t.Context(), "fake"); f != nil {
		t.Fatal(f)
	}
	want := map[string]string{ // what the note says, and whether any object is taken
		"none":      "inputSchema is missing, any object is accepted",
		"string":    "inputSchema is not an object, any object is accepted",
		"array":     `inputSchema has the type ["object","null"] where only "object" is allowed, any object is accepted`,
		"notype":    `inputSchema has no "type", it is taken as "object"`,
		"badtype":   "inputSchema is used without /",
		"badref":    "inputSchema is not a valid JSON Schema",
		"remote":    "which is not fetched",
		"deep":      "inputSchema is nested deeper than 100 levels",
		"large":     "more than the 524288 that are read",
		"badout":    "outputSchema is not an object, it is ignored",
		"loop":      "refers to itself for the same value",
		"recursive": "",
		"lookahead": "",
		"oddtypes":  "",
		"echo":      "",
	}
	got := map[string]bool{}
	for _, tool := range h.Tools("fake") {
		got[tool.Name] = true
		note, ok := want[tool.Name]
		if !ok || !strings.Contains(tool.Note, note) || note == "" && tool.Note != "" {
			t.Errorf("%s: note %q, want %q", tool.Name, tool.Note, note)
		}
		if anything := string(tool.InputSchema) == `{"type":"object"}`; anything != (strings.Contains(note, "any object") || strings.Contains(tool.Note, "any object") || tool.Name == "badout" || tool.Name == "oddtypes") {
			t.Errorf("%s: schema is %s", tool.Name, diag.Cut(string(tool.InputSchema), 100))
		}
		s := tooldef.Spec(tool).Whole()
		spectest.Example(t, s)
		if !json.Valid(s.Skeleton) {
			t.Errorf("%s: skeleton is %s", tool.Name, s.Skeleton)
		}
	}
	if len(got) != len(want) {
		t.Errorf("%d tools, want %d", len(got), len(want))
	}
	notes := strings.Join(h.Status()[0].Notes, "\n")
	for _, left := range []string{"a tool without a name is left out", "a tool that is not an object is left out", `a second tool "echo" is left out`, `tool "none": inputSchema is missing`} {
		if !strings.Contains(notes, left) {
			t.Errorf("the notes do not say %s:\n%s", left, notes)
		}
	}
}

func TestListChanges(t *testing.T) {
	var l heard
	h := startHub(t, &Options{OnTools: l.hear}, fakeServer("changing"))
	if _, fault := call(t, h, `{}`); fault != nil {
		t.Fatal(fault)
	}
	l.until(t, func(lists [][]string) bool { return cmp.Equal(lists, [][]string{{"echo1"}, {"echo2"}}) })
}

// TestCache starts a hub over a list that an earlier one left: it is there
// before the server is, byte for byte, and the live list is published only if
// it differs.
func TestCache(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	n := takeNotes(t)
	server := fakeServer("ok", n.env(), "TOKEN=sesame-opens")
	first := startHub(t, &Options{CacheDir: dir}, server)
	if f := first.Ready(t.Context(), "fake"); f != nil {
		t.Fatal(f)
	}
	live := first.Tools("fake")
	first.Close()

	server.Command = "/nowhere/to/be/found"
	cold := startHub(t, &Options{CacheDir: dir}, server)
	if len(cold.Tools("fake")) != 0 {
		t.Error("another command is given the same list")
	}
	cold.Close()

	server = fakeServer("slow", n.env(), "TOKEN=another-one")
	idle := New([]Server{server, {Name: "unknown", Command: "/nowhere/to/be/found"}}, &Options{CacheDir: dir})
	if missing := idle.LoadCached(); !cmp.Equal(missing, []string{"unknown"}) {
		t.Errorf("no tools are cached of %q", missing)
	}
	if st := idle.Status()[0]; st.State != "idle" || st.Tools != 1 {
		t.Errorf("status without a start is %+v", st)
	}
	idle.Close()
	var l heard
	h := New([]Server{server}, &Options{CacheDir: dir, OnTools: l.hear})
	defer h.Close()
	h.Start(t.Context())
	if got := l.all(); !cmp.Equal(got, [][]string{{"echo"}}) {
		t.Fatalf("Start published %v", got)
	}
	if st := h.Status()[0]; st.State != "cached" || st.Tools != 1 {
		t.Errorf("status is %+v", st)
	}
	if diff := cmp.Diff(live, h.Tools("fake"), cmpopts.IgnoreUnexported(tooldef.Tool{})); diff != "" {
		t.Errorf("the cached list differs (-live +cached):\n%s", diff)
	}
	n.started() // the first
	n.started()
	n.release()
	if f := h.Ready(t.Context(), "fake"); f != nil {
		t.Fatal(f)
	}
	if got := l.all(); len(got) != 1 {
		t.Errorf("the same list is published again: %v", got)
	}
}

func TestNoSecretInCache(t *testing.T) {
	dir := t.TempDir()
	s := fakeServer("secret", "TOKEN=sesame-opens")
	s.Args = []string{"--key=opens-as-well"}
	h := startHub(t, &Options{CacheDir: dir, Redact: strings.NewReplacer("opens-as-well", "***", "sesame-opens", "***").Replace}, s)
	if f := h.Ready(t.Context(), "fake"); f != nil {
		t.Fatal(f)
	}
	files, _ := filepath.Glob(filepath.Join(dir, "*.tools"))
	if len(files) != 1 {
		t.Fatalf("files are %v", files)
	}
	data, _ := os.ReadFile(files[0])
	if strings.Contains(string(data), "opens") || !strings.Contains(string(data), "signed in with ***") {
		t.Errorf("the cache holds %s", data)
	}
	if info, _ := os.Stat(files[0]); info.Mode().Perm() != 0o600 {
		t.Errorf("mode is %v", info.Mode())
	}
}

// TestDamagedCache reads every truncation of a cache, and some lies.
func TestDamagedCache(t *testing.T) {
	t.Parallel()
	tool, err := tooldef.Read("fake", json.RawMessage(fakeTool), false)
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "x.tools")
	if err := writeCache(file, cachedServer{Server: "fake"}, []*tooldef.Tool{tool, tool}); err != nil {
		t.Fatal(err)
	}
	if _, got, err := readCache(file, false); err != nil || len(got) != 2 {
		t.Fatalf("%d tools, %v", len(got), err)
	}
	whole, _ := os.ReadFile(file)
	for n := range whole {
		if err := os.WriteFile(file, whole[:n], 0o600); err != nil {
			t.Fatal(err)
		}
		if _, _, err := readCache(file, false); err == nil {
			t.Fatalf("the first %d of %d bytes are taken for a list", n, len(whole))
		}
	}
	for _, lie := range []string{`"input":999999`, `"input":-1`, `"input":0`} {
		text := strings.Replace(string(whole), `"input":`+jsonInt(len(tool.InputSchema)), lie, 1)
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, _, err := readCache(file, false); err == nil {
			t.Errorf("%s is believed", lie)
		}
	}
}

func jsonInt(n int) string { b, _ := json.Marshal(n); return string(b) }
