package expr_test

import (
	"strings"
	"testing"

	"github.com/patchbay-mcp/patchbay/expr"
)

func TestSizeIsThatOfJSON(t *testing.T) {
	for _, text := range []string{
		`null`, `true`, `7`, `-12`, `1234567`, `0`, `"text"`, `[]`, `{}`, `[1,2,[3]]`, `{"a":{"b":["x","yy"]},"c":9007199254740993}`,
		`[` + strings.Repeat(`{"name":"a","n":1},`, 1000) + `1]`,
	} {
		v, err := expr.Decode([]byte(text))
		if err != nil {
			t.Fatal(err)
		}
		if n := expr.Size(v, 1<<30); n < len(text)*9/10-1 || n > len(text)*12/10+2 {
			t.Errorf("%.40s: %d, want about %d", text, n, len(text))
		}
	}
	v, _ := expr.Decode([]byte(`[` + strings.Repeat(`"aaaaaaaa",`, 100_000) + `1]`))
	if n := expr.Size(v, 1000); n <= 1000 || n > 1100 {
		t.Errorf("counted to %d, should have stopped beyond 1000", n)
	}
}
