package setup

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/graph"
	"github.com/patchbay-mcp/patchbay/internal/cli/command"
	"github.com/patchbay-mcp/patchbay/internal/cli/term"
	"github.com/patchbay-mcp/patchbay/internal/config"
	"github.com/patchbay-mcp/patchbay/internal/sys/files"
)

// A trustResult is the result of patchbay trust.
type trustResult struct {
	File    string   `json:"file"`
	Trusted bool     `json:"trusted"`
	Needs   []string `json:"needs"` // what needs trust, as it is written, one setting a line
}

// TrustCommand is patchbay trust.
func TrustCommand(f *command.Flags) *cobra.Command {
	var revoke, show bool
	c := &cobra.Command{
		Use: "trust [FILE]", Short: "Trust a patchbay.yaml or a graph document, so that its servers are started",
		Long: "Trust a file (default ./patchbay.yaml): Patchbay starts the servers that it defines from now on, and uses its other settings. A file with another name is trusted as a graph document: only its mcpServers count. The files in the folders workflows and hooks are trusted with the patchbay.yaml next to them, and so are the files in its folder that packs, openapi, graphql and search.synonyms name. " +
			"The command shows everything in the file that needs trust, as it is written. When one of these values or files changes, the file must be trusted again; comments, layout and limits that are lower than the default do not matter.",
		Example: "  patchbay trust\n  patchbay trust --show\n  patchbay trust --revoke",
		RunE: func(cmd *cobra.Command, args []string) error {
			path := config.FileName
			if len(args) > 0 {
				path = args[0]
			}
			out, err := trust(path, show, revoke)
			if err != nil {
				return err
			}
			return f.Print(cmd, command.Result{Value: out, Names: func() []string { return []string{out.File} }, Text: func(w *term.Page) {
				for _, line := range out.Needs {
					fmt.Fprintf(w, "  %s\n", line)
				}
				state := "not trusted"
				if out.Trusted {
					state = "trusted"
				}
				fmt.Fprintf(w, "%s is %s\n", diag.Visible(out.File), state)
			}})
		},
	}
	c.Flags().BoolVar(&show, "show", false, "show what needs trust and whether the file is trusted, and change nothing")
	c.Flags().BoolVar(&revoke, "revoke", false, "do not trust the file any more")
	c.MarkFlagsMutuallyExclusive("show", "revoke")
	return c
}

func trust(path string, show, revoke bool) (*trustResult, error) {
	text, err := files.ReadText(path, graph.MaxBytes)
	if err != nil {
		f := command.Unreadable(path, err)
		if errors.Is(err, os.ErrNotExist) && filepath.Base(path) == config.FileName {
			f.Hint = "run it in the folder of the file; patchbay init writes one"
		}
		return nil, f
	}
	full, err := filepath.Abs(path)
	if err != nil {
		return nil, err
	}
	role, o := config.AsConfiguration, config.Options{File: path, Text: &text}
	if filepath.Base(path) != config.FileName { // no other name is looked for
		role, o = config.AsDocument, config.Options{Servers: []string{path}, Standalone: true}
	}
	// The file does not say what of it is masked here: everything is shown as it is written.
	if _, _, err := config.Load(o); err != nil {
		return nil, err
	}
	store := command.OwnTrust()
	switch {
	case show:
	case revoke:
		err = store.Remove(full)
	default:
		err = store.Add(role, full, text)
	}
	if err != nil {
		return nil, config.NotStored(err)
	}
	return &trustResult{File: path, Trusted: store.Has(role, full, text), Needs: store.Needs(role, full, text)}, nil
}

// trustMade trusts the patchbay.yaml that patchbay init has written.
func trustMade(path string) error {
	text, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	full, err := filepath.Abs(path)
	if err != nil {
		return err
	}
	return command.OwnTrust().Carry(full, "", string(text))
}
