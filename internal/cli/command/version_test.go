package command

import (
	"regexp"
	"runtime/debug"
	"testing"

	"github.com/patchbay-mcp/patchbay/internal/sys/formats"
)

// semantic is the form of semantic versions, from https://semver.org without build metadata.
var semantic = regexp.MustCompile(`^(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)(-[0-9A-Za-z-]+(\.[0-9A-Za-z-]+)*)?$`)

func TestVersion(t *testing.T) {
	b := thisBuild()
	if !semantic.MatchString(b.Version) {
		t.Errorf("%q is not a semantic version", b.Version)
	}
	if b.Go == "" || b.OS == "" || b.Arch == "" {
		t.Errorf("%+v", b)
	}
	for _, f := range formats.All() {
		if b.Formats[f.Name] != f.Version {
			t.Errorf("the format of %s is %d, not %d", f.Name, b.Formats[f.Name], f.Version)
		}
	}
}

// A program that the go command installed from a module says that module's version, and
// one that was built in a clone does not say a version that the go command made up.
func TestVersionOfModule(t *testing.T) {
	const ours = "github.com/patchbay-mcp/patchbay"
	clone := []debug.BuildSetting{{Key: "vcs.revision", Value: "9cc4a147"}}
	for name, c := range map[string]struct {
		info *debug.BuildInfo
		want string
	}{
		"nothing known":     {nil, ""},
		"installed":         {&debug.BuildInfo{Main: debug.Module{Path: ours, Version: "v0.3.1"}}, "0.3.1"},
		"installed, commit": {&debug.BuildInfo{Main: debug.Module{Path: ours, Version: "v0.0.0-20260101000000-9cc4a1470000"}}, "0.0.0-20260101000000-9cc4a1470000"},
		"go run in a clone": {&debug.BuildInfo{Main: debug.Module{Path: ours, Version: "(devel)"}}, ""},
		"built in a clone":  {&debug.BuildInfo{Main: debug.Module{Path: ours, Version: "v0.0.0-20260101000000-9cc4a1470000+dirty"}, Settings: clone}, ""},
		"embedded":          {&debug.BuildInfo{Main: debug.Module{Path: "example.com/own", Version: "v7.0.0"}}, ""},
	} {
		if got := moduleVersion(c.info); got != c.want {
			t.Errorf("%s: %q, not %q", name, got, c.want)
		}
	}
}
