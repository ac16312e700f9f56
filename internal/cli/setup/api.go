package setup

import (
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"os"
	"strings"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/internal/cli/command"
	"github.com/patchbay-mcp/patchbay/internal/cli/term"
	"github.com/patchbay-mcp/patchbay/internal/config"
	"github.com/patchbay-mcp/patchbay/internal/httpd"
	"github.com/patchbay-mcp/patchbay/internal/secrets"
	"github.com/patchbay-mcp/patchbay/internal/servers/apis"
	"github.com/patchbay-mcp/patchbay/internal/sys/lists"
	"github.com/patchbay-mcp/patchbay/mcpserver"
	"github.com/patchbay-mcp/patchbay/mcpserver/stdio"
)

// apiFlags are the flags of the commands that serve one API.
type apiFlags struct {
	headers []string // NAME: VALUE
	print   bool     // list the tools instead of serving them
	http    string   // the address to serve HTTP on, or "" for stdio
}

func (a *apiFlags) add(p *pflag.FlagSet) {
	p.StringArrayVarP(&a.headers, "header", "H", nil, "`HEADER` of every request, such as 'Authorization: Bearer ${TOKEN}' (repeatable)")
	p.StringVar(&a.http, "http", "", "serve streamable HTTP at /mcp on this loopback `ADDR` instead of stdio, such as 127.0.0.1:8080")
	p.BoolVar(&a.print, "print", false, "list the tools instead of serving them")
}

// headerMap reads the headers, and hides their values in all that is printed.
func (a *apiFlags) headerMap(f *command.Flags) (map[string]string, error) {
	headers := map[string]string{}
	var hidden []secrets.Secret
	for _, line := range a.headers {
		name, value, ok := strings.Cut(line, ":")
		if name = strings.TrimSpace(name); !ok || name == "" {
			return nil, command.Misuse("--header", fmt.Sprintf("%q is not a header", name), `write NAME: VALUE, such as -H 'Authorization: Bearer ${TOKEN}'`)
		}
		value, parts, err := config.Expand(strings.TrimSpace(value), name, os.LookupEnv)
		if err != nil {
			return nil, command.Misuse("--header", fmt.Sprintf("header %s: %v", name, err), "write ${VAR} or ${VAR:-default}; $${ is a literal ${")
		}
		headers[name] = value
		hidden = append(append(hidden, parts...), secrets.Named("header."+name, secrets.HeaderSecrets(name, value)...)...)
	}
	hide(f, hidden)
	return headers, nil
}

// hide masks more values in all that is printed.
func hide(f *command.Flags, more []secrets.Secret) {
	f.Secrets = append(f.Secrets, more...)
	f.Redactor.Store(secrets.NewRedactor(f.Secrets))
}

// noted shows what an API says of its tools.
func noted(cmd *cobra.Command) func(string) {
	return func(text string) { fmt.Fprintln(cmd.ErrOrStderr(), "patchbay: "+text) }
}

// An apiTool is a tool of an API as --print lists it.
type apiTool struct {
	Name         string          `json:"name"`
	Description  string          `json:"description"`
	ReadOnly     bool            `json:"readOnly"`
	InputSchema  json.RawMessage `json:"inputSchema"`
	OutputSchema json.RawMessage `json:"outputSchema,omitempty"`
	Request      string          `json:"request"` // what a call sends

	served apis.Served
}

func newAPITool(t *mcp.Tool, handler mcp.ToolHandler, request string) apiTool {
	input, _ := t.InputSchema.(json.RawMessage)
	output, _ := t.OutputSchema.(json.RawMessage)
	return apiTool{t.Name, t.Description, t.Annotations.ReadOnlyHint, input, output, request, apis.Served{Tool: t, Handler: handler}}
}

// serveAPI serves the tools of an API over standard input and output or HTTP, or lists them.
func serveAPI(f *command.Flags, cmd *cobra.Command, a *apiFlags, name string, tools []apiTool) error {
	server := mcp.NewServer(&mcp.Implementation{Name: name, Version: command.Version()}, nil)
	served := lists.Each(tools, func(t apiTool) apis.Served { return t.served })
	if err := apis.Publish(server, served, noted(cmd)); err != nil {
		return err
	}
	if a.print {
		return f.Print(cmd, command.Result{
			Value: map[string]any{"tools": tools},
			Names: func() []string {
				return lists.Each(tools, func(t apiTool) string { return t.Name })
			},
			Text: func(w *term.Page) {
				for _, t := range tools {
					fmt.Fprintln(w, w.Cut(t.Name+"  "+diag.OneLine(t.Description)))
					fmt.Fprintln(w, w.Cut("    "+t.Request))
				}
				fmt.Fprintf(w, "%s\n", term.Count(len(tools), "tool"))
			},
		})
	}
	f.LongRunning = true
	if a.http == "" {
		if fault := command.Refused(""); fault != nil {
			return fault
		}
	}
	if a.http != "" {
		return serveAlone(cmd, server, a.http)
	}
	return server.Run(cmd.Context(), stdio.New(cmd.InOrStdin(), term.Unmasked(cmd.OutOrStdout())))
}

// serveAlone serves an API on a loopback address until the command's context ends. To serve
// it to other machines is for patchbay serve, which knows tokens and certificates.
func serveAlone(cmd *cobra.Command, server *mcp.Server, addr string) error {
	l, err := httpd.Listen(addr, httpd.Exposure{})
	if err != nil {
		if fault, ok := errors.AsType[*diag.Fault](err); ok {
			fault.Hint = "use 127.0.0.1; to serve other machines, write the API in patchbay.yaml and use patchbay serve --http"
		}
		return err
	}
	h := &http.Server{Handler: mcpserver.Handler(server, mcpserver.HTTPOptions{Options: httpd.Options{Logger: slog.New(slog.DiscardHandler)}}), ReadHeaderTimeout: 10 * time.Second, IdleTimeout: 2 * time.Minute, MaxHeaderBytes: httpd.MaxHeader}
	over := make(chan error, 1)
	go func() { over <- h.Serve(l) }()
	fmt.Fprintf(cmd.ErrOrStderr(), "patchbay: serving http://%s/mcp\n", l.Addr())
	select {
	case err = <-over:
	case <-cmd.Context().Done():
	}
	return errors.Join(err, h.Close())
}

// apiFault is the fault of a source that cannot be used.
func apiFault(err error) error {
	return command.Misuse("", err.Error(), apiHint(err))
}

func apiHint(err error) string {
	if fault, ok := err.(*diag.Fault); ok { //nolint:errorlint // the hint is that of the message
		return fault.Hint
	}
	return ""
}

// apiName is the name of the server of an API, by its source.
func apiName(source string) string {
	if apis.IsURL(source) {
		rest := source[strings.Index(source, "://")+3:]
		host, _, _ := strings.Cut(rest, "/")
		return host[strings.LastIndexByte(host, '@')+1:]
	}
	return "api"
}
