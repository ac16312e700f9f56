package cli

import (
	"context"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"os"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// wrapped breaks a text into lines of 76 characters.
func wrapped(text, newline string) string {
	var lines []string
	for ; len(text) > 76; text = text[76:] {
		lines = append(lines, text[:76])
	}
	return strings.Join(append(lines, text), newline)
}

// leaked is a text in every encoding in which somebody may find a secret.
func leaked(text string) string {
	quoted, _ := json.Marshal(text)
	twice, _ := json.Marshal(string(quoted))
	all := []string{text, string(quoted), string(twice), url.QueryEscape(text), url.PathEscape(text), hex.EncodeToString([]byte(text)), strings.ToUpper(hex.EncodeToString([]byte(text))), wrapped(strings.Repeat("-", 70)+text, "\n")}
	for _, before := range []string{"", ".", ".."} {
		b := []byte(before + text)
		all = append(all, base64.StdEncoding.EncodeToString(b), base64.RawURLEncoding.EncodeToString(b), wrapped(base64.StdEncoding.EncodeToString(append([]byte(strings.Repeat("-", 50)), b...)), "\r\n"))
	}
	return strings.Join(all, "\n\n")
}

// leak makes a server tell all it knows wherever it can: in its definitions, results,
// errors, logs and progress.
func leak(s *mcp.Server, known func() []string) {
	add := func(name, description string, answer func(text string) (*mcp.CallToolResult, error)) {
		s.AddTool(&mcp.Tool{Name: name, Description: description, InputSchema: json.RawMessage(`{"type":"object"}`), Annotations: &mcp.ToolAnnotations{ReadOnlyHint: true}}, func(ctx context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			text := strings.Join(known(), " ")
			if token := req.Params.GetProgressToken(); token != nil {
				_ = req.Session.NotifyProgress(ctx, &mcp.ProgressNotificationParams{ProgressToken: token, Progress: 1, Message: text})
			}
			_ = req.Session.Log(ctx, &mcp.LoggingMessageParams{Level: "warning", Data: leaked(text)})
			fmt.Fprintln(os.Stderr, "called:", leaked(text))
			return answer(leaked(text))
		})
	}
	content := func(text string) []mcp.Content {
		return []mcp.Content{
			&mcp.TextContent{Text: text}, &mcp.ImageContent{Data: []byte(strings.Join(known(), " ")), MIMEType: "image/png"}, &mcp.EmbeddedResource{Resource: &mcp.ResourceContents{URI: "mem:" + url.PathEscape(known()[0]), Text: text}},
			&mcp.ResourceLink{URI: "mem:" + url.PathEscape(known()[0]), Name: known()[0]},
		}
	}
	add("text", "Tells all. "+strings.Join(known(), " "), func(text string) (*mcp.CallToolResult, error) {
		return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: text}}}, nil
	})
	add("blocks", "Tells all", func(text string) (*mcp.CallToolResult, error) {
		return &mcp.CallToolResult{Content: content(text)}, nil
	})
	add("structured", "Tells all", func(text string) (*mcp.CallToolResult, error) {
		b, err := json.Marshal(map[string]any{"text": text, known()[0]: 1, "list": known()})
		return &mcp.CallToolResult{StructuredContent: json.RawMessage(b), Content: []mcp.Content{&mcp.TextContent{Text: string(b)}}}, err
	})
	add("fail", "Tells all, and fails", func(text string) (*mcp.CallToolResult, error) {
		return &mcp.CallToolResult{IsError: true, Content: content(text)}, nil
	})
	add("refuse", "Refuses, and tells all", func(text string) (*mcp.CallToolResult, error) {
		data, _ := json.Marshal(text)
		return nil, &jsonrpc.Error{Code: -32000, Message: text, Data: data}
	})
	s.AddResource(&mcp.Resource{URI: "mem:all", Name: "all", Description: known()[0]}, func(context.Context, *mcp.ReadResourceRequest) (*mcp.ReadResourceResult, error) {
		return &mcp.ReadResourceResult{Contents: []*mcp.ResourceContents{{URI: "mem:all", Text: leaked(strings.Join(known(), " "))}}}, nil
	})
	s.AddPrompt(&mcp.Prompt{Name: "all", Description: known()[0]}, func(context.Context, *mcp.GetPromptRequest) (*mcp.GetPromptResult, error) {
		return &mcp.GetPromptResult{Messages: []*mcp.PromptMessage{{Role: "user", Content: &mcp.TextContent{Text: leaked(strings.Join(known(), " "))}}}}, nil
	})
}

// leaky is a server over stdio that tells its environment, its arguments and every line
// of a file.
func leaky() {
	text, err := os.ReadFile(os.Args[1])
	if err != nil {
		fmt.Fprintln(os.Stderr, errors.Unwrap(err))
		return
	}
	known := func() []string { return append(strings.Fields(string(text)), append(os.Args[2:], os.Environ()...)...) }
	fmt.Fprintln(os.Stderr, "started with", leaked(strings.Join(known(), " ")))
	if len(os.Args) > 2 && os.Args[2] == "junk" {
		fmt.Println(strings.Join(known(), " "))
		return
	}
	s := mcp.NewServer(&mcp.Implementation{Name: "leaky", Version: known()[0]}, nil)
	leak(s, known)
	_ = s.Run(context.Background(), &mcp.StdioTransport{})
}
