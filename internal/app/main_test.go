package app_test

import (
	"testing"

	"go.uber.org/goleak"

	"github.com/patchbay-mcp/patchbay/internal/hooks"
	"github.com/patchbay-mcp/patchbay/internal/testenv"
)

func TestMain(m *testing.M) {
	hooks.ServeIfWorker()
	goleak.VerifyTestMain(testenv.Home(m))
}
