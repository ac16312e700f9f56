package cli

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io/fs"
	"maps"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/patchbay-mcp/patchbay/internal/secrets"
)

// canaries are secrets by the position in which they stand. Each is in one position only.
type canaries struct {
	mu     sync.Mutex
	made   int
	all    map[string]string
	hidden map[string]bool // positions of tokens that only some requests have
}

// put makes a value the canary of a position.
func (c *canaries) put(position, value string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.all[position] = value
}

// hide keeps the canaries of positions from being told by everybody.
func (c *canaries) hide(positions ...string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, p := range positions {
		c.hidden[p] = true
	}
}

// drop forgets the canaries of positions: they are no longer valid.
func (c *canaries) drop(positions ...string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, p := range positions {
		delete(c.all, p)
	}
}

// in returns the canary of a position, and makes it first if need be.
func (c *canaries) in(position string) string {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.all[position] == "" {
		c.made++
		c.all[position] = fmt.Sprintf("c4n/ry+%02d=%s", c.made, strings.ReplaceAll(position, " ", "~"))
	}
	return c.all[position]
}

func (c *canaries) list() []string {
	c.mu.Lock()
	defer c.mu.Unlock()
	var all []string
	for _, position := range slices.Sorted(maps.Keys(c.all)) {
		if !c.hidden[position] {
			all = append(all, c.all[position])
		}
	}
	return all
}

var unbroken = strings.NewReplacer("\r", "", "\n", "", `\\r`, "", `\\n`, "", `\r`, "", `\n`, "")

// found are the canaries in what has left the program, by their positions, with how they
// are written.
func (c *canaries) found(out []byte) []string {
	c.mu.Lock()
	defer c.mu.Unlock()
	text := string(out)
	joined := unbroken.Replace(text)
	var found []string
	for position, value := range c.all {
		forms := map[string]string{
			"plain": value, "JSON": strings.Trim(string(must(json.Marshal(value))), `"`), "query": url.QueryEscape(value), "path": url.PathEscape(value),
			"hex": hex.EncodeToString([]byte(value)), "HEX": strings.ToUpper(hex.EncodeToString([]byte(value))),
		}
		for skip := range 3 { // what base64 makes of the bytes that fill groups of three
			middle := value[skip:]
			coded := base64.StdEncoding.EncodeToString([]byte(middle[:len(middle)/3*3]))
			forms[fmt.Sprint("base64, ", skip)] = coded
			forms[fmt.Sprint("base64url, ", skip)] = strings.NewReplacer("+", "-", "/", "_").Replace(coded)
		}
		for form, coded := range forms {
			if i := strings.Index(text, coded); i >= 0 {
				found = append(found, fmt.Sprintf("%s (%s) in …%s", position, form, text[max(0, i-60):min(len(text), i+len(coded)+20)]))
			} else if i := strings.Index(joined, coded); i >= 0 {
				found = append(found, fmt.Sprintf("%s (%s, wrapped) in …%s", position, form, joined[max(0, i-60):min(len(joined), i+len(coded)+20)]))
			}
		}
	}
	return found
}

func must(b []byte, err error) []byte {
	if err != nil {
		panic(err)
	}
	return b
}

