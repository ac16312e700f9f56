package patchbay_test

import (
	"os"
	"testing"

	"github.com/patchbay-mcp/patchbay"

	"github.com/patchbay-mcp/patchbay/internal/tests/testenv"
)

func TestMain(m *testing.M) {
	patchbay.HookWorker()
	os.Exit(testenv.Home(m).Run())
}
