package patchbay_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestTestsHaveTheirOwnHome: the tests of each package that opens Patchbay do so in a home
// of their own, so that go test writes nothing into the folders of who runs it. .ci/untouched
// looks at what is written.
func TestTestsHaveTheirOwnHome(t *testing.T) {
	out, err := exec.CommandContext(t.Context(), "go", "list", "-f", "{{.Dir}}\t{{.Imports}} {{.TestImports}} {{.XTestImports}} ", "./...").Output()
	if err != nil {
		t.Fatal(err)
	}
	opens := regexp.MustCompile(`[\[ ]github\.com/patchbay-mcp/patchbay(/internal/app|/internal/cli)?[\] ]`)
	found := 0
	for line := range strings.Lines(string(out)) {
		dir, imports, _ := strings.Cut(line, "\t")
		var tests strings.Builder
		files, _ := filepath.Glob(filepath.Join(dir, "*_test.go"))
		for _, file := range files {
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			tests.Write(text)
		}
		if opens.MatchString(imports) && len(files) > 0 || strings.HasSuffix(dir, "internal/app") {
			if found++; !strings.Contains(tests.String(), "testenv.Home(m)") {
				t.Errorf("%s: use testenv.Home in TestMain", dir)
			}
		}
	}
	if found < 10 {
		t.Errorf("only %d packages were found", found)
	}
}
