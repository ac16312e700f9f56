package patchbay_test

import (
	"fmt"
	"go/build/constraint"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/patchbay-mcp/patchbay/internal/tests/testenv"
)

// TestCodeThatDiffers: docs/limitations.md says how many lines of the program are for some
// systems only: in files that are compiled for one of the three systems and not for another.
func TestCodeThatDiffers(t *testing.T) {
	all, elsewhere := 0, 0
	named := regexp.MustCompile(`_(linux|darwin|windows)\.go$`)
	files, _ := testenv.ProductFiles(t, ".")
	for f := range files.Iterate {
		path := f.Name()
		if strings.HasPrefix(path, "temporal") || strings.HasPrefix(path, filepath.Join("internal", "tests")) {
			continue
		}
		text := readText(t, path)
		on := func(system string) bool {
			if m := named.FindStringSubmatch(path); m != nil {
				return m[1] == system
			}
			line, _, _ := strings.Cut(text, "\n")
			expr, err := constraint.Parse(line)
			return err != nil || expr.Eval(func(tag string) bool { return tag == system || tag == "unix" && system != "windows" })
		}
		linux, darwin, windows := on("linux"), on("darwin"), on("windows")
		if linux == darwin && darwin == windows {
			continue
		}
		lines := strings.Count(text, "\n")
		if all += lines; !linux {
			elsewhere += lines
		}
	}
	if want := fmt.Sprintf("\n%d lines of the program are for some systems only, %d of them for Windows or macOS alone.\n", all, elsewhere); !strings.Contains(readText(t, "docs/limitations.md"), want) {
		t.Errorf("docs/limitations.md does not say:%s", want)
	}
}
