// Package protocol runs the official conformance suite of MCP against Patchbay: as a
// server by itself, as a gateway in front of the Go SDK's fixture server, and as a client.
package protocol

import (
	"context"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/patchbay-mcp/patchbay"

	"github.com/patchbay-mcp/patchbay/internal/tests/testenv"
)

// asCommand makes this binary the command patchbay.
const asCommand = "PATCHBAY_TEST_COMMAND"

// TestMain is also the client that the suite starts, and the server that it calls.
func TestMain(m *testing.M) {
	patchbay.HookWorker()
	if os.Getenv(asOdd) != "" {
		oddServer()
		os.Exit(0)
	}
	if os.Getenv(asCommand) != "" {
		patchbay.Main(patchbay.Options{})
	}
	if scenario := os.Getenv("MCP_CONFORMANCE_SCENARIO"); scenario != "" {
		if err := runClient(context.Background(), scenario, os.Args[len(os.Args)-1]); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(testenv.Home(m).Run())
}

// split takes SCENARIO:CHECK apart.
func split(line string) (scenario, check string) {
	scenario, check, _ = strings.Cut(line, ":")
	return scenario, check
}
