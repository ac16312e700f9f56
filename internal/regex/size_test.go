package regex

import (
	"regexp/syntax"
	"strings"
	"testing"
)

// The estimate is near the size of the program that Go makes of a pattern, and takes
// no time where that would.
func TestSize(t *testing.T) {
	for _, pattern := range []string{`^[a-z]{2,8}$`, `(a|b|cde)+x?`, `^\d{4}-\d{2}-\d{2}T`, `(?:x{1,20}){50}`, `[\p{L}\p{N}]{1,64}`, `(((((a{2}){2}){2}){2}){2})`, ``} {
		re, err := syntax.Parse(pattern, syntax.Perl)
		if err != nil {
			t.Fatal(err)
		}
		prog, err := syntax.Compile(re.Simplify())
		if err != nil {
			t.Fatal(err)
		}
		if got, is := Size(pattern), int64(len(prog.Inst)); got < is/2 || got > 4*is+10 {
			t.Errorf("%s: estimated %d, is %d", pattern, got, is)
		}
	}
	large := strings.Repeat("(?:x{1,1000})", 500)
	if got := Size(large); got < 400_000 {
		t.Errorf("a large one: %d", got)
	}
	if m, checked := Tolerant(large, 10_000); checked || !m.MatchString("y") {
		t.Error("a large pattern was compiled")
	}
	if m, checked := Tolerant("(?=(?:x{1,1000}){500})", 10_000); checked || !m.MatchString("y") {
		t.Error("a large look-ahead is checked")
	}
}
