package cli

import (
	"io"
	"sync"

	"github.com/spf13/cobra"

	"github.com/patchbay-mcp/patchbay/internal/cli/command"
	"github.com/patchbay-mcp/patchbay/internal/cli/schemas"
	"github.com/patchbay-mcp/patchbay/internal/cli/setup"
	"github.com/patchbay-mcp/patchbay/internal/packs"
	"github.com/patchbay-mcp/patchbay/internal/policy/access"
	"github.com/patchbay-mcp/patchbay/internal/servers/serverfile"
	"github.com/patchbay-mcp/patchbay/internal/sys/lists"
	"github.com/patchbay-mcp/patchbay/run"
)

// wordCandidates says what is completed where the usage of a command has a word: for a
// position, for a flag, or for the value of a flag. Words of a command before it limit
// the row to it. Values of the fields of operations that have an enum need no row.
var wordCandidates = sync.OnceValue(func() map[string]candidates {
	return map[string]candidates{
		"FILE": anything, "FILE|DIR|GLOB": anything, "SOURCE": anything, "OPERATIONS": anything, "COMMAND": anything, "ARG": anything, "DIR": folders, "FOLDER": folders, "help COMMAND": commands,
		"FILE|NAME": graphsOrFiles, "GRAPH": graphs, "--graph-name": graphs,
		"ID": runIDs, "--run": runIDs, "--from-calls": runIDs,
		"NODE": nodes, "call NODE": callable, "--scaffold": nodes, "--adapt": nodes, "--similar-to": nodes, "--compatible-with": nodes, "NODE|SERVER": either(serverNames, nodes),
		"SERVER": serverNames, "--server": serverNames, "TYPE": nodeTypes, "--type": nodeTypes,
		command.ArgumentPlace: arguments, "--stdin": argumentNames,

		"graphs NAME": graphs, "mcp NAME": serverNames, "mcp add NAME": nothing, "workflow NAME": listedBy("workflow list"), "hooks NAME": listedBy("hooks list"), "models NAME": listedBy("models list"), "token revoke NAME": tokenNames, "calls revoke SERVER/TOOL": permittedNames,
		"schema NAME": fixedWords(schemas.Names()...),

		"--output": fixedWords(command.AsTable, command.AsJSON, command.AsYAML, command.AsName), "--color": fixedWords("auto", "always", "never"), "--store": fixedWords("sqlite", "memory"),
		"--pack":   packNames,
		"--status": statuses, "--scope": fixedWords(access.Scopes...),
		"init --client": fixedWords(serverfile.Clients()...), "mcp add --from": fixedWords(serverfile.Clients()...), "mcp add NAME=VALUE": nothing,
	}
})

// fixedWords completes fixed words.
func fixedWords(words ...string) candidates {
	return func(*completion) ([]string, cobra.ShellCompDirective) {
		return words, cobra.ShellCompDirectiveNoFileComp
	}
}

// nothing completes nothing: the word is new.
func nothing(*completion) ([]string, cobra.ShellCompDirective) {
	return nil, cobra.ShellCompDirectiveNoFileComp
}

// anything leaves the word to the shell, which completes files.
func anything(*completion) ([]string, cobra.ShellCompDirective) {
	return nil, cobra.ShellCompDirectiveDefault
}

func folders(*completion) ([]string, cobra.ShellCompDirective) {
	return nil, cobra.ShellCompDirectiveFilterDirs
}

// either has the candidates of several, with the directive of the first.
func either(of ...candidates) candidates {
	return func(c *completion) (all []string, directive cobra.ShellCompDirective) {
		for i, find := range of {
			more, d := find(c)
			all = append(all, more...)
			if i == 0 {
				directive = d
			}
		}
		return all, directive
	}
}

// packNames are those of the packs in the program; others are folders.
func packNames(*completion) ([]string, cobra.ShellCompDirective) {
	return packs.Builtin(), cobra.ShellCompDirectiveDefault
}

func statuses(*completion) ([]string, cobra.ShellCompDirective) {
	return lists.Each(run.Statuses, func(s run.Status) string { return string(s) }), cobra.ShellCompDirectiveNoFileComp
}

func tokenNames(c *completion) ([]string, cobra.ShellCompDirective) {
	tokens, err := setup.Tokens(c.Flags, io.Discard)
	if err != nil {
		return nothing(c)
	}
	var names []string
	list, _ := tokens.List()
	for _, k := range list {
		names = append(names, k.Name)
	}
	return names, cobra.ShellCompDirectiveNoFileComp
}

// commands are those below the words before.
func commands(c *completion) (names []string, _ cobra.ShellCompDirective) {
	parent, _, err := c.cmd.Root().Find(c.args)
	if err != nil {
		return nothing(c)
	}
	for _, sub := range parent.Commands() {
		if sub.IsAvailableCommand() {
			names = append(names, described(sub.Name(), sub.Short))
		}
	}
	return names, cobra.ShellCompDirectiveNoFileComp
}

// permittedNames are the tools whose calls are permitted.
func permittedNames(c *completion) ([]string, cobra.ShellCompDirective) {
	store, file, err := setup.Permitted(c.Flags, io.Discard)
	if err != nil {
		return nothing(c)
	}
	list, _ := store.List(file)
	return setup.PermittedTools(list), cobra.ShellCompDirectiveNoFileComp
}
