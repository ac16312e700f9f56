package cli

import (
	"fmt"
	"runtime/debug"

	"github.com/spf13/cobra"
)

// release is set when a release is built.
var release = "0.1.0-dev"

func version() string { return release }

func versionCommand(f *flags) *cobra.Command {
	return &cobra.Command{
		Use: "version", Short: "Print the version", Example: "  patchbay version -o json", Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			v := struct {
				Version  string `json:"version"`
				Go       string `json:"go"`
				Revision string `json:"revision,omitempty"`
			}{Version: version()}
			if info, ok := debug.ReadBuildInfo(); ok {
				v.Go = info.GoVersion
				for _, s := range info.Settings {
					if s.Key == "vcs.revision" {
						v.Revision = s.Value
					}
				}
			}
			return f.print(cmd, result{value: v, text: func(w *page) { fmt.Fprintf(w, "patchbay %s (%s)\n", v.Version, v.Go) }})
		},
	}
}
