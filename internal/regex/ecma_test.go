package regex

import (
	"testing"
)

func TestPortablePattern(t *testing.T) {
	for _, p := range []string{
		``, `^abc$`, `^[a-zA-Z0-9_.-]+$`, `^\d{3}-\d{4}$`, `^(?:a|b)*?$`, `^(?!x)(?=y).*$`, `\u0041|\x41`, `^\p{L}+\P{Nd}$`, `[^\]\\/-]{2,}`, `a{0,5}?`, `(a(b))|`, `[\w-]+`, `[é-ü]`, `^.{1,64}$`,
		`[[]`, `-`, `\/`, `()`, `[\-a]`,
	} {
		if !PortablePattern(p) {
			t.Errorf("%s is refused", p)
		}
	}
	for _, p := range []string{
		`(?i)abc`, `^[[:alpha:]]+$`, `^\pL+$`, `(?P<a>b)`, `(?<a>b)`, `(?s:.)`, `\Aabc\z`, `\Qa.b\E`, `[z-a]`, `[\w-z]`, `a**`, `*a`, `a{`, `a{2,1}`, `{`, `}`, `]`, `(`, `)`, `[`, `\`, `\-`, `\_`, `\a`,
		`\x{41}`, `\p{Greek}`, `\p{L`, `^*`, `(?=a)*`, `\1`, `a{,3}`, "\xff", `a++`,
	} {
		if PortablePattern(p) {
			t.Errorf("%s is taken", p)
		}
	}
}
