package cli

import (
	"bytes"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"

	"github.com/patchbay-mcp/patchbay/internal/app"
	"github.com/patchbay-mcp/patchbay/internal/cli/command"
	"github.com/patchbay-mcp/patchbay/internal/config"
	"github.com/patchbay-mcp/patchbay/internal/execution/runs"
)

// Only a program that has a runtime has workers.
func TestWorkersNeedARuntime(t *testing.T) {
	none := func(*config.Config) (func(runs.Options) runs.Remote, error) { return nil, nil }
	isWorker := func(c *cobra.Command) bool { return c.Name() == "worker" }
	if slices.ContainsFunc(Command().Commands(), isWorker) {
		t.Error("a program without a runtime has the command worker")
	}
	f := &command.Flags{Setup: app.Setup{Runtime: none}}
	if !slices.ContainsFunc(rootCommand(f).Commands(), isWorker) {
		t.Error("a program with a runtime does not have the command worker")
	}
	t.Chdir(t.TempDir())
	t.Setenv("XDG_CONFIG_HOME", t.TempDir())
	for args, want := range map[string]string{"worker": "the configuration has no runtime", "worker --only walk": "unknown role walk"} {
		var stderr bytes.Buffer
		f := &command.Flags{Setup: app.Setup{Runtime: none}}
		if code := runWith(t.Context(), f, strings.Fields(args), strings.NewReader(""), &stderr, &stderr); code != command.ExitUsage || !strings.Contains(stderr.String(), want) {
			t.Errorf("%s: exit code %d, %s", args, code, &stderr)
		}
	}
}
