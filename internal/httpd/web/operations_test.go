package web

import (
	"bytes"
	"context"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/patchbay-mcp/patchbay/internal/app"
	"github.com/patchbay-mcp/patchbay/internal/httpd"
	"github.com/patchbay-mcp/patchbay/internal/tests/testenv"
)

// TestEveryOperation: each operation is there, by a name of its own.
func TestEveryOperation(t *testing.T) {
	b := serve(t, nil).operator()
	_, text := b.ask(http.MethodGet, "/ui/api/session", "")
	var info sessionInfo
	if err := json.Unmarshal([]byte(text), &info); err != nil {
		t.Fatal(err)
	}
	seen := map[string]bool{}
	for _, o := range info.Operations {
		if seen[o.Name] || o.Title == "" {
			t.Errorf("%+v", o)
		}
		seen[o.Name] = true
	}
	for _, o := range app.Operations() {
		if name := strings.ReplaceAll(o.Command, " ", "-"); !seen[o.Tool] && !seen[name] {
			t.Errorf("there is no %s", name)
		}
	}
	if info.Principal != "operator" || info.File != nil || info.Version != "test" || info.Limits.RequestBytes != httpd.MaxBody {
		t.Errorf("%+v", info)
	}
}

// TestOperation: a page gets what a client gets, and the edited text.
func TestOperation(t *testing.T) {
	b := serve(t, nil).operator()
	edited := b.do("edit_graph", `{"graph":`+quoted(greeting)+`,"ops":[{"op":"rename_node","id":"say","new_id":"speak"}]}`)
	var reply struct {
		Result struct {
			Valid bool
			Graph string
		}
	}
	if err := json.Unmarshal([]byte(edited), &reply); err != nil || !reply.Result.Valid || reply.Result.Graph != strings.NewReplacer("next: say", "next: speak", "id: say", "id: speak", "$.say", "$.speak").Replace(greeting) {
		t.Errorf("%s, %v", edited, err)
	}
	if got := b.do("run_graph", `{"graph":`+quoted(greeting)+`,"arguments":{"who":"you"}}`); !strings.Contains(got, `"result":"hello you"`) || !strings.HasPrefix(got, `{"result":{"run_id":"run_`) {
		t.Error(got)
	}
	if got := b.do("runs-list", `{"since":"24h"}`); !strings.Contains(got, `"status":"succeeded"`) {
		t.Error(got)
	}
	b.do("runs-prune", `{}`) // those that are older than the default
	if got := b.do("runs-list", ``); !strings.Contains(got, `"status":"succeeded"`) {
		t.Errorf("a new run was deleted: %s", got)
	}
	for args, status := range map[string]int{`{"run_id":"run_x"}`: 404, `{"run":1}`: 400, `[]`: 400, `{`: 400} {
		if resp, text := b.ask(http.MethodPost, "/ui/api/op/get_run", args); resp.StatusCode != status || !strings.HasPrefix(text, `{"error":{"code":"`) {
			t.Errorf("%s: %d %s", args, resp.StatusCode, text)
		}
	}
}

// TestLeave: a run that a page waits for continues when the page is reloaded or closed.
func TestLeave(t *testing.T) {
	s := serve(t, nil)
	b := s.operator()
	ctx, leave := context.WithCancel(t.Context())
	graph := "name: waits\nnodes:\n  - {id: entry, type: entry, next: wait}\n  - {id: wait, type: mcp, server: shop, tool: wait, args: {}, next: exit}\n  - {id: exit, type: exit}\n"
	r := httptest.NewRequestWithContext(ctx, http.MethodPost, s.url+"/ui/api/op/run_graph", strings.NewReader(`{"graph":`+quoted(graph)+`}`))
	r.Header.Set(pageHeader, b.key)
	for _, c := range b.client.Jar.Cookies(r.URL) {
		r.AddCookie(c)
	}
	go func() {
		<-s.called
		leave()
	}()
	reply := httptest.NewRecorder()
	s.ui.Handler().ServeHTTP(reply, r)
	if got := reply.Body.String(); !strings.Contains(got, `"status":"running"`) {
		t.Error(got)
	}
	close(s.release)
}

