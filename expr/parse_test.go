package expr

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

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
