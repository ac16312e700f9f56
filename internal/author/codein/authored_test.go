package codein_test

import (
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/engine"
	"github.com/patchbay-mcp/patchbay/internal/author/codein"
)

var authored = flag.String("authored", "testdata/authored/*/*.js", "functions of authors who did not see the compiler, by a pattern")

// byAuthors are the functions of authors who saw only the guide, each over its inputs and
// five sets of data.
func byAuthors(t *testing.T) (plays []play) {
	t.Helper()
	list, err := filepath.Glob(*authored)
	if err != nil || len(list) == 0 {
		t.Fatalf("no functions: %v", err)
	}
	b, err := os.ReadFile("testdata/authored/inputs.json")
	if err != nil {
		t.Fatal(err)
	}
	var inputs map[string][]json.RawMessage
	if err := json.Unmarshal(b, &inputs); err != nil {
		t.Fatal(err)
	}
	for _, file := range list {
		b, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		code := codein.Compile(string(b), engine.Env{Tools: &server{}})
		if code.Found.HasErrors() {
			t.Errorf("refused: %s", diag.Format(file, string(b), code.Found))
			continue
		}
		if len(inputs[code.Name]) == 0 {
			t.Fatalf("%s: no inputs for %s", file, code.Name)
		}
		for _, in := range inputs[code.Name] {
			for world := range strings.FieldsSeq("some none one many decimals") {
				plays = append(plays, play{Code: string(b), Input: in, World: world})
			}
		}
	}
	return plays
}

// TestAuthored: what others wrote does in a graph what it does in Node.
func TestAuthored(t *testing.T) {
	plays := byAuthors(t)
	t.Log(len(plays), "plays")
	compare(t, plays, true)
}

// TestAuthoredOverWrongData: with answers that break their schemas, the same or a failed run.
func TestAuthoredOverWrongData(t *testing.T) {
	var plays []play
	for n, p := range byAuthors(t) {
		for i := range 8 {
			for j, v := range []any{nil, "text", "5", 7.0, true, []any{}, map[string]any{}, []any{[]any{1.0}}} {
				p.Damage = []any{i, v}
				if (n+i+j)%101 == 0 || os.Getenv("PATCHBAY_CODE_ALL") != "" {
					plays = append(plays, p)
				}
			}
			if p.Damage = []any{i}; (n+i)%37 == 0 {
				plays = append(plays, p)
			}
		}
	}
	t.Log(len(plays), "plays")
	compare(t, plays, false)
}