// TestNoSecretLeaves puts a canary in every position in which a secret can stand, uses
// servers that tell all they know in every encoding, and looks for the canaries in all
// that the program writes: output, replies, logs, traces, metrics and files.
func TestNoSecretLeaves(t *testing.T) {
	if testing.Short() {
		t.Skip("many processes, whose output is all searched")
	}
	site := newCanarySite(t)
	check := func(what string, out []byte) {
		t.Helper()
		found := site.found(out)
		for _, f := range found[:min(len(found), 3)] {
			t.Errorf("%s tells %s", what, f)
		}
		if n := len(found); n > 3 {
			t.Errorf("%s tells %d more", what, n-3)
		}
	}
	patchbay := func(args ...string) string {
		t.Helper()
		cmd := site.command(t, args...)
		out, err := cmd.CombinedOutput()
		if cmd.ProcessState == nil {
			t.Fatal(err)
		}
		check("patchbay "+strings.Join(args, " "), out)
		return string(out)
	}
	for _, args := range []string{
		"mcp sync", "mcp list", "mcp info leaky", "mcp info leaky text", "mcp info web --json", "mcp tools leaky", "doctor", "doctor --json", "validate bad.yaml --json",
		"run good.yaml --json --trace full", "run bad.yaml --trace full", "run http.yaml --trace full", "graphs save good.yaml", "run leaks", "graphs show leaks", "show mcp:leaky/text", "search tells", "types mcp",
		"call mcp:leaky/text", "call mcp:leaky/blocks", "call mcp:leaky/structured --json", "call mcp:leaky/fail", "call mcp:leaky/refuse", "call mcp:web/text", "call mcp:bearer/text", "call mcp:basic/text",
		"call mcp:key/text", "call mcp:granted/text", "call mcp:login/text", "call mcp:api/tell", "--debug call mcp:leaky/text", "mcp logs leaky", "mcp logs junk", "runs list", "runs list --json", "runs list --by-graph", "mcp add again --dry-run -- leaky --token ${ARG_TOKEN}",
		"eval 1+1", "run hook.yaml",
	} {
		out := patchbay(strings.Fields(args)...)
		if strings.Contains(out, "[usage]") || strings.Contains(out, "unknown flag") || strings.HasPrefix(args, "call ") && !strings.Contains(out, secrets.Hidden) {
			t.Errorf("patchbay %s tells nothing: %.300s", args, out)
		}
	}
	runs, err := site.command(t, "runs", "list", "--json").Output()
	if err != nil {
		t.Fatal(err)
	}
	var list struct {
		Runs []struct {
			ID string `json:"run_id"`
		} `json:"runs"`
	}
	if err := json.Unmarshal(runs, &list); err != nil || len(list.Runs) == 0 {
		t.Fatalf("no runs: %v", err)
	}
	for i, r := range list.Runs[len(list.Runs)-3:] { // those of documents, before those of single calls
		patchbay("runs", "show", r.ID)
		patchbay("runs", "show", r.ID, "--json")
		if i < 1 {
			patchbay("runs", "save-test", r.ID)
		}
	}
	for what, out := range map[string][]byte{"serve": site.serve(t), "serve --http": site.serveHTTP(t)} {
		check(what, out)
		if n := bytes.Count(out, []byte(secrets.Hidden)); n < 1000 {
			t.Errorf("%s has only %d masked secrets", what, n)
		}
	}
	site.eachFile(t, func(path string, b []byte) { check(path, b) })
	site.sent(t)
	tokens := filepath.Join(site.home, "state", "patchbay", "tokens")
	for _, want := range []string{"logged out of login; its tokens are deleted here, not revoked", "no login for login"} {
		if out := patchbay("mcp", "logout", "login"); !strings.Contains(out, want) {
			t.Errorf("it says %s, not %s", out, want)
		}
		if left, err := os.ReadDir(tokens); err != nil || len(left) != 0 {
			t.Errorf("after a logout there are %v, %v", left, err)
		}
	}
}

// serve calls tools over stdio, with logs, and returns all that was sent and logged.
func (s *canarySite) serve(t *testing.T) []byte {
	cmd := s.command(t, "--debug", "serve", "--expose-downstream")
	var all safeBuffer
	cmd.Stderr = &all
	client := mcp.NewClient(&mcp.Implementation{Name: "test"}, &mcp.ClientOptions{
		ProgressNotificationHandler: func(_ context.Context, r *mcp.ProgressNotificationClientRequest) { all.keep(r.Params) },
		LoggingMessageHandler:       func(_ context.Context, r *mcp.LoggingMessageRequest) { all.keep(r.Params) },
	})
	session, err := client.Connect(t.Context(), &mcp.CommandTransport{Command: cmd}, nil)
	if err != nil {
		t.Fatal(err)
	}
	s.converse(t, session, &all)
	_ = session.Close()
	return all.bytes()
}

