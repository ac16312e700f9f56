package workspace

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// npmServer starts the npm filesystem server on dir, or skips the test.
func npmServer(t *testing.T, dir string) *mcp.ClientSession {
	t.Helper()
	if _, err := exec.LookPath("node"); err != nil {
		t.Skip("node is not installed")
	}
	script, err := filepath.Abs("../../../testdata/npm/node_modules/@modelcontextprotocol/server-filesystem/dist/index.js")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(script); err != nil {
		t.Skip("the npm servers are not installed: run npm ci in testdata/npm")
	}
	cmd := exec.CommandContext(t.Context(), "node", script, dir)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "TZ=UTC")
	return session(t, &mcp.CommandTransport{Command: cmd})
}

// accessed is when a file was last read, which asking changes.
var accessed = regexp.MustCompile(`(?m)^accessed: .*`)

// TestSameAsNPM asks both servers the same and wants the same answers, so that
// a graph written for one runs on the other.
func TestSameAsNPM(t *testing.T) {
	dir := fixture(t)
	// Sizes of what links to outside point at are theirs alone to tell.
	for _, link := range []string{"escape", "escdir"} {
		if err := os.Remove(filepath.Join(dir, link)); err != nil {
			t.Fatal(err)
		}
	}
	theirs, ours := npmServer(t, dir), open(t, dir)
	var asked [][2]string
	for _, path := range []string{".", dir, "sub", dir + "/sub/", "absolute", "void"} {
		for _, tool := range []string{"list_directory", "list_directory_with_sizes", "get_file_info"} {
			asked = append(asked, [2]string{tool, object("path", path)})
		}
		asked = append(asked, [2]string{"list_directory_with_sizes", object("path", path, "sortBy", "size")})
	}
	// The npm server takes the paths of a tree from the argument as written, so
	// relative ones are compared only where that makes no difference.
	for _, exclude := range [][]string{{}, {"node_modules"}, {"*.go"}, {"**/*.go"}, {"deep"}, {"sub/deep"}, {"*.txt", "vendor"}, {"{a,B}.txt"}, {"nothing"}} {
		asked = append(asked, [2]string{"directory_tree", object("path", dir, "excludePatterns", exclude)})
	}
	for _, pattern := range []string{
		"*", "**", "**/*", "*.go", "**/*.go", "sub/*", "sub/**", "sub/**/*.go", "?.txt", "[aB].txt", "[!a].txt", "[^a]*", "*.{go,md}", "{1..10}.log",
		"**/deep/*", "a.txt", "nothing", "**/.*", "!*.go", "@(a|B).txt", "+([0-9]).log", "?(x)9.log", "*(1|0).log", "#x", "", "naïve*", "sub", "*/", "[", "{a", "{a.txt}", "\\a.txt", "[[:digit:]]*", "**.go", "sub/**/**/y.go", "a**",
	} {
		asked = append(asked, [2]string{"search_files", object("path", dir, "pattern", pattern)})
	}
	for _, exclude := range [][]string{{"sub"}, {"**/*.go"}, {"sub/**"}, {"*"}} {
		asked = append(asked, [2]string{"search_files", object("path", dir, "pattern", "**/*", "excludePatterns", exclude)})
	}
	for _, path := range []string{"a.txt", "B.txt", "crlf.txt", "empty.txt", "bad.bin", "naïve name.md", "inner", "sub/deep/data.json", ".hidden"} {
		asked = append(asked, [2]string{"get_file_info", object("path", path)}, [2]string{"read_text_file", object("path", path)})
		for _, n := range []float64{0, 1, 2, 3, 4, 100, 1.5} {
			asked = append(asked, [2]string{"read_text_file", object("path", path, "head", n)})
			if n == float64(int(n)) {
				asked = append(asked, [2]string{"read_text_file", object("path", path, "tail", n)})
			}
		}
	}
	asked = append(asked, [2]string{"read_text_file", object("path", "big.txt", "tail", 500)}, [2]string{"read_text_file", object("path", "big.txt", "head", 500)})

	for _, q := range asked {
		want, wantBad := ask(t, theirs, q[0], q[1])
		got, bad := ask(t, ours, q[0], q[1])
		want, got = accessed.ReplaceAllString(want, ""), accessed.ReplaceAllString(got, "")
		switch { // what the npm server changes in a text
		case q[0] == "read_text_file" && strings.Contains(want, "\ufffd"):
			if !bad || !strings.Contains(got, `"bad.bin" is not UTF-8 text: byte`) {
				t.Errorf("%s %s: %q", q[0], q[1], got)
			}
			continue
		case strings.Contains(q[1], `"tail"`):
			want, got = strings.ReplaceAll(want, "\r\n", "\n"), strings.ReplaceAll(got, "\r\n", "\n")
		}
		if bad != wantBad || !bad && got != want {
			t.Errorf("%s %s: error %t, theirs %t\n%s", q[0], q[1], bad, wantBad, cmp.Diff(want, got))
		}
	}
}

// TestSameTools compares what a graph's checker sees: names, arguments with
// their types, what is required, results and annotations.
func TestSameTools(t *testing.T) {
	dir := fixture(t)
	theirs, ours := toolShapes(t, npmServer(t, dir)), toolShapes(t, open(t, dir))
	for name, shape := range ours {
		if diff := cmp.Diff(theirs[name], shape); diff != "" {
			t.Errorf("%s (-npm +ours):\n%s", name, diff)
		}
	}
}

func toolShapes(t *testing.T, s *mcp.ClientSession) map[string]any {
	t.Helper()
	list, err := s.ListTools(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	shapes := map[string]any{}
	for _, tool := range list.Tools {
		in, _ := tool.InputSchema.(map[string]any)
		out, _ := tool.OutputSchema.(map[string]any)
		args := map[string]any{}
		properties, _ := in["properties"].(map[string]any)
		for name, p := range properties {
			p := p.(map[string]any)
			args[name] = []any{p["type"], p["enum"], p["default"], p["items"]}
		}
		required, _ := in["required"].([]any)
		names := make([]string, len(required))
		for i, r := range required {
			names[i], _ = r.(string)
		}
		slices.Sort(names)
		shapes[tool.Name] = map[string]any{"args": args, "required": names, "out": out["required"], "readOnly": tool.Annotations.ReadOnlyHint, "openWorld": *tool.Annotations.OpenWorldHint}
	}
	return shapes
}

func object(pairs ...any) string {
	m := map[string]any{}
	for i := 0; i < len(pairs); i += 2 {
		m[pairs[i].(string)] = pairs[i+1]
	}
	b, err := json.Marshal(m)
	if err != nil {
		panic(err)
	}
	return string(b)
}
