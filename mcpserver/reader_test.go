package mcpserver

import (
	"encoding/json"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/patchbay-mcp/patchbay/internal/app"
	"github.com/patchbay-mcp/patchbay/internal/discover"
	"github.com/patchbay-mcp/patchbay/internal/discover/idioms"
	"github.com/patchbay-mcp/patchbay/internal/policy/access"
	"github.com/patchbay-mcp/patchbay/internal/tests/testenv"
)

// ownTool finds the tools of the product in a text, and none of another server.
var ownTool = func() *regexp.Regexp {
	var names []string
	for _, o := range app.Operations() {
		if name := o.Tool; strings.Contains(name, "_") {
			names = append(names, name)
		}
	}
	return regexp.MustCompile(`(?:^|[^\w/:.-])(` + strings.Join(names, "|") + `|evaluate \{)(?:\W|$)`)
}()

// A way is how a client has the server: by which names it calls the tools that it has, and
// how it asks.
type way struct {
	kind         string
	tools        []string // as the client names them
	instructions string
	ask          func(tool, args string) string
	listed       string // all of the list
}

// prefix is before the names of tools in clients with many servers.
const prefix = "mcp__patchbay__"

// tell reports what a text names that the client does not have.
func (s *way) tell(t *testing.T, what, text string) {
	t.Helper()
	text = strings.ReplaceAll(strings.ReplaceAll(text, `\"`, `"`), "\\n", "\n")
	for _, at := range ownTool.FindAllStringSubmatchIndex(text, -1) {
		if name := strings.TrimSuffix(text[at[2]:at[3]], " {"); !s.has(name) {
			t.Errorf("%s: %s names %s: …%s", s.kind, what, name, text[max(0, at[2]-100):min(len(text), at[3]+100)])
		}
	}
}

func (s *way) has(tool string) bool {
	return slices.Contains(s.tools, tool) || slices.Contains(s.tools, prefix+tool)
}

// everySession are the ways in which clients have the server: with all tools, by their names
// or by longer ones, with those for debugging, with saved graphs only, and with a token for a
// part of them.
func everySession(t *testing.T) (all []*way) {
	stdio := func(kind, prefix string, o options) {
		c := connect(t, o)
		s := &way{kind: kind, instructions: c.instructions, ask: func(tool, args string) string { return c.call(tool, args).Text }}
		for _, tool := range c.list() {
			s.tools = append(s.tools, prefix+tool.Name)
		}
		s.listed = string(c.request("tools/list", map[string]any{}).Result)
		all = append(all, s)
	}
	stdio("the list", "", options{})
	stdio("longer names", prefix, options{})
	stdio("with the tools for debugging", "", options{debug: true})
	stdio("saved graphs only", "", options{toolsOnly: true, documents: []string{document}})
	g := serveTeam(t, options{})
	for _, version := range []string{"2025-11-25", "2026-07-28"} {
		for _, scopes := range [][]string{{access.Read}, {access.Run}, {access.Write}, {access.Read, access.Run}, {access.Read, access.Write}} {
			kind := tokenFor(scopes, version)
			c := g.connect(t, g.token(t, kind, access.Rights{Scopes: scopes}), version)
			s := &way{kind: kind, tools: toolNames(t, c), instructions: c.InitializeResult().Instructions, ask: func(tool, args string) string { return answerTo(t.Context(), c, tool, args) }}
			list, err := c.ListTools(t.Context(), nil)
			if err != nil {
				t.Fatal(err)
			}
			listed, _ := json.Marshal(list)
			s.listed = string(listed)
			if r, err := c.ReadResource(t.Context(), &mcp.ReadResourceParams{URI: guideURI}); err == nil {
				s.tell(t, "the guide", r.Contents[0].Text)
			}
			if p, err := c.GetPrompt(t.Context(), &mcp.GetPromptParams{Name: authorPrompt, Arguments: map[string]string{"task": "x"}}); err == nil {
				s.tell(t, "the prompt", p.Messages[0].Content.(*mcp.TextContent).Text)
			}
			all = append(all, s)
		}
	}
	return all
}

func tokenFor(scopes []string, version string) string {
	return strings.ReplaceAll(strings.Join(scopes, "-"), ":", "-") + "-" + version
}

