// Command patchbay serves, checks and runs graphs of nodes: see patchbay help.
package main

import (
	"github.com/patchbay-mcp/patchbay"
	_ "github.com/patchbay-mcp/patchbay/internal/sys/startup" // for its effect
)

func main() { patchbay.Main(patchbay.Options{}) }