// converse makes the calls that may tell something.
func (s *canarySite) converse(t *testing.T, session *mcp.ClientSession, all *safeBuffer) {
	_ = session.SetLoggingLevel(t.Context(), &mcp.SetLoggingLevelParams{Level: "debug"})
	call := func(tool, args string) {
		p := &mcp.CallToolParams{Name: tool, Arguments: json.RawMessage(args)}
		p.SetProgressToken("p")
		r, err := session.CallTool(t.Context(), p)
		all.keep(r)
		all.keep(fmt.Sprint(err))
	}
	for _, tool := range []string{"leaky__text", "leaky__blocks", "leaky__structured", "leaky__fail", "leaky__refuse", "web__text", "leaks"} {
		call(tool, `{}`)
	}
	for _, id := range []string{"leaky/text", "leaky/blocks", "leaky/fail", "leaky/refuse", "bearer/text", "basic/text", "key/text", "granted/text", "login/text", "api/tell"} {
		call("run_node", `{"id":"mcp:`+id+`","arguments":{}}`)
	}
	for _, name := range []string{"good.yaml", "bad.yaml", "http.yaml"} {
		text, _ := json.Marshal(string(must(os.ReadFile(filepath.Join(s.dir, name)))))
		call("validate_graph", `{"graph":`+string(text)+`}`)
		call("run_graph", `{"graph":`+string(text)+`,"trace":"full"}`)
	}
	call("search_nodes", `{"query":"tells all"}`)
	call("get_node_details", `{"nodes":[{"id":"mcp:leaky/text"},{"id":"mcp:web/text"}],"detail":"full"}`)
	call("evaluate", `{"expression":"$error(\"`+s.in("literal env")+`\")"}`)
	tools, err := session.ListTools(t.Context(), nil)
	all.keep(tools)
	all.keep(fmt.Sprint(err))
	resources, _ := session.ListResources(t.Context(), nil)
	all.keep(resources)
	for _, r := range resources.Resources {
		text, err := session.ReadResource(t.Context(), &mcp.ReadResourceParams{URI: r.URI})
		all.keep(text)
		all.keep(fmt.Sprint(err))
	}
	prompts, _ := session.ListPrompts(t.Context(), nil)
	all.keep(prompts)
	for _, p := range prompts.Prompts {
		text, _ := session.GetPrompt(t.Context(), &mcp.GetPromptParams{Name: p.Name})
		all.keep(text)
	}
}

// safeBuffer keeps what several goroutines write.
type safeBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (b *safeBuffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.b.Write(p)
}

func (b *safeBuffer) bytes() []byte {
	b.mu.Lock()
	defer b.mu.Unlock()
	return bytes.Clone(b.b.Bytes())
}

// keep writes a value as JSON, and blocks of content decoded too.
func (b *safeBuffer) keep(v any) {
	text, _ := json.Marshal(v)
	_, _ = b.Write(append(text, '\n'))
	if r, ok := v.(*mcp.CallToolResult); ok && r != nil {
		for _, c := range r.Content {
			if i, ok := c.(*mcp.ImageContent); ok {
				_, _ = b.Write(append(i.Data, '\n'))
			}
		}
	}
}

// eachFile reads all files that the program has written, but for those that have secrets
// by their purpose.
func (s *canarySite) eachFile(t *testing.T, look func(path string, b []byte)) {
	n := 0
	err := filepath.WalkDir(s.home, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || strings.Contains(path, string(filepath.Separator)+"tokens"+string(filepath.Separator)) {
			return err
		}
		n++
		look(path, must(os.ReadFile(path)))
		return nil
	})
	if err != nil || n < 5 {
		t.Errorf("%d files are read: %v", n, err)
	}
}

// patchbay is patchbay in the site's folder and environment.
func (s *canarySite) command(t *testing.T, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(t.Context(), "patchbay", args...)
	cmd.Dir, cmd.Env = s.dir, append(os.Environ(), s.env...)
	return cmd
}
