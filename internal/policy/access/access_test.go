package access_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/patchbay-mcp/patchbay/internal/policy/access"
)

var start = time.Date(2026, 11, 22, 12, 0, 0, 0, time.UTC)

func add(t *testing.T, tokens *access.Tokens, k access.Token) string {
	t.Helper()
	if len(k.Scopes) == 0 {
		k.Scopes = []string{access.Read}
	}
	secret, fault := tokens.Add(k)
	if fault != nil {
		t.Fatal(fault)
	}
	return secret
}

func TestRights(t *testing.T) {
	for _, tt := range []struct {
		allow, deny   []string
		yes, no       string // tools and graphs, separated by spaces
		servers, hide string
	}{
		{yes: "shop/buy graph:report", servers: "shop"},
		{deny: []string{"shop/delete_*"}, yes: "shop/buy files/delete_x graph:delete_x", no: "shop/delete_all", servers: "shop"},
		{deny: []string{"shop/*", "graph:secret*"}, yes: "files/read graph:report", no: "shop/buy graph:secret_one", servers: "files", hide: "shop"},
		{deny: []string{"*"}, no: "shop/buy graph:report", hide: "shop"},
		{allow: []string{"shop/list_*"}, yes: "shop/list_all graph:report", no: "shop/buy files/list_all", servers: "shop", hide: "files"},
		{allow: []string{"shop/*"}, deny: []string{"shop/buy"}, yes: "shop/list", no: "shop/buy", servers: "shop"},
		{allow: []string{"graph:report"}, yes: "graph:report", no: "graph:other shop/buy", hide: "shop"},
		{allow: []string{"*"}, deny: []string{"graph:x"}, yes: "shop/buy graph:y", no: "graph:x", servers: "shop"},
		{allow: []string{"*/list"}, yes: "shop/list files/list", no: "shop/buy", servers: "shop files"},
	} {
		r := access.Rights{Allow: tt.allow, Deny: tt.deny}
		may := func(name string) bool {
			if graph, ok := strings.CutPrefix(name, "graph:"); ok {
				allowed, _ := r.Graph(graph)
				return allowed
			}
			server, tool, _ := strings.Cut(name, "/")
			return r.Tool(server, tool)
		}
		for name := range strings.FieldsSeq(tt.yes) {
			if !may(name) {
				t.Errorf("allow %v, deny %v: %s is refused", tt.allow, tt.deny, name)
			}
		}
		for name := range strings.FieldsSeq(tt.no) {
			if may(name) {
				t.Errorf("allow %v, deny %v: %s is allowed", tt.allow, tt.deny, name)
			}
		}
		for name := range strings.FieldsSeq(tt.servers) {
			if !r.Server(name) {
				t.Errorf("allow %v, deny %v: the server %s is hidden", tt.allow, tt.deny, name)
			}
		}
		for name := range strings.FieldsSeq(tt.hide) {
			if r.Server(name) {
				t.Errorf("allow %v, deny %v: the server %s is seen", tt.allow, tt.deny, name)
			}
		}
	}
}

func TestTokens(t *testing.T) {
	file := filepath.Join(t.TempDir(), "access", "tokens.json")
	tokens := access.Open(file)
	if _, err := tokens.Verify("pbt_x", start); !errors.Is(err, access.ErrUnknown) {
		t.Errorf("without a file: %v", err)
	}
	ann := add(t, tokens, access.Token{Name: "ann", Rights: access.Rights{Scopes: []string{access.Read, access.Write}, Deny: []string{"shop/*"}}, Expires: start.Add(time.Hour)})
	bob := add(t, tokens, access.Token{Name: "bob"})
	for _, secret := range []string{"", "pbt_", ann + "x", ann[:len(ann)-1], strings.ToUpper(ann), "Bearer " + ann} {
		if _, err := tokens.Verify(secret, start); !errors.Is(err, access.ErrUnknown) {
			t.Errorf("%q: %v", secret, err)
		}
	}
	id, err := tokens.Verify(ann, start)
	if err != nil || id.Principal != "token:ann" || !id.Rights.May(access.Write) || id.Rights.May(access.Run) || id.Rights.Tool("shop", "buy") {
		t.Errorf("%+v, %v", id, err)
	}
	if again, _ := tokens.Verify(ann, start); again != id {
		t.Error("the identity is another one although the file has not changed")
	}
	if _, err := tokens.Verify(ann, start.Add(time.Hour)); !errors.Is(err, access.ErrExpired) {
		t.Errorf("after it has expired: %v", err)
	}
	text, err := os.ReadFile(file)
	if err != nil || strings.Contains(string(text), ann) || strings.Contains(string(text), bob) {
		t.Errorf("the file has a token: %v", err)
	}
	if info, err := os.Stat(file); err != nil || runtime.GOOS != "windows" && info.Mode().Perm() != 0o600 {
		t.Errorf("%v, %v", info.Mode(), err)
	}
	// Another process changes the file.
	if fault := access.Open(file).Revoke("ann"); fault != nil {
		t.Fatal(fault)
	}
	if _, err := tokens.Verify(ann, start); !errors.Is(err, access.ErrUnknown) {
		t.Errorf("after it was revoked: %v", err)
	}
	if _, err := tokens.Verify(bob, start); err != nil {
		t.Error(err)
	}
	if fault := tokens.Revoke("bib"); fault == nil || fault.Code != "unknown-token" || len(fault.Suggestions) != 1 {
		t.Errorf("%+v", fault)
	}
	if _, fault := tokens.Add(access.Token{Name: "bob", Rights: access.Rights{Scopes: []string{access.Run}}}); fault == nil {
		t.Error("two tokens have one name")
	}
}

