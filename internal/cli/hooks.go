package cli

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/patchbay-mcp/patchbay/internal/around"
)

var hooksListPresenter = presenter{
	long:    "List the hook modules: scripts that hooks use by name, in the folder hooks next to patchbay.yaml. Each is checked.",
	example: "  patchbay hooks list",
	start:   offline,
	print: printing(func(w *page, r *around.HookModulesResult) {
		t := newTable("module", "bytes", "used by", "fault")
		for _, m := range r.Modules {
			t.add(cell{text: m.Name, id: true}, cell{text: strconv.Itoa(m.Bytes), right: true}, strings.Join(m.UsedBy, ", "), m.Fault)
		}
		t.writeOr(w, "no hook modules")
	}),
}

var hooksShowPresenter = presenter{
	example: "  patchbay hooks show redact",
	start:   offline,
	print:   printing(func(w *page, r *around.HookModuleResult) { fmt.Fprint(w, r.Script) }),
}

var hooksAddPresenter = presenter{
	long:    "Check the script in a file and copy it to the hook modules. A script with errors is refused, with the place of the first. Workflows use it as hook: {module: NAME}.",
	example: "  patchbay hooks add redact.js\n  patchbay hooks add redact.js --name redact-mail --overwrite",
	start:   offline,
	print:   printing(func(w *page, r *around.HookModuleResult) { fmt.Fprintf(w, "added %s (%s)\n", r.Name, r.Path) }),
}

var hooksRemovePresenter = presenter{
	long:    "Remove a hook module. One that a workflow uses is not removed; the message names the workflows.",
	example: "  patchbay hooks remove redact",
	start:   offline,
	print:   printing(func(w *page, r *around.HookModuleResult) { fmt.Fprintf(w, "removed %s\n", r.Name) }),
}
