// Package workspace is the MCP server that Patchbay carries with it: read-only
// file tools confined to one folder, so that a first graph runs without
// anything installed. Tool names, arguments and results are those of the npm
// package @modelcontextprotocol/server-filesystem; a graph written for one runs
// on the other.
//
// It knows nothing of graphs or catalogs and imports nothing of ours.
package workspace

import (
	"context"
	"encoding/json"
	"fmt"
	"unicode/utf8"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// Bounds on one reply. Larger answers are refused with the bound named, rather
// than cut silently.
const (
	maxFileBytes   = 10 << 20 // of text read from one file
	maxListEntries = 100_000  // of one directory
	maxTreeEntries = 50_000   // of one tree
	maxTreeDepth   = 200      // directories below the first
	maxVisited     = 500_000  // entries looked at by one search
	maxMatches     = 20_000   // of one search
)

// args are the arguments of every tool; each tool's schema says which it takes.
type args struct {
	Path            string   `json:"path"`
	Head            float64  `json:"head"`
	Tail            float64  `json:"tail"`
	SortBy          string   `json:"sortBy"`
	Pattern         string   `json:"pattern"`
	ExcludePatterns []string `json:"excludePatterns"`
}

type tool struct {
	name, title, description string
	properties               string // JSON members of the input schema other than path
	required                 []string
	run                      func(*folder, context.Context, args) (string, error)
}

var tools = []tool{
	{
		name: "read_text_file", title: "Read text file",
		description: "Reads a text file and returns its contents. Give head to get only the first lines, or tail to get only the last lines, of a long file.",
		properties: `,"head":{"type":"number","description":"how many lines to return from the start of the file"}` +
			`,"tail":{"type":"number","description":"how many lines to return from the end of the file"}`,
		run: (*folder).readText,
	},
	{
		name: "list_directory", title: "List directory",
		description: "Lists the files and directories directly in a directory, one a line, sorted by name: [FILE] name or [DIR] name.",
		run:         (*folder).list,
	},
	{
		name: "list_directory_with_sizes", title: "List directory with sizes",
		description: "Lists the files and directories directly in a directory with the size of each file, then how many there are and their combined size.",
		properties:  `,"sortBy":{"type":"string","enum":["name","size"],"default":"name","description":"order of the entries: by name, or the largest first"}`,
		run:         (*folder).listSizes,
	},
	{
		name: "directory_tree", title: "Directory tree",
		description: "Returns a directory and everything below it as JSON text: an array of {name, type: file or directory, children}, where only directories have children.",
		properties:  `,"excludePatterns":{"type":"array","items":{"type":"string"},"default":[],"description":"glob patterns, or plain names, of what to leave out"}`,
		run:         (*folder).tree,
	},
	{
		name: "search_files", title: "Search files",
		description: "Finds files and directories by glob pattern, at any depth, and returns their full paths, one a line. Patterns match the path below the directory searched: *.go finds only direct children, **/*.go finds at every depth.",
		properties: `,"pattern":{"type":"string","description":"glob pattern, such as **/*.go"}` +
			`,"excludePatterns":{"type":"array","items":{"type":"string"},"default":[],"description":"glob patterns of paths to leave out"}`,
		required: []string{"pattern"},
		run:      (*folder).search,
	},
	{
		name: "get_file_info", title: "Get file info",
		description: "Returns the metadata of a file or directory, one \"name: value\" a line: size in bytes, created, modified, accessed, isDirectory, isFile, permissions.",
		run:         (*folder).info,
	},
}

const outputSchema = `{"type":"object","properties":{"content":{"type":"string","description":"the text of the reply"}},"required":["content"],"additionalProperties":false}`

// New returns an MCP server whose tools read the folder root and nothing
// outside it, following symbolic links only where they lead to inside. Relative
// paths are relative to root; absolute ones must lie in it. It fails when root
// is not a readable directory.
func New(root string) (*mcp.Server, error) {
	f, err := openFolder(root)
	if err != nil {
		return nil, err
	}
	s := mcp.NewServer(&mcp.Implementation{Name: "workspace", Title: "Workspace files", Version: "1.0.0"}, &mcp.ServerOptions{
		Instructions: "Read-only access to the files of one folder. Paths are relative to it, or absolute and inside it.",
	})
	closedWorld := false
	for _, t := range tools {
		required, err := json.Marshal(append([]string{"path"}, t.required...))
		if err != nil {
			return nil, err
		}
		input := `{"type":"object","properties":{"path":{"type":"string","description":"path of the file or directory, relative to the workspace or absolute; . is the workspace itself"}` +
			t.properties + `},"required":` + string(required) + `}`
		s.AddTool(&mcp.Tool{
			Name: t.name, Title: t.title, Description: t.description,
			InputSchema:  json.RawMessage(input),
			OutputSchema: json.RawMessage(outputSchema),
			Annotations:  &mcp.ToolAnnotations{ReadOnlyHint: true, OpenWorldHint: &closedWorld},
		}, func(ctx context.Context, r *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			return t.call(ctx, f, r.Params.Arguments), nil
		})
	}
	return s, nil
}

// call answers one request. A panic is a failed reply, not the end of the
// process that this server shares.
func (t *tool) call(ctx context.Context, f *folder, raw json.RawMessage) (res *mcp.CallToolResult) {
	defer func() {
		if p := recover(); p != nil {
			res = failure(fmt.Errorf("%s failed unexpectedly: %v", t.name, p))
		}
	}()
	a, err := t.decode(raw)
	if err != nil {
		return failure(err)
	}
	text, err := t.run(f, ctx, a)
	if err != nil {
		return failure(err)
	}
	if !utf8.ValidString(text) {
		text = string([]rune(text)) // U+FFFD for each byte that is not UTF-8
	}
	return &mcp.CallToolResult{
		Content:           []mcp.Content{&mcp.TextContent{Text: text}},
		StructuredContent: map[string]string{"content": text},
	}
}

func failure(err error) *mcp.CallToolResult {
	return &mcp.CallToolResult{IsError: true, Content: []mcp.Content{&mcp.TextContent{Text: err.Error()}}}
}

// decode reads the arguments, saying which one is wrong and what it should be.
func (t *tool) decode(raw json.RawMessage) (args, error) {
	var a args
	var given map[string]json.RawMessage
	if len(raw) > 0 {
		if err := json.Unmarshal(raw, &given); err != nil {
			return a, fmt.Errorf("the arguments of %s must be a JSON object", t.name)
		}
	}
	for _, name := range append([]string{"path"}, t.required...) {
		if v, ok := given[name]; !ok || string(v) == "null" {
			return a, fmt.Errorf("%s needs the argument %q, a string", t.name, name)
		}
	}
	for _, field := range []struct {
		name, want string
		into       any
	}{
		{"path", "a string", &a.Path},
		{"head", "a number of lines", &a.Head},
		{"tail", "a number of lines", &a.Tail},
		{"sortBy", `"name" or "size"`, &a.SortBy},
		{"pattern", "a string", &a.Pattern},
		{"excludePatterns", "an array of strings", &a.ExcludePatterns},
	} {
		v, ok := given[field.name]
		if !ok {
			continue
		}
		if err := json.Unmarshal(v, field.into); err != nil {
			return a, fmt.Errorf("the argument %q of %s must be %s", field.name, t.name, field.want)
		}
	}
	switch {
	case a.Head < 0 || a.Tail < 0:
		return a, fmt.Errorf("head and tail of %s must not be negative", t.name)
	case a.SortBy != "" && a.SortBy != "name" && a.SortBy != "size":
		return a, fmt.Errorf("the argument \"sortBy\" of %s must be \"name\" or \"size\", not %q", t.name, a.SortBy)
	}
	return a, nil
}
