package workspace

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// fixture is a folder with a bit of everything that listings can stumble on.
func fixture(t *testing.T) string {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{
		"a.txt":              "one\ntwo\nthree\n",
		"B.txt":              "no newline at the end",
		"crlf.txt":           "one\r\ntwo\r\nthree\r\n",
		"empty.txt":          "",
		"big.txt":            strings.Repeat("0123456789abcdef\n", 1000),
		"bad.bin":            "a\xff\xfeb",
		"naïve name.md":      "# ünï\n",
		".hidden":            "dot\n",
		"_under.go":          "package a\n",
		"sub/x.go":           "package sub\n",
		"sub/deep/y.go":      "package deep\n",
		"sub/deep/.z.go":     "package z\n",
		"sub/deep/data.json": `{"a":[1,2]}`,
		"node_modules/m.js":  "1",
		"vendor/v.go":        "package v\n",
		"10.log":             "x",
		"9.log":              "y",
	} {
		full := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(full), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(full, []byte(text), 0o640); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Mkdir(filepath.Join(dir, "void"), 0o700); err != nil {
		t.Fatal(err)
	}
	for link, target := range map[string]string{
		"inner":    "sub/x.go",
		"absolute": filepath.Join(dir, "sub", "deep"),
		"escape":   "/etc/hostname",
		"escdir":   "/etc",
		"dangling": "nowhere",
		"loop":     "loop",
	} {
		if err := os.Symlink(target, filepath.Join(dir, link)); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func connect(t *testing.T, server *mcp.Server) *mcp.ClientSession {
	t.Helper()
	ct, st := mcp.NewInMemoryTransports()
	if _, err := server.Connect(t.Context(), st, nil); err != nil {
		t.Fatal(err)
	}
	return session(t, ct)
}

func session(t *testing.T, transport mcp.Transport) *mcp.ClientSession {
	t.Helper()
	client := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "0"}, &mcp.ClientOptions{Capabilities: &mcp.ClientCapabilities{}})
	s, err := client.Connect(context.WithoutCancel(t.Context()), transport, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	return s
}

// ask calls a tool and returns its text, and whether it is an error.
func ask(t *testing.T, s *mcp.ClientSession, tool, args string) (string, bool) {
	t.Helper()
	r, err := s.CallTool(t.Context(), &mcp.CallToolParams{Name: tool, Arguments: json.RawMessage(args)})
	if err != nil {
		t.Fatalf("%s %s: %v", tool, args, err)
	}
	if len(r.Content) != 1 {
		t.Fatalf("%s %s: %d content items, want 1", tool, args, len(r.Content))
	}
	text := r.Content[0].(*mcp.TextContent).Text
	if !r.IsError {
		structured, _ := r.StructuredContent.(map[string]any)
		if len(structured) != 1 || structured["content"] != text {
			t.Errorf("%s %s: structuredContent %v does not repeat the text", tool, args, r.StructuredContent)
		}
	}
	return text, r.IsError
}

func open(t *testing.T, dir string) *mcp.ClientSession {
	t.Helper()
	server, err := New(dir)
	if err != nil {
		t.Fatal(err)
	}
	return connect(t, server)
}

func TestPathsInside(t *testing.T) {
	dir := fixture(t)
	s := open(t, dir)
	for _, path := range []string{"a.txt", "./sub/../a.txt", dir + "/a.txt", filepath.Base(dir) + "/../a.txt"} {
		args, _ := json.Marshal(map[string]string{"path": path})
		if got, bad := ask(t, s, "read_text_file", string(args)); bad || got != "one\ntwo\nthree\n" {
			t.Errorf("%s: %q, error %t", path, got, bad)
		}
	}
	if got, bad := ask(t, s, "read_text_file", `{"path":"absolute/y.go"}`); bad || got != "package deep\n" {
		t.Errorf("through an absolute link to inside: %q, error %t", got, bad)
	}
}

func TestNothingOutside(t *testing.T) {
	dir := fixture(t)
	s := open(t, dir)
	for _, path := range []string{
		"..", "../", "/", "/etc/hostname", "sub/../../x", "escape", "escdir", "escdir/hostname", "~root", "~",
		dir + "x", dir + "/../" + filepath.Base(dir) + "x", "a\x00b", "loop", "dangling", "nothing/here",
	} {
		args, _ := json.Marshal(map[string]string{"path": path, "pattern": "**"})
		for _, tool := range tools {
			if got, bad := ask(t, s, tool.name, string(args)); !bad {
				t.Errorf("%s of %q answered %q", tool.name, path, got)
			}
		}
	}
	got, _ := ask(t, s, "search_files", `{"path":".","pattern":"**/*"}`)
	if strings.Contains(got, "/escape") || strings.Contains(got, "/escdir") {
		t.Errorf("search lists links to outside:\n%s", got)
	}
}

func TestBadArguments(t *testing.T) {
	s := open(t, fixture(t))
	for _, c := range []struct{ tool, args, want string }{
		{"read_text_file", `{}`, `needs the argument "path"`},
		{"read_text_file", `{"path":7}`, `"path" of read_text_file must be a string`},
		{"read_text_file", `{"path":"a.txt","head":"3"}`, `must be a number of lines`},
		{"read_text_file", `{"path":"a.txt","head":1,"tail":1}`, `not both`},
		{"read_text_file", `{"path":"a.txt","tail":-1}`, `must not be negative`},
		{"read_text_file", `{"path":"sub"}`, `is a directory; list_directory`},
		{"read_text_file", `{"path":"nope.txt"}`, `no such file or directory: "nope.txt"`},
		{"list_directory", `{"path":"a.txt"}`, `is not a directory; read_text_file`},
		{"list_directory_with_sizes", `{"path":".","sortBy":"date"}`, `"name" or "size", not "date"`},
		{"search_files", `{"path":"."}`, `needs the argument "pattern"`},
		{"search_files", `{"path":".","pattern":"+(a"}`, `not closed`},
		{"search_files", `{"path":".","pattern":"{1..200}{1..200}"}`, `more than 256 alternatives`},
		{"directory_tree", `{"path":".","excludePatterns":"x"}`, `must be an array of strings`},
	} {
		if got, bad := ask(t, s, c.tool, c.args); !bad || !strings.Contains(got, c.want) {
			t.Errorf("%s %s: %q (error %t), want %q in it", c.tool, c.args, got, bad, c.want)
		}
	}
}

// A text comes as it is in the file, or not at all.
func TestTextsAreUnharmed(t *testing.T) {
	dir := fixture(t)
	s := open(t, dir)
	for text, tail := range map[string]string{"\ufeffé€😀\r\nb\rc\n": "b\rc\n", "": "", "a\r\nb\r\nc": "b\r\nc"} {
		if err := os.WriteFile(filepath.Join(dir, "t.txt"), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if got, bad := ask(t, s, "read_text_file", `{"path":"t.txt"}`); bad || got != text {
			t.Errorf("%q is read as %q", text, got)
		}
		if got, bad := ask(t, s, "read_text_file", `{"path":"t.txt","tail":2}`); bad || got != tail {
			t.Errorf("the end of %q is read as %q, want %q", text, got, tail)
		}
	}
	for _, text := range []string{"caf\xe9", "\xff\xfea\x00"} {
		if err := os.WriteFile(filepath.Join(dir, "t.txt"), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if got, bad := ask(t, s, "read_text_file", `{"path":"t.txt"}`); !bad || !strings.Contains(got, `"t.txt" is not UTF-8 text: byte `) || !strings.Contains(got, "convert the file to UTF-8") {
			t.Errorf("%q is read as %q", text, got)
		}
	}
}

func TestLargeFile(t *testing.T) {
	dir := fixture(t)
	if err := os.WriteFile(filepath.Join(dir, "huge.log"), []byte(strings.Repeat("0123456789\n", maxFileBytes/10)), 0o600); err != nil {
		t.Fatal(err)
	}
	s := open(t, dir)
	if got, bad := ask(t, s, "read_text_file", `{"path":"huge.log"}`); !bad || !strings.Contains(got, "head or tail") {
		t.Errorf("whole: %q", got[:min(200, len(got))])
	}
	if got, bad := ask(t, s, "read_text_file", `{"path":"huge.log","head":2}`); bad || got != "0123456789\n0123456789" {
		t.Errorf("head: %q", got)
	}
	if got, bad := ask(t, s, "read_text_file", `{"path":"huge.log","tail":2}`); bad || got != "0123456789\n" {
		t.Errorf("tail: %q", got)
	}
	if got, bad := ask(t, s, "read_text_file", `{"path":"huge.log","head":1e12}`); !bad || !strings.Contains(got, "ask for fewer") {
		t.Errorf("head without end: %q", got[:min(200, len(got))])
	}
}

func TestRootThatIsNone(t *testing.T) {
	file := filepath.Join(t.TempDir(), "f")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, dir := range []string{file, file + "x"} {
		if _, err := New(dir); err == nil || !strings.Contains(err.Error(), dir) {
			t.Errorf("New(%s): %v, want an error that names it", dir, err)
		}
	}
}
