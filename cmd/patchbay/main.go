// Command patchbay serves, checks and runs graphs of nodes: see patchbay help.
package main

import "github.com/patchbay-mcp/patchbay"

func main() { patchbay.Main(patchbay.Options{}) }
