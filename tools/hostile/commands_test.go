//go:build linux

package hostile

import (
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"

	"github.com/patchbay-mcp/patchbay/internal/cli"
)

// A command is what a person types in a clone. What the person asks for with it is no fault
// of the program: a program of a document that is run, or files of a folder that is named.
// Everything else that the clone brings is.
type command struct {
	args  []string
	asked []string               // lines of programs that the person has asked for
	reads bool                   // the person names a folder of the clone, or all of it
	links bool                   // the person asks for trust, so links of the clone are followed
	shows bool                   // it prints what a file says that the person names
	until func(*clone, *process) // of a command that does not end: what is done with it
}

func (c command) String() string { return "patchbay " + strings.Join(c.args, " ") }

// words is a command that nothing is asked for with.
func words(text string) command { return command{args: strings.Fields(text)} }

func (c command) asks(lines ...string) command { c.asked = lines; return c }
func (c command) folder() command              { c.reads, c.shows = true, true; return c }
func (c command) trusts() command              { c.links = true; return c.folder() }
func (c command) prints() command              { c.shows = true; return c }
func (c command) while(f func(*clone, *process)) command {
	c.until = f
	return c
}

// brought are the programs of brings.yaml, which a person starts by running it.
var brought = []string{"start document.own", "start document.other"}

// looked is a call that the person or the agent has asked for.
const looked = "call look me"

// served is the program as clients start it.
var served = words("serve").while(session).asks(looked)

// commands are those of the program, by what follows its name, each as people use it in a
// folder.
var commands = []command{
	words("call mcp:own/look by=me").asks(looked), words("call graph:evil"), words("call mcp:workspace/list_directory path=."), words("call mcp:evil/x"),
	words("completion bash"), words("demo --full"),
	words("doctor"), words("doctor -o json"), words("doctor --searches --at 127.0.0.1:1"),
	words("edit brings.yaml @operations.json"), words("edit safe.yaml @operations.json"), words("edit --scaffold mcp:own/look"),
	words("eval 1+1"), words("eval 1 --run latest"),
	words("export brings.yaml"), words("export evil"), words("export --typescript"), words("export --typescript own"),
	words("fmt brings.yaml --diff"), words("fmt . --check").folder(),
	words("graphql api.graphql --endpoint http://127.0.0.1:1 --print"), words("graphql api.graphql --endpoint http://127.0.0.1:1"),
	words("graphs add brings.yaml --yes"), words("graphs add safe.yaml --yes"),
	words("graphs approve evil"), words("graphs fix evil"), words("graphs delete evil"), words("graphs list"), words("graphs restore evil 1"), words("graphs show evil"),
	words("graphs save brings.yaml"), words("graphs save safe.yaml"), words("graphs save --last 1"),
	words("models list"), words("models test evil"),
	words("hooks add hook.js"), words("hooks list"), words("hooks remove evil"), words("hooks show evil"),
	words("init --client cursor --print").prints(), words("init --client claude-code"), words("init new"), words("init"),
	words("mcp add x -- evil"), words("mcp add --from cursor"), words("mcp add --from vscode --dry-run").prints(), words("mcp add --from claude"), words("mcp add --openapi a api.yaml"), words("mcp add --graphql a api.graphql"),
	words("mcp approve evil"), words("mcp approve own look"), words("mcp find look"), words("mcp info own"), words("mcp info evil"), words("mcp list"), words("mcp list -o json"),
	words("mcp login far"), words("mcp logout far"), words("mcp logs evil"), words("mcp remove evil"), words("mcp sync"), words("mcp sync own"), words("mcp tools own"), words("mcp tools evil"),
	words("openapi api.yaml --print"), words("openapi api.yaml"),
	words("packs lint pack").folder(),
	words("run safe.yaml"), words("run dry.yaml --dry-run"), words("run http.yaml"), words("run evil"), words("run brings.yaml").asks(brought...), words("run safe.yaml -g brings.yaml").asks(brought...),
	words("runs adopt --from shop"), words("runs answer latest accept"), words("runs cancel latest"), words("runs list"), words("runs list --all-projects"), words("runs logs latest"), words("runs prune --older 1h"),
	words("runs replay latest"), words("runs resume latest"), words("runs save-test latest"), words("runs show latest"), words("runs trust runs.db"), words("runs watch latest"),
	words("schema"), words("schema graph"),
	words("search destroy look"), words("search look --include-details --explain"),
	served, words("serve --expose-downstream").while(session).asks(looked), words("serve --tools-only").while(session), words("serve --all-tools -g safe.yaml").while(session).asks(looked),
	words("serve --http 127.0.0.1:0").while(overHTTP),
	words("show mcp:own/look"), words("show graph:evil"), words("show mcp:own/look --offline"),
	words("skills"), words("skills export out"),
	words("calls"), words("calls list"), words("calls revoke evil/x"), words("state list evil"), words("state list"), words("state delete evil x"),
	words("test brings.test.yaml"), words("test safe.test.yaml"), words("test .").folder(),
	words("token add evil"), words("token list"), words("token revoke evil"),
	words("trust --show").trusts(), words("trust").trusts(), words("trust --revoke").trusts(), words("trust brings.yaml").prints(),
	words("types"), words("types mcp"),
	words("ui --no-open").while(overHTTP), words("ui brings.yaml --no-open").while(overHTTP),
	words("validate brings.yaml"), words("validate brings.yaml same.yaml"), words("validate dry.yaml"), words("validate --fix safe.yaml"), words("validate .").folder(),
	words("version -o json"),
	words("workflow disable evil"), words("workflow enable evil"), words("workflow export evil"), words("workflow import workflow.json"), words("workflow list"), words("workflow show evil"), words("workflow test"),
	words("__complete run "), words("__complete graphs show e"), words("__complete call mcp:"), words("__complete mcp info e"), words("help run"),
	{},
}

// TestEveryCommandIsTried finds each command of the program among those that are tried.
func TestEveryCommandIsTried(t *testing.T) {
	var walk func(c *cobra.Command)
	walk = func(c *cobra.Command) {
		path := strings.Fields(c.CommandPath())[1:]
		tried := slices.ContainsFunc(commands, func(tried command) bool {
			return len(tried.args) >= len(path) && slices.Equal(tried.args[:len(path)], path)
		})
		if !tried {
			t.Errorf("%s is not tried in a hostile folder", c.CommandPath())
		}
		for _, sub := range c.Commands() {
			walk(sub)
		}
	}
	walk(cli.Command())
}