// TestMasked: secrets are masked in replies, and not in the text that the page has sent.
func TestMasked(t *testing.T) {
	redact := func(b json.RawMessage) json.RawMessage { return bytes.ReplaceAll(b, []byte("hunter2"), []byte("***")) }
	b := serve(t, func(o *Options) { o.Redact = redact }).operator()
	text := strings.Replace(greeting, "hello", "hunter2", 1)
	if got := b.do("run_graph", `{"graph":`+quoted(text)+`}`); strings.Contains(got, "hunter2") || !strings.Contains(got, "***") {
		t.Error(got)
	}
	got := b.do("edit_graph", `{"graph":`+quoted(text)+`,"ops":[{"op":"rename_node","id":"say","new_id":"speak"}]}`)
	var reply struct{ Result struct{ Graph, Diff string } }
	if err := json.Unmarshal([]byte(got), &reply); err != nil || !strings.Contains(reply.Result.Graph, "hunter2") || strings.Contains(reply.Result.Diff, "hunter2") {
		t.Errorf("%s, %v", got, err)
	}
}

// TestFile: the page reads and writes the one file, unless somebody else has changed it.
func TestFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "graph.yaml")
	s := serve(t, func(o *Options) { o.File, o.LinkOnly = path, true })
	b := s.operator()
	read := func() (f fileText) {
		t.Helper()
		_, text := b.ask(http.MethodGet, "/ui/api/file", "")
		if err := json.Unmarshal([]byte(text), &f); err != nil {
			t.Fatal(err, text)
		}
		return f
	}
	save := func(text, hash string) int {
		t.Helper()
		resp, _ := b.ask(http.MethodPost, "/ui/api/file", `{"text":`+quoted(text)+`,"baseHash":`+quoted(hash)+`}`)
		return resp.StatusCode
	}
	none := read()
	if none.Text != "" || none.Path != path {
		t.Errorf("%+v", none)
	}
	if code := save(greeting, none.Hash); code != http.StatusOK {
		t.Fatal(code)
	}
	now := read()
	if b, err := os.ReadFile(path); err != nil || string(b) != greeting || now.Text != greeting {
		t.Errorf("%s, %v", b, err)
	}
	if code := save("x", none.Hash); code != http.StatusConflict {
		t.Errorf("with a hash of before: %d", code)
	}
	if err := os.WriteFile(path, []byte("changed"), 0o600); err != nil {
		t.Fatal(err)
	}
	if code := save("x", now.Hash); code != http.StatusConflict || read().Text != "changed" {
		t.Errorf("after a change by somebody else: %d", code)
	}
	// Of two programs that have the file open, one saves at a time, and a link to it stays.
	link := filepath.Join(t.TempDir(), "link.yaml")
	testenv.Symlink(t, path, link)
	other := serve(t, func(o *Options) { o.File, o.LinkOnly = link, true }).operator()
	now = read()
	var all sync.WaitGroup
	var saved atomic.Int32
	for i, b := range []*browser{b, other, b, other} {
		all.Go(func() {
			resp, _ := b.ask(http.MethodPost, "/ui/api/file", `{"text":"text `+strconv.Itoa(i)+`","baseHash":`+quoted(now.Hash)+`}`)
			if resp.StatusCode == http.StatusOK {
				saved.Add(1)
			}
		})
	}
	all.Wait()
	if info, err := os.Lstat(link); err != nil || info.Mode()&os.ModeSymlink == 0 || saved.Load() != 1 {
		t.Errorf("%d of 4 were saved, %v", saved.Load(), err)
	}
	for _, body := range []string{"", "{}", "[]", `{"path":"/etc/passwd","baseHash":""}`} {
		if resp, _ := b.ask(http.MethodPost, "/ui/api/file", body); resp.StatusCode != http.StatusBadRequest {
			t.Errorf("%q: %d", body, resp.StatusCode)
		}
	}
}
