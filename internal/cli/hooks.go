package cli

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/patchbay-mcp/patchbay/internal/around"
	"github.com/patchbay-mcp/patchbay/internal/cli/command"
	"github.com/patchbay-mcp/patchbay/internal/cli/term"
)

var hooksListPresenter = command.Presenter{
	Long:    "List the hook modules: scripts that hooks use by name, in the folder hooks next to patchbay.yaml. Each is checked.",
	Example: "  patchbay hooks list",
	Start:   command.Offline,
	Print: command.Printing(func(w *term.Page, r *around.HookModulesResult) {
		t := term.NewTable("module", "bytes", "used by", "fault")
		for _, m := range r.Modules {
			t.Add(term.Cell{Text: m.Name, ID: true}, term.Cell{Text: strconv.Itoa(m.Bytes), Right: true}, strings.Join(m.UsedBy, ", "), m.Fault)
		}
		t.WriteOr(w, "no hook modules")
	}),
}

var hooksShowPresenter = command.Presenter{
	Example: "  patchbay hooks show redact",
	Start:   command.Offline,
	Print:   command.Printing(func(w *term.Page, r *around.HookModuleResult) { fmt.Fprint(w, r.Script) }),
}

var hooksAddPresenter = command.Presenter{
	Long:    "Check the script in a file and copy it to the hook modules. A script with errors is refused, with the place of the first. Workflows use it as hook: {module: NAME}.",
	Example: "  patchbay hooks add redact.js\n  patchbay hooks add redact.js --name redact-mail --overwrite",
	Start:   command.Offline,
	Print:   command.Printing(func(w *term.Page, r *around.HookModuleResult) { fmt.Fprintf(w, "added %s (%s)\n", r.Name, r.Path) }),
}

var hooksRemovePresenter = command.Presenter{
	Long:    "Remove a hook module. One that a workflow uses is not removed; the message names the workflows.",
	Example: "  patchbay hooks remove redact",
	Start:   command.Offline,
	Print:   command.Printing(func(w *term.Page, r *around.HookModuleResult) { fmt.Fprintf(w, "removed %s\n", r.Name) }),
}
