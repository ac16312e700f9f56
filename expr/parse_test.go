package expr

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// suiteCase is one case of the official JSONata suite.
type suiteCase struct {
	ID       string          `json:"id"`
	Expr     string          `json:"expr"`
	Data     json.RawMessage `json:"data"`
	HasData  bool            `json:"hasData"`
	Bindings map[string]any  `json:"bindings"`
	Kind     string          `json:"kind"`
	Result   json.RawMessage `json:"result"`
	Code     string          `json:"code"`
}

// suite returns the official suite's cases, or skips.
func suite(t testing.TB) []suiteCase {
	t.Helper()
	dir := os.Getenv("PATCHBAY_TEST_DATA")
	if dir == "" {
		t.Skip("PATCHBAY_TEST_DATA is not set: the JSONata suite is missing")
	}
	b, err := os.ReadFile(filepath.Join(dir, "jsonata", "cases.json"))
	if err != nil {
		t.Skip("the JSONata suite is missing:", err)
	}
	var cases []suiteCase
	if err := json.Unmarshal(b, &cases); err != nil {
		t.Fatal(err)
	}
	return cases
}

func TestParseAgreesWithTheSuite(t *testing.T) {
	for _, c := range suite(t) {
		_, err := Parse(c.Expr)
		if wrong := strings.HasPrefix(c.Code, "S0"); wrong && err == nil {
			t.Errorf("%s: %q parses; the suite wants %s", c.ID, c.Expr, c.Code)
		} else if !wrong && err != nil {
			t.Errorf("%s: %q: %s", c.ID, c.Expr, err.Message)
		} else if err != nil {
			t.Logf("%q [%d,%d): %s (%s) %v", c.Expr, err.Start, err.End, err.Message, err.Hint, err.Edits)
		}
	}
}

var _ = cmp.Diff
