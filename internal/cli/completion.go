package cli

import (
	"fmt"
	"io"
	"maps"
	"slices"

	"github.com/spf13/cobra"

	"github.com/patchbay-mcp/patchbay/diag"
)

// shells are the shells for which there is a script, and what writes it.
var shells = map[string]func(root *cobra.Command, w io.Writer) error{
	"bash":       func(root *cobra.Command, w io.Writer) error { return root.GenBashCompletionV2(w, true) },
	"zsh":        (*cobra.Command).GenZshCompletion,
	"fish":       func(root *cobra.Command, w io.Writer) error { return root.GenFishCompletion(w, true) },
	"powershell": (*cobra.Command).GenPowerShellCompletionWithDesc,
}

// Shells lists the shells that `patchbay completion` has a script for.
func Shells() []string { return slices.Sorted(maps.Keys(shells)) }

func completionCommand() *cobra.Command {
	return &cobra.Command{
		Use: "completion bash|zsh|fish|powershell", Short: "Print a script that completes commands in your shell",
		Long: "Print a script that completes commands in your shell: commands, flags and their values, and the names of saved graphs, nodes, servers and runs. Names come from what is cached and stored; no server is started. " +
			"The packages install the scripts of bash, zsh and fish. For bash, the package bash-completion must be installed.",
		Example: "  source <(patchbay completion bash)\n" +
			"  patchbay completion zsh > \"${fpath[1]}/_patchbay\"\n" +
			"  patchbay completion fish > ~/.config/fish/completions/patchbay.fish\n" +
			"  patchbay completion powershell | Out-String | Invoke-Expression",
		RunE: func(cmd *cobra.Command, args []string) error {
			write, ok := shells[args[0]]
			if !ok {
				return &diag.Fault{Code: "usage", Message: fmt.Sprintf("unknown shell %q", args[0]), Suggestions: diag.Closer(args[0], Shells(), 3), Hint: "the shells are " + diag.OneOf(Shells(), 9)}
			}
			return write(cmd.Root(), cmd.OutOrStdout())
		},
	}
}
