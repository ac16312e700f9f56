package patchbay_test

import (
	"os"
	"testing"

	"github.com/patchbay-mcp/patchbay"
)

func TestMain(m *testing.M) {
	patchbay.HookWorker()
	os.Exit(m.Run())
}
