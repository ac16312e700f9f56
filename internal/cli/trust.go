package cli

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/graph"
	"github.com/patchbay-mcp/patchbay/internal/config"
	"github.com/patchbay-mcp/patchbay/internal/files"
)

// A trustResult is the result of patchbay trust.
type trustResult struct {
	File    string   `json:"file"`
	Trusted bool     `json:"trusted"`
	Servers []string `json:"servers"` // what is started or reached, one a line
}

func trustCommand(f *flags) *cobra.Command {
	var revoke, show bool
	c := &cobra.Command{
		Use: "trust [FILE]", Short: "Trust a patchbay.yaml or a graph document, so that its servers are started", Args: cobra.MaximumNArgs(1),
		Long: "Trust a file, ./patchbay.yaml unless another is named: the servers that it defines are started from now on, and its other settings are used. The command shows the servers. " +
			"When the servers or another setting that reaches something change, the file must be trusted again; comments, layout, limits and how runs are kept do not matter.",
		Example: "  patchbay trust\n  patchbay trust --show\n  patchbay trust --revoke",
		RunE: func(cmd *cobra.Command, args []string) error {
			path := config.FileName
			if len(args) > 0 {
				path = args[0]
			}
			out, err := f.trust(path, show, revoke)
			if err != nil {
				return err
			}
			return f.print(cmd, result{value: out, names: func() []string { return []string{out.File} }, text: func(w *page) {
				for _, line := range out.Servers {
					fmt.Fprintf(w, "  %s\n", line)
				}
				state := "not trusted"
				if out.Trusted {
					state = "trusted"
				}
				fmt.Fprintf(w, "%s is %s\n", out.File, state)
			}})
		},
	}
	c.Flags().BoolVar(&show, "show", false, "show the servers and whether the file is trusted, and change nothing")
	c.Flags().BoolVar(&revoke, "revoke", false, "do not trust the file any more")
	c.MarkFlagsMutuallyExclusive("show", "revoke")
	return c
}

func (f *flags) trust(path string, show, revoke bool) (*trustResult, error) {
	text, err := files.ReadText(path, graph.MaxBytes)
	if err != nil {
		return nil, fmt.Errorf("open %s: %w", path, err)
	}
	full, err := filepath.Abs(path)
	if err != nil {
		return nil, err
	}
	o := config.Options{File: path, Text: &text, Environ: os.LookupEnv}
	if definesGraph(text) {
		o = config.Options{Servers: []string{path}, Standalone: true, Environ: os.LookupEnv}
	}
	cfg, _, err := config.Load(o)
	f.redactor.Store(cfg.Redactor)
	if err != nil {
		return nil, err
	}
	out := &trustResult{File: path, Servers: []string{}}
	for _, s := range cfg.Servers {
		out.Servers = append(out.Servers, reached(s))
	}
	store := config.OpenTrust(os.LookupEnv)
	switch {
	case show:
	case revoke:
		err = store.Remove(full)
	default:
		err = store.Add(full, text)
	}
	if err != nil {
		return nil, &diag.Fault{Code: "not-trusted", Message: "the trust cannot be stored: " + err.Error()}
	}
	out.Trusted = store.Has(full, text)
	return out, nil
}

func definesGraph(text string) bool {
	doc, _ := graph.Parse("", text)
	return doc != nil && (doc.Root.Get("nodes").Exists() || doc.Root.Get("tools").Exists())
}

// reached is what a server starts or reaches.
func reached(s config.Server) string {
	if s.URL != "" {
		return s.Name + ": " + s.URL
	}
	var apis []string
	for _, o := range s.GraphQL {
		apis = append(apis, reachedAPI(o.Source, o.Endpoint))
	}
	for _, o := range s.OpenAPI {
		apis = append(apis, reachedAPI(o.Source, o.URL))
	}
	if len(apis) > 0 {
		return s.Name + ": " + strings.Join(apis, ", ")
	}
	command := append([]string{s.Command}, s.Args...)
	if s.Confine.Image != "" {
		command = append([]string{"image", s.Confine.Image}, command...)
	}
	return strings.TrimSpace(s.Name + ": " + strings.Join(command, " "))
}

// reachedAPI is what an API is described by, and where its requests go if that says it.
func reachedAPI(source, url string) string {
	source = diag.Cut(diag.OneLine(source), 200)
	if url == "" {
		return source
	}
	return source + " at " + url
}

// trustMade trusts the patchbay.yaml that patchbay init has written.
func trustMade(made []string) error {
	for _, path := range made {
		if filepath.Base(path) != config.FileName {
			continue
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		full, err := filepath.Abs(path)
		if err != nil {
			return err
		}
		store := config.OpenTrust(os.LookupEnv)
		if store.Has(full, string(text)) {
			continue
		}
		if err := store.Add(full, string(text)); err != nil {
			return err
		}
	}
	return nil
}

// looksOnly are the commands that look at a file and do not run it.
var looksOnly = []string{"validate", "edit", "export"}

// serversOf has the servers that files define, as the command needs them.
func (i *invocation) serversOf(names ...string) {
	if slices.Contains(looksOnly, i.operation.Command) {
		i.listServersOf(names...)
		return
	}
	i.withServersOf(names...)
}

// listServersOf has the servers of files that are only looked at: those of a trusted file
// are started, and with --connect those of any.
func (f *flags) listServersOf(names ...string) {
	store := config.OpenTrust(os.LookupEnv)
	for _, name := range names {
		text, err := files.ReadText(name, graph.MaxBytes)
		full, wrong := filepath.Abs(name)
		if err != nil || wrong != nil || f.connect || store.Has(full, text) || slices.Contains(f.graphs, name) {
			f.withServersOf(name)
			continue
		}
		if !slices.Contains(f.unstarted, name) {
			f.unstarted = append(f.unstarted, name)
		}
	}
}
