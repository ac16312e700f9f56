package main

import (
	"context"
	"os"
	"strings"
	"testing"

	"github.com/patchbay-mcp/patchbay/internal/cli"
	"github.com/patchbay-mcp/patchbay/internal/tests/testenv"
)

// TestMain makes the test binary the program too, which the demo starts.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 && !strings.HasPrefix(os.Args[1], "-") {
		os.Exit(cli.Execute(context.Background(), os.Args[1:], os.Stdin, os.Stdout, os.Stderr))
	}
	os.Exit(testenv.Home(m).Run())
}
