package cli

import (
	"regexp"
	"testing"

	"github.com/patchbay-mcp/patchbay/internal/formats"
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
