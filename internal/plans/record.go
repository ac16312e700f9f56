package plans

import (
	"github.com/patchbay-mcp/patchbay/diag"
)

// NeedsServer reports whether a server or a tool is missing.
func NeedsServer(d *diag.Diagnostic) bool {
	switch d.Code {
	case diag.CodeUnknownServer, diag.CodeUnknownTool, diag.CodeToolChanged:
		return true
	}
	return serverDown(d)
}

// serverDown reports whether a server cannot be asked now.
func serverDown(d *diag.Diagnostic) bool {
	return d.Code == diag.CodeServerStarting || d.Code == diag.CodeServerFailed
}
