package setup

import (
	"os"
	"testing"

	"github.com/patchbay-mcp/patchbay/internal/tests/testenv"
)

func TestMain(m *testing.M) { os.Exit(testenv.Home(m).Run()) }
