package cli

import (
	"strings"

	"github.com/spf13/cobra"

	"github.com/patchbay-mcp/patchbay/internal/app"
	"github.com/patchbay-mcp/patchbay/internal/cli/command"
	"github.com/patchbay-mcp/patchbay/internal/cli/setup"
)

// presenters are the commands that have one, by the words of the command.
var presenters = map[string]command.Presenter{
	"search": searchPresenter, "types": typesPresenter, "show": showPresenter,
	"validate": validatePresenter, "edit": editPresenter, "export": exportPresenter, "eval": evalPresenter,
	"run": runPresenter, "call": callPresenter,
	"runs list": runsListPresenter, "runs show": runsShowPresenter, "runs logs": runsLogsPresenter, "runs resume": runsResumePresenter, "runs answer": runsAnswerPresenter,
	"runs cancel": runsCancelPresenter, "runs replay": runsReplayPresenter, "runs save-test": runsSaveTestPresenter, "runs prune": runsPrunePresenter, "runs adopt": runsAdoptPresenter,
	"state list": stateListPresenter, "state delete": stateDeletePresenter,
	"models list": modelsListPresenter, "models test": modelsTestPresenter,
	"hooks list": hooksListPresenter, "hooks show": hooksShowPresenter, "hooks add": hooksAddPresenter, "hooks remove": hooksRemovePresenter,
	"graphs list": graphsListPresenter, "graphs show": graphsShowPresenter, "graphs save": graphsSavePresenter, "graphs restore": graphsRestorePresenter, "graphs approve": graphsApprovePresenter, "graphs fix": graphsFixPresenter, "graphs delete": graphsDeletePresenter,
	"workflow list": workflowListPresenter, "workflow show": workflowShowPresenter, "workflow enable": workflowSwitchPresenter("on"), "workflow disable": workflowSwitchPresenter("off"),
	"workflow import": workflowImportPresenter, "workflow export": workflowExportPresenter, "workflow test": workflowTestPresenter,
	"mcp list": setup.MCPListPresenter, "mcp info": setup.MCPInfoPresenter, "mcp sync": setup.MCPSyncPresenter, "mcp approve": setup.MCPApprovePresenter, "mcp logs": setup.MCPLogsPresenter,
}

// groups are the words that several commands begin with: what they are about, an
// example and, if there is more to say, a longer text.
var groups = map[string][3]string{
	"runs": {
		"Inspect stored runs and resume stopped ones", "  patchbay runs list --status failed\n  patchbay runs show latest:failed",
		"Inspect stored runs and resume stopped ones. A run is named by its ID, by at least four characters of the beginning or the end of one, by latest, or by latest:STATUS, such as latest:failed.",
	},
	"graphs":   {"Saved graphs: list, show, save, add, restore, fix, delete", "  patchbay graphs list\n  patchbay graphs save count_files.yaml"},
	"state":    {"State of graphs: list, delete", "  patchbay state list new_issues\n  patchbay state delete new_issues seen"},
	"workflow": {"Workflows around calls: list, show, test, switch, import, export", "  patchbay workflow list\n  patchbay workflow test"},
	"models":   {"Models that graphs can ask: list, test", "  patchbay models list\n  patchbay models test fast"},
	"hooks":    {"Hook modules: list, show, add, remove", "  patchbay hooks add redact.js\n  patchbay hooks list"},
	"mcp":      {"Downstream MCP servers", "  patchbay mcp list\n  patchbay mcp add npm:@modelcontextprotocol/server-memory"},
}

// operationCommands are the commands of the operations, and the others of their groups.
func operationCommands(f *command.Flags) []*cobra.Command {
	var top []*cobra.Command
	parents := map[string]*cobra.Command{}
	own := map[string]func(*command.Flags) *cobra.Command{"mcp add": setup.MCPAddCommand, "mcp login": setup.MCPLoginCommand} // a person types more than the operation takes
	for _, o := range app.Operations() {
		group, name, grouped := strings.Cut(o.Command, " ")
		switch {
		case o.Command == "":
		case !grouped:
			top = append(top, f.OperationCommand(o, group, presenters[o.Command]))
		default:
			if parents[group] == nil {
				parents[group] = command.GroupCommand(group, groups[group][0], groups[group][1])
				parents[group].Long = groups[group][2]
				top = append(top, parents[group])
			}
			if own[o.Command] != nil {
				parents[group].AddCommand(own[o.Command](f))
				continue
			}
			parents[group].AddCommand(f.OperationCommand(o, name, presenters[o.Command]))
		}
	}
	// These are not operations: an agent must not remove servers.
	parents["mcp"].AddCommand(setup.MCPRemoveCommand(f), setup.MCPFindCommand(f), setup.MCPLogoutCommand(f), setup.MCPToolsCommand(f))
	parents["graphs"].AddCommand(setup.GraphsAddCommand(f))
	parents["runs"].AddCommand(runsWatchCommand(f), runsTrustCommand(f))
	return top
}
