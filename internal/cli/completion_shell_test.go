package cli

import (
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestCompletionInShells has each shell that is installed complete a command line by the
// script that the program prints for it.
func TestCompletionInShells(t *testing.T) {
	for shell, script := range map[string]string{
		// What the package bash-completion defines is stood in for.
		"bash": `_init_completion() { cur=${COMP_WORDS[COMP_CWORD]}; prev=${COMP_WORDS[COMP_CWORD-1]}; words=("${COMP_WORDS[@]}"); cword=$COMP_CWORD; }
compopt() { :; }
source <(patchbay completion bash)
COMP_LINE='patchbay graphs app' COMP_POINT=19 COMP_TYPE=9 COMP_KEY=9
COMP_WORDS=(patchbay graphs app) COMP_CWORD=2
__start_patchbay
printf '%s\n' "${COMPREPLY[@]}"`,
		"fish": `patchbay completion fish | source; complete -C 'patchbay graphs app'`,
		"zsh":  `autoload -Uz compinit; compinit -D; source <(patchbay completion zsh); whence -w _patchbay; print ${_comps[patchbay]} approve`,
	} {
		t.Run(shell, func(t *testing.T) {
			path, err := exec.LookPath(shell)
			if err != nil {
				t.Skip(shell + " is not installed")
			}
			cmd := exec.CommandContext(t.Context(), path, "-c", script)
			cmd.Env = append(cmd.Environ(), "HOME="+t.TempDir())
			cmd.Dir = t.TempDir()
			out, err := cmd.CombinedOutput()
			if err != nil || !strings.Contains(string(out), "approve") {
				t.Errorf("%v: %q completed nothing:\n%s", err, filepath.Base(path), out)
			}
		})
	}
}
