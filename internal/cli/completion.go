package cli

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/internal/cli/command"
	"github.com/patchbay-mcp/patchbay/internal/sys/lists"
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
				return &diag.Fault{Code: diag.CodeUsage, Message: fmt.Sprintf("unknown shell %q", args[0]), Suggestions: diag.Closer(args[0], Shells(), 3), Hint: "the shells are " + diag.OneOf(Shells(), 9)}
			}
			return write(cmd.Root(), cmd.OutOrStdout())
		},
	}
}

// A completion is a word that a person has begun, and what stands before it.
type completion struct {
	*command.Flags
	cmd   *cobra.Command
	args  []string // the positions before it
	begun string
}

// candidates lists what the word may become, as cobra wants it: a tab separates a
// description.
type candidates func(*completion) ([]string, cobra.ShellCompDirective)

// complete has every command of the tree complete its positions and the values of its
// flags. What they are follows from how the usage names them: see wordCandidates.
func complete(f *command.Flags, c *cobra.Command) {
	if c.ValidArgsFunction == nil && c.Runnable() && !c.HasSubCommands() {
		c.ValidArgsFunction = completePositions(f, usagePositions(c.Use))
	}
	register := func(flag *pflag.Flag) {
		if flag.Value.Type() == "bool" {
			return
		}
		if find := flagCandidates(c, flag); find != nil {
			_ = c.RegisterFlagCompletionFunc(flag.Name, completing(f, find)) // the flag is there, once
		}
	}
	c.LocalNonPersistentFlags().VisitAll(register)
	c.PersistentFlags().VisitAll(register)
	for _, sub := range c.Commands() {
		complete(f, sub)
	}
}

// completing is candidates as cobra calls them.
func completing(f *command.Flags, find candidates) cobra.CompletionFunc {
	return func(cmd *cobra.Command, args []string, begun string) ([]string, cobra.ShellCompDirective) {
		all, directive := find(&completion{Flags: f, cmd: cmd, args: args, begun: begun})
		matching := lists.Only(all, func(word string) bool { return strings.HasPrefix(word, begun) })
		return matching, directive
	}
}

// A position is one of those that the usage of a command names.
type position struct {
	name string // without brackets and dots
	many bool
}

// usagePositions reads the usage of a command, such as "call NODE [KEY=VALUE…]".
func usagePositions(usage string) (list []position) {
	for _, word := range strings.Fields(usage)[1:] {
		name, many := strings.CutSuffix(strings.Trim(word, "[]"), "…")
		list = append(list, position{name, many})
	}
	return list
}

func completePositions(f *command.Flags, list []position) cobra.CompletionFunc {
	return func(cmd *cobra.Command, args []string, begun string) ([]string, cobra.ShellCompDirective) {
		at := len(args)
		if last := len(list) - 1; last >= 0 && at > last && list[last].many {
			at = last
		}
		if at >= len(list) {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		return completing(f, positionCandidates(cmd, list[at].name))(cmd, args, begun)
	}
}

// positionCandidates are those of a position that the usage calls so.
func positionCandidates(cmd *cobra.Command, name string) candidates {
	if find := lookUp(cmd, name); find != nil {
		return find
	}
	if strings.ToLower(name) == name && strings.Contains(name, "|") { // accept|decline|cancel
		return fixedWords(strings.Split(name, "|")...)
	}
	return nothing
}

// flagCandidates are those of the value of a flag, or nil where it can be anything.
func flagCandidates(cmd *cobra.Command, flag *pflag.Flag) candidates {
	if enum := flag.Annotations[command.EnumAnnotation]; len(enum) > 0 {
		return fixedWords(enum...)
	}
	if find := lookUp(cmd, "--"+flag.Name); find != nil {
		return find
	}
	value, _ := pflag.UnquoteUsage(flag)
	if strings.ToUpper(value) != value {
		return nothing // text, a number or a duration
	}
	return lookUp(cmd, value)
}

// lookUp finds the row of wordCandidates for a name in a command: that of "graphs show
// NAME" before that of "graphs NAME" before that of "NAME".
func lookUp(cmd *cobra.Command, name string) candidates {
	words := strings.Fields(cmd.CommandPath())[1:]
	for n := len(words); n >= 0; n-- {
		if find := wordCandidates()[strings.Join(append(words[:n:n], name), " ")]; find != nil {
			return find
		}
	}
	return nil
}
