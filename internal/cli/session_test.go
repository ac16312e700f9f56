package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strings"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// session is an MCP client: session REQUESTS COMMAND… over stdio, or session
// REQUESTS URL over HTTP. A request is a line:
//
//	server             what initialize answered
//	tools              the names of the tools
//	call NAME [JSON]   the reply's text, led by "failed:" for isError
//	structured NAME [JSON]   the reply's structuredContent
//	changed            waits for tools/list_changed
//	read URI           a resource
//	save URI FILE      writes a resource to a file
//	prompt NAME JSON   a prompt
//
// "$draft" stands for the last draft handle in a reply.
func session() {
	if err := converse(context.Background(), os.Args[1], os.Args[2:]); err != nil {
		fmt.Fprintln(os.Stderr, "session:", err)
		os.Exit(1)
	}
}

type conversation struct {
	*mcp.ClientSession
	changed chan struct{}
	draft   string
}

func converse(ctx context.Context, file string, to []string) error {
	ctx, cancel := context.WithTimeout(ctx, 5*time.Minute)
	defer cancel()
	requests, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	c := &conversation{changed: make(chan struct{}, 100)}
	client := mcp.NewClient(&mcp.Implementation{Name: "session", Version: "1"}, &mcp.ClientOptions{
		ToolListChangedHandler: func(context.Context, *mcp.ToolListChangedRequest) { c.changed <- struct{}{} },
	})
	var transport mcp.Transport
	if strings.HasPrefix(to[0], "http") {
		transport = &mcp.StreamableClientTransport{Endpoint: to[0]}
	} else {
		cmd := exec.CommandContext(ctx, to[0], to[1:]...)
		cmd.Stderr = os.Stderr
		transport = &mcp.CommandTransport{Command: cmd}
	}
	if c.ClientSession, err = client.Connect(ctx, transport, nil); err != nil {
		return err
	}
	for line := range strings.Lines(string(requests)) {
		if line = strings.TrimSpace(line); line == "" || line[0] == '#' {
			continue
		}
		fmt.Println(">", line)
		if err := c.request(ctx, strings.ReplaceAll(line, "$draft", c.draft)); err != nil {
			return fmt.Errorf("%s: %w", line, err)
		}
	}
	return c.Close()
}

func (c *conversation) request(ctx context.Context, line string) error {
	verb, rest, _ := strings.Cut(line, " ")
	name, args, _ := strings.Cut(rest, " ")
	switch verb {
	case "server":
		r := c.InitializeResult()
		fmt.Printf("%s %s %q: %s\n", r.ServerInfo.Name, r.ServerInfo.Version, r.ServerInfo.Title, r.Instructions)
	case "tools":
		r, err := c.ListTools(ctx, nil)
		if err != nil {
			return err
		}
		var names []string
		for _, t := range r.Tools {
			names = append(names, t.Name)
		}
		slices.Sort(names)
		fmt.Println(strings.Join(names, " "))
	case "call", "structured":
		return c.call(ctx, verb, name, args)
	case "changed":
		select {
		case <-c.changed:
		case <-ctx.Done():
			return errors.New("tools/list_changed did not come")
		}
	case "read":
		r, err := c.ReadResource(ctx, &mcp.ReadResourceParams{URI: name})
		if err != nil {
			return err
		}
		fmt.Println(r.Contents[0].Text)
	case "save":
		r, err := c.ReadResource(ctx, &mcp.ReadResourceParams{URI: name})
		if err != nil {
			return err
		}
		return os.WriteFile(args, []byte(r.Contents[0].Text), 0o600)
	case "prompt":
		given := map[string]string{}
		if err := json.Unmarshal([]byte(args), &given); err != nil {
			return err
		}
		r, err := c.GetPrompt(ctx, &mcp.GetPromptParams{Name: name, Arguments: given})
		if err != nil {
			return err
		}
		text, _ := r.Messages[0].Content.(*mcp.TextContent)
		fmt.Println(text.Text)
	default:
		return errors.New("not a request")
	}
	return nil
}

// call calls a tool, again as long as a server is starting, which takes a loaded
// machine longer than the product waits for it.
func (c *conversation) call(ctx context.Context, verb, name, args string) error {
	if args == "" {
		args = "{}"
	}
	var r *mcp.CallToolResult
	var text *mcp.TextContent
	for text == nil || strings.Contains(text.Text, `"code":"server-starting"`) {
		var err error
		if r, err = c.CallTool(ctx, &mcp.CallToolParams{Name: name, Arguments: json.RawMessage(args)}); err != nil {
			return err
		}
		text = r.Content[0].(*mcp.TextContent)
	}
	if r.IsError {
		fmt.Print("failed: ")
	}
	if _, after, ok := strings.Cut(text.Text, `"draft":"`); ok {
		c.draft, _, _ = strings.Cut(after, `"`)
	}
	if verb == "call" {
		fmt.Println(text.Text)
		return nil
	}
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(r.StructuredContent); err != nil {
		return err
	}
	fmt.Print(b.String())
	return nil
}
