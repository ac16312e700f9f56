package app_test

import (
	"testing"

	"go.uber.org/goleak"

	"github.com/patchbay-mcp/patchbay/internal/around/hooks"
	"github.com/patchbay-mcp/patchbay/internal/tests/testenv"
)

func TestMain(m *testing.M) {
	hooks.ServeIfWorker()
	goleak.VerifyTestMain(testenv.Home(m))
}