// Every tool that a client reads of is one that it can call: in the instructions, the list of
// tools, the guide, the replies, and each hint that the program has.
func TestEveryNamedToolCanBeCalled(t *testing.T) {
	graphs, err := filepath.Glob("../testdata/err/*.yaml")
	if err != nil || len(graphs) < 100 {
		t.Fatal(len(graphs), err)
	}
	broken := strings.Replace(orderGraph, `"next":"exit"`, `"next":"elsewhere"`, 1)
	asked := [][2]string{
		{"validate_graph", `{"graph":` + broken + `}`},
		{"get_node_details", `{"nodes":["mcp:shop/order","transform"],"detail":"full"}`},
		{"get_node_details", `{"nodes":["mcp:shop/nothing","graph:x"]}`},
		{"search_nodes", `{"query":"how do I loop","type_filter":"idiom"}`},
		{"search_nodes", `{"query":"zzz qqq"}`},
		{"get_node_types", `{}`},
		{"run_graph", `{"graph":` + one("refuse", `{"why":"late"}`) + `}`},
		{"run_graph", `{"graph":` + one("wait", "{}") + `,"background":true}`},
		{"run_graph", `{"graph":` + one("large", "{}") + `}`},
		{"run_graph", `{"graph":` + broken + `}`},
		{"run_graph", `{"name":"nothing"}`},
		{"run_node", `{"id":"mcp:shop/large"}`},
		{"run_node", `{"id":"transform"}`},
		{"run_node", `{"id":"idiom:loop"}`},
		{"get_run", `{"run_id":"run_00000000000000000000000000"}`},
		{"get_run", `{}`},
		{"resume_run", `{"run_id":"x"}`},
		{"save_graph", `{"graph":` + orderGraph + `}`},
		{"save_graph", `{"graph":` + broken + `}`},
		{"save_graph", `{"last":3}`},
		{"edit_graph", `{"graph":` + orderGraph + `,"ops":[{"op":"remove_node","id":"nothing"}]}`},
		{"edit_graph", `{"graph":{},"ops":[{"op":"remove_node","id":"x"}]}`},
		{"edit_graph", `{"scaffold":["mcp:shop/order","mcp:shop/order"]}`},
		{"get_graph", `{"name":"nothing"}`},
		{"delete_graph", `{"name":"order"}`},
		{"evaluate", `{"expression":"(","run_id":"x"}`},
	}
	for _, s := range discover.Guide().Sections() {
		asked = append(asked, [2]string{"get_node_details", `{"nodes":["idiom:` + idioms.GuideName + "/" + s.Name + `"]}`})
	}
	for _, file := range graphs {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if args, _ := json.Marshal(map[string]string{"graph": string(text)}); !ownTool.Match(text) {
			asked = append(asked, [2]string{"validate_graph", string(args)})
		}
	}
	files := tokenFor([]string{access.Read}, "2025-11-25")
	hints := slices.Sorted(maps.Values(testenv.Hints(t, "..")))
	for _, s := range everySession(t) {
		s.tell(t, "initialize", s.instructions)
		s.tell(t, "tools/list", s.listed)
		if strings.Contains(s.listed, noTool) {
			t.Errorf("%s: a description of the list is empty: %s", s.kind, s.listed)
		}
		for _, q := range asked {
			if s.has(q[0]) && (!strings.Contains(q[1], "\\n") || s.kind == files) { // those of files once are enough
				s.tell(t, q[0]+" "+q[1], s.ask(q[0], q[1]))
			}
		}
		var r reader
		for _, o := range app.Operations() {
			if o.Tool != "" && !s.has(o.Tool) {
				r = append(r, o.Tool)
			}
		}
		for _, hint := range hints {
			if r.text(hint) == "" {
				t.Errorf("%s: nothing is left of %q", s.kind, hint)
			}
			s.tell(t, "a hint", r.text(hint))
		}
	}
}

// What a reader cannot do is left out of a message, and the rest is whole.
func TestMessagesOfReaders(t *testing.T) {
	r := reader{"run_graph", "get_run", "resume_run", "evaluate"}
	for message, want := range map[string]string{
		`get_run {"run_id": "a; b"} shows it; cancel_run {"run_id": "a"} cancels it`: `cancel_run {"run_id": "a"} cancels it`,
		"give a literal; run_graph and save_graph refuse it":                         "give a literal",
		"get_run shows it":                                  noTool,
		"evaluate it; mcp:box/get_run does":                 "evaluate it; mcp:box/get_run does",
		`look; evaluate {"expression": {"a": {}}} computes`: "look",
		"Call get_run. Or look.":                            "Or look.",
		"1. search_nodes.\n2. `run_graph {x}`. It runs.\n3. save_graph saves it.\n": "1. search_nodes.\n3. save_graph saves it.\n",
	} {
		if got := r.text(message); got != want {
			t.Errorf("%s\n got %q\nwant %q", message, got, want)
		}
	}
	reply := `{"hint":"get_run shows it","result":{"hint":"get_run shows it"},"errors":[{"hint":"a; run_graph runs"}],"nodes":[{"node_type":"mcp","description":"as get_run does"},{"node_type":"idiom","description":"Do it. Call get_run."}],"n":1e400}`
	want := `{"hint":"` + noTool + `","result":{"hint":"get_run shows it"},"errors":[{"hint":"a"}],"nodes":[{"node_type":"mcp","description":"as get_run does"},{"node_type":"idiom","description":"Do it."}],"n":1e400}`
	if got := string(r.reply([]byte(reply))); got != want {
		t.Errorf("got %s\nwant %s", got, want)
	}
}

// Each hint of a result is said to its reader, wherever the result has it.
func TestHintsOfResultsAreFound(t *testing.T) {
	found := 0
	var look func(at string, typ reflect.Type, seen []reflect.Type)
	look = func(at string, typ reflect.Type, seen []reflect.Type) {
		for typ.Kind() == reflect.Pointer {
			typ = typ.Elem()
		}
		switch {
		case slices.Contains(seen, typ):
		case typ.Kind() == reflect.Slice && typ.Elem().Kind() != reflect.Uint8:
			look(at+"/0", typ.Elem(), seen)
		case typ.Kind() == reflect.Struct:
			for _, f := range reflect.VisibleFields(typ) {
				name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
				switch {
				case !f.IsExported() || f.Anonymous || name == "-" || name == "":
				case slices.Contains([]string{"Hint", "HowToCall", "Pattern"}, f.Name):
					found++
					if path := at + "/" + name; !hintAt.MatchString(path) {
						t.Errorf("%s: %s is not found", typ, path)
					}
				default:
					look(at+"/"+name, f.Type, append(slices.Clone(seen), typ))
				}
			}
		}
	}
	for _, o := range app.Operations() {
		if o.Tool != "" {
			look("", o.Result(), nil)
		}
	}
	if found < 20 {
		t.Errorf("only %d hints were found", found)
	}
}
