package config

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestExpand(t *testing.T) {
	vars := map[string]string{"A": "one", "EMPTY": "", "HOME": "/home/ann", "LOOP": "${LOOP}"}
	e := expander{dir: "/home/ann/my project/p", environ: func(name string) (string, bool) {
		v, ok := vars[name]
		return v, ok
	}}
	tests := []struct {
		in, want string
		used     []string
		missing  []string
		fault    string
	}{
		{in: "plain $ $A ${", fault: `"${" has no closing "}"`},
		{in: "plain $ $A $}", want: "plain $ $A $}"},
		{in: "<${A}>${A}", want: "<one>one", used: []string{"one", "one"}},
		{in: "${env:A}", want: "one", used: []string{"one"}},
		{in: "${NO}", missing: []string{"NO"}},
		{in: "${NO:-x y}", want: "x y", used: []string{"x y"}},
		{in: "${NO:-}", want: "", used: []string{""}},
		{in: "${EMPTY}", want: "", used: []string{""}},
		{in: "${EMPTY:-full}", want: "full", used: []string{"full"}},
		{in: "${NO:-${ALSO:-${A}}}!", want: "one!", used: []string{"one", "one", "one"}},
		{in: "${A:-${NO}}", want: "one", used: []string{"one"}},
		{in: "$${A} $$${A}", want: "${A} $${A}"},
		{in: "${NO:-a}b}", want: "ab}", used: []string{"a"}},
		{in: "${LOOP}", want: "${LOOP}", used: []string{"${LOOP}"}},
		{in: "${HOME}/x ${userHome}", want: "/home/ann/x /home/ann", used: []string{"/home/ann", "/home/ann"}},
		{in: "${workspaceFolder}|${workspaceFolderBasename}", want: "/home/ann/my project/p|p"},
		{in: "${}", fault: `"${}" is not a variable`},
		{in: "${a b}", fault: `"${a b}" is not a variable`},
		{in: "${1A}", fault: `"${1A}" is not a variable`},
		{in: strings.Repeat("${NO:-", 40) + strings.Repeat("}", 40), fault: "defaults are nested too deep"},
	}
	for _, tt := range tests {
		x := e.expand(tt.in)
		if x.fault != tt.fault || x.fault == "" && x.text != tt.want {
			t.Errorf("%q gives %q, fault %q; want %q, %q", tt.in, x.text, x.fault, tt.want, tt.fault)
		}
		var used []string
		for _, v := range x.used {
			used = append(used, v.value)
		}
		if diff := cmp.Diff(tt.used, used); diff != "" && tt.fault == "" {
			t.Errorf("variables in %q: %s", tt.in, diff)
		}
		if diff := cmp.Diff(tt.missing, x.missing); diff != "" {
			t.Errorf("missing of %q: %s", tt.in, diff)
		}
	}
}

func TestBlankComments(t *testing.T) {
	in := "{ // é\n \"u\": \"http://x/*\", /* a\nb */ \"v\": \"\\\"//\" }"
	want := "{      \n \"u\": \"http://x/*\",     \n     \"v\": \"\\\"//\" }"
	if got := BlankComments(in); got != want {
		t.Errorf("got  %q\nwant %q", got, want)
	}
	for _, same := range []string{"", "{", "{\"a\": 1 /* open", "a: http://x", "{\"open // string"} {
		if got := BlankComments(same); got != same {
			t.Errorf("%q became %q", same, got)
		}
	}
}