func TestBadTokens(t *testing.T) {
	tokens := access.Open(filepath.Join(t.TempDir(), "tokens.json"))
	read := []string{access.Read}
	for what, k := range map[string]access.Token{
		"a path":            {Name: "../x", Rights: access.Rights{Scopes: read}},
		"nothing":           {Rights: access.Rights{Scopes: read}},
		"no scope":          {Name: "x"},
		"unknown scope":     {Name: "x", Rights: access.Rights{Scopes: []string{"graph:rum"}}},
		"pattern of a name": {Name: "x", Rights: access.Rights{Scopes: read, Deny: []string{"delete"}}},
	} {
		if _, fault := tokens.Add(k); fault == nil || fault.Code != "bad-argument" {
			t.Errorf("%s: %v", what, fault)
		}
	}
	if _, fault := access.Open("").Add(access.Token{Name: "x", Rights: access.Rights{Scopes: read}}); fault == nil || fault.Code != "tokens-file" {
		t.Errorf("%v", fault)
	}
}

// A file that others can read or that is damaged lets nobody in.
func TestUnusableFile(t *testing.T) {
	file := filepath.Join(t.TempDir(), "tokens.json")
	tokens := access.Open(file)
	secret := add(t, tokens, access.Token{Name: "a"})
	if runtime.GOOS != "windows" {
		if err := os.Chmod(file, 0o644); err != nil {
			t.Fatal(err)
		}
		if _, err := access.Open(file).Verify(secret, start); err == nil || !strings.Contains(err.Error(), "chmod 600") {
			t.Errorf("a file that others can read: %v", err)
		}
	}
	if err := os.WriteFile(file, []byte("[{"), 0o600); err != nil {
		t.Fatal(err)
	}
	_ = os.Chmod(file, 0o600)
	if _, err := tokens.Verify(secret, start); err == nil || tokens.Any(start) {
		t.Errorf("a damaged file: %v", err)
	}
	if _, fault := tokens.Add(access.Token{Name: "b", Rights: access.Rights{Scopes: access.Scopes}}); fault == nil {
		t.Error("a damaged file is overwritten")
	}
}

func TestQuota(t *testing.T) {
	q, fault := access.ParseQuota("2/hour")
	if b, err := json.Marshal(q); fault != nil || err != nil || string(b) != `"2/hour"` {
		t.Fatalf("%s, %v, %v", b, fault, err)
	}
	for _, text := range []string{"2", "0/hour", "x/hour", "2/week", "/", "-1/day"} {
		if _, fault := access.ParseQuota(text); fault == nil {
			t.Errorf("%q is a quota", text)
		}
	}
	var m access.Meter
	ann, bob := &access.Identity{Principal: "ann", Quota: q}, &access.Identity{Principal: "bob", Quota: q}
	for i, want := range []time.Duration{0, 0, time.Hour} {
		if wait := m.Calls(ann, 1, start); wait != want {
			t.Errorf("call %d waits %v, want %v", i, wait, want)
		}
	}
	if m.Calls(ann, 1, start.Add(59*time.Minute)) != time.Minute || m.Calls(bob, 2, start) != 0 || m.Calls(ann, 2, start.Add(time.Hour)) != 0 {
		t.Error("a quota is not that of its principal and its period")
	}
	if m.Calls(&access.Identity{Principal: "free"}, 1_000_000, start) != 0 {
		t.Error("there is a quota where none was set")
	}
}

func TestRate(t *testing.T) {
	var m access.Meter
	for i := range 60 {
		if wait := m.Request("ann", 60, start); wait != 0 {
			t.Fatalf("request %d waits %v", i, wait)
		}
	}
	if wait := m.Request("ann", 60, start); wait != time.Second {
		t.Errorf("the next one waits %v", wait)
	}
	if m.Request("bob", 60, start) != 0 || m.Request("ann", 60, start.Add(time.Second)) != 0 || m.Request("ann", 60, start.Add(time.Second)) != time.Second {
		t.Error("a rate is not that of its principal")
	}
}

// Processes that make tokens at once lose none, and none is made twice.
func TestTokensOfSeveralProcesses(t *testing.T) {
	file := filepath.Join(t.TempDir(), "access", "tokens.json")
	var all sync.WaitGroup
	var refused atomic.Int32
	for i := range 20 {
		all.Go(func() {
			if _, fault := access.Open(file).Add(access.Token{Name: fmt.Sprint("t", i/2), Rights: access.Rights{Scopes: []string{access.Read}}}); fault != nil {
				if refused.Add(1); fault.Path != "/name" {
					t.Error(fault)
				}
			}
		})
	}
	all.Wait()
	if list, fault := access.Open(file).List(); fault != nil || len(list) != 10 || refused.Load() != 10 {
		t.Errorf("%d tokens, %d refused, %v", len(list), refused.Load(), fault)
	}
}
