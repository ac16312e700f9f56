package hooks_test

import (
	"os"
	"testing"

	"go.uber.org/goleak"

	"github.com/patchbay-mcp/patchbay/internal/around/hooks"
)

func TestMain(m *testing.M) {
	hooks.ServeIfWorker()
	if os.Getenv(asEater) != "" {
		hooks.EatWatched()
	}
	if os.Getenv(asParent) != "" {
		beParent()
		return
	}
	goleak.VerifyTestMain(m)
}

// newPool returns a pool that is closed with the test.
func newPool(t testing.TB, o *hooks.Options) *hooks.Pool {
	p := hooks.NewPool(o)
	t.Cleanup(p.Close)
	return p
}
