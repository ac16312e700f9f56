package plans

import (
	"github.com/patchbay-mcp/patchbay/diag"
)

var codeNoGraphsFolder = diag.DefineFault("no-graphs-folder", diag.RefusesRequest, "this server has no folder for saved graphs", "set `graphs` in `patchbay.yaml`")

func NoGraphs() *diag.Fault {
	return diag.Faultf(codeNoGraphsFolder, "this server has no folder for saved graphs").WithHint("the operator sets one: graphs: <folder> in patchbay.yaml")
}
