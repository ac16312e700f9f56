package inbound_test

import (
	"testing"

	"go.uber.org/goleak"

	"github.com/patchbay-mcp/patchbay/internal/tests/testenv"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(testenv.Home(m)) }
