package graph

import (
	"encoding/json"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/patchbay-mcp/patchbay/diag"
)

// parse returns the document, which must be without fault.
func parse(t *testing.T, src string) *Document {
	t.Helper()
	d, l := Parse("x", src)
	if len(l) > 0 {
		t.Fatalf("%q:\n%s", src, diag.Format("x", src, l))
	}
	return d
}

func TestDataModelIsJSONs(t *testing.T) {
	for src, want := range map[string]string{
		"a: yes\nb: 1_000\nc: 0o17\nd: .inf\ne: 2001-01-01\nf: .NaN\ng: null\nh: no\ni: 012\nj: -0.5e3\nk:\nl: true\n": `{"a":"yes","b":"1_000","c":"0o17","d":".inf","e":"2001-01-01","f":".NaN","g":null,"h":"no","i":"012","j":-0.5e3,"k":null,"l":true}`,
		"big: 1e400\nprecise: 9007199254740993\nprice: 1.10\n":                                                         `{"big":1e400,"precise":9007199254740993,"price":1.10}`,
		"z: 1\na: 2\nm: {y: 1, b: 2}\n":                                                                                `{"z":1,"a":2,"m":{"y":1,"b":2}}`,
		"'1': q\n2: p\n":                                                                                               `{"1":"q","2":"p"}`,
		"\ufeffa: 1\r\nb: |\r\n  x\r\n  y\r\n":                                                                         `{"a":1,"b":"x\ny\n"}`,
		`{"a": 1.10, "b": "\u00e9\ud83d\ude00\n"}`:                                                                     `{"a":1.10,"b":"é😀\n"}`,
		"{a: 1, b: [x, 'y']}":                                                                                          `{"a":1,"b":["x","y"]}`,
		`{"a": 1,}`:                                                                                                    `{"a":1}`,
	} {
		if got := string(parse(t, src).Root.JSON()); got != want {
			t.Errorf("%q: got %s, want %s", src, got, want)
		}
	}
}

// The words that YAML takes for null, true and false, and JSON does not, are strings,
// and that is said.
func TestWords(t *testing.T) {
	d, l := Parse("x", "a: ~\nb: [True, FALSE, \"True\", 'Null', True or false]\nNULL: Null\n")
	if got, want := string(d.Root.JSON()), `{"a":"~","b":["True","FALSE","True","Null","True or false"],"NULL":"Null"}`; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	var got []string
	for _, x := range l {
		fixed, _ := Parse("x", diag.ApplyEdits(d.Src, x.Fixes[0].Edits))
		got = append(got, x.Path+" "+string(x.Severity)+" "+string(fixed.Root.At(x.Path).JSON()))
	}
	if want := []string{"/a note null", "/b/0 note true", "/b/1 note false", "/NULL note null"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	if _, l := Parse("x", strings.Repeat("- ~\n", 5000)); len(l) > 1001 {
		t.Errorf("%d diagnostics", len(l))
	}
}

func TestFaults(t *testing.T) {
	deep := strings.Repeat("{a: ", 300) + "1" + strings.Repeat("}", 300)
	for _, c := range []struct {
		src, code, at, message string
		doc                    bool
	}{
		{"a: b: c\n", "syntax", "1:5", `a second ":"`, false},
		{"a:\n\tb: 1\n", "syntax", "2:1", "a tab", false},
		{"a: 'x\nb: 2\n", "syntax", "1:4", "never closed", false},
		{"expr: 'é = 'b''\n", "syntax", "1:13", `the string ends at the single quote before "b"`, false},
		{"a: {expr: '$.a = 'b' ? 1 : 2'}\n", "syntax", "1:19", `the string ends at the single quote before "b"`, false},
		{"é: [1, 2\nb: 3\n", "syntax", "2:2", `expected "," or "]", found ":"`, false},
		{"a: {b: 1\n", "syntax", "1:4", "never closed", false},
		{"é: @x\n", "syntax", "1:4", `cannot start with "@"`, false},
		{"a: \x01", "syntax", "1:4", "control character", false},
		{"a: é\xff", "syntax", "1:5", "byte 0xff is not valid UTF-8", false},
		{"%YAML 1.2\n---\na: 1\n", "syntax", "1:1", "directives", false},
		{`{"é" 1}`, "syntax", "1:6", `expected ":" after the key, found "1"`, false},
		{`{"a": 1 "b": 2}`, "syntax", "1:9", `expected "," or "}", found a double quote`, false},
		{`{"a":1 "b":2}`, "syntax", "1:8", `expected "," or "}", found a double quote`, false},
		{`{"a": "x}`, "syntax", "1:7", "the string that starts here is never closed", false},
		{`{"a": [1}`, "syntax", "1:9", `expected "," or "]", found "}"`, false},
		{`{"a": 1`, "syntax", "1:8", `expected "," or "}", found the end of the text`, false},
		{`{"a": "\q"}`, "syntax", "1:8", `the escape \q`, false},
		{`{"a": 1}}`, "syntax", "1:9", "text follows the end", false},
		{"a: 1\nb: 2\na: 3\n", "duplicate-key", "3:1", `key "a" is already in this map`, true},
		{`{"a": 1, "a": 2}`, "duplicate-key", "1:10", `key "a" is already in this map`, true},
		{"a: 1\n---\nb: 2\n", "second-document", "2:1", "a second document", true},
		{"a: &x 1\n", "alias", "1:4", `anchor "&x"`, true},
		{"a: !!str 1\n", "alias", "1:4", `tag "!!str"`, true},
		{"a: *x\n", "syntax", "1:4", "anchor that does not exist", false},
		{"", "empty-document", "1:1", "empty", true},
		{"# nothing\n", "empty-document", "2:1", "empty", true},
		{"- a\n", "wrong-shape", "1:1", "the document is a list, not a map", true},
		{"text\n", "wrong-shape", "1:1", "the document is text, not a map", true},
		{"? [a]\n: 1\n", "wrong-shape", "1:3", "a key is a list", true},
		{deep, "document-too-deep", "1:801", "more than 200 deep", false},
		{strings.ReplaceAll(deep, "a:", `"a":`), "document-too-deep", "1:1201", "more than 200 deep", false},
		{strings.Repeat("x", MaxBytes+1), "document-too-large", "0:0", "more than the limit", false},
	} {
		d, l := Parse("x", c.src)
		name := c.src[:min(len(c.src), 40)]
		if (d != nil) != c.doc || len(l) == 0 {
			t.Errorf("%q: document %v, faults %d", name, d != nil, len(l))
			continue
		}
		at := l[0].Range.Start
		if got := strconv.Itoa(at.Line) + ":" + strconv.Itoa(at.Column); l[0].Code != c.code || got != c.at || !strings.Contains(l[0].Message, c.message) {
			t.Errorf("%q: got %s at %s: %s", name, l[0].Code, got, l[0].Message)
		}
		if l[0].Hint == "" && c.code != "syntax" {
			t.Errorf("%q: no hint", name)
		}
	}
}

func TestAllFaultsAreReported(t *testing.T) {
	_, l := Parse("x", "a: 1\na: 2\nb: &x {c: 1, c: 2}\nd: *x\n---\ne: 1\n")
	var got []string
	for _, d := range l {
		got = append(got, strconv.Itoa(d.Range.Start.Line)+" "+d.Code)
	}
	want := []string{"2 duplicate-key", "3 alias", "3 duplicate-key", "4 alias", "5 second-document"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestSyntaxFixes(t *testing.T) {
	for _, c := range []struct{ src, want string }{
		{"d: note: this\n", "d: 'note: this'\n"},
		{"a:\n\tb: 1\n\tc: 2\n", "a:\n  b: 1\n  c: 2\n"},
		{"x: {expr: $a ? \"x\" : \"y\"}\n", "x: {expr: '$a ? \"x\" : \"y\"'}\n"},
		{"t: {expr: { \"n\": $f($g(x, \"\\n\")) }, next: z}\n", "t: {expr: '{ \"n\": $f($g(x, \"\\n\")) }', next: z}\n"},
		{"a:\n  expr: { \"n\": $f($x[0]) }\nb: 1\n", "a:\n  expr: '{ \"n\": $f($x[0]) }'\nb: 1\n"},
		{"a:\n  expr: {\n    \"n\": $f($x[0]),\n    \"m\": 1\n  }\nb: 1\n", "a:\n  expr: |-\n    {\n      \"n\": $f($x[0]),\n      \"m\": 1\n    }\nb: 1\n"},
		{"expr: \"a\" & $.b\n", "expr: '\"a\" & $.b'\n"},
		{"expr: '$x = 'a''\n", "expr: '$x = ''a'''\n"},
		{"re: \"\\d\"\n", "re: \"\\\\d\"\n"},
		{"m: @all\n", "m: '@all'\n"},
		{"m: `x`  # c\n", "m: '`x`'  # c\n"},
		{`{"a" : [1,,2]}`, ""},
		{"a: [1\nb: 2\n", ""},
	} {
		_, l := Parse("x", c.src)
		if len(l) == 0 {
			t.Errorf("%q: no fault", c.src)
			continue
		}
		got := ""
		if len(l[0].Fixes) > 0 {
			got = diag.ApplyEdits(c.src, l[0].Fixes[0].Edits)
		}
		if got != c.want {
			t.Errorf("%q: fixed to %q, want %q", c.src, got, c.want)
		}
	}
}

func TestTools(t *testing.T) {
	for src, want := range map[string]string{
		"tools: [{name: a}, {name: b}]": `[{"name":"a"},{"name":"b"}]`,
		"name: a\nnodes: []":            `[{"name":"a","nodes":[]}]`,
		"nodes: []":                     `[{"nodes":[]}]`,
		"tools: {name: a}":              `null`,
		"x: 1":                          `null`,
	} {
		d := parse(t, src)
		got, err := json.Marshal(d.Tools())
		if err != nil || string(got) != want {
			t.Errorf("%q: got %s, %v, want %s", src, got, err, want)
		}
	}
	if !parse(t, "nodes: []").Tree().Bare() || parse(t, "tools: []\nnodes: []").Tree().Bare() {
		t.Error("a document is bare exactly if it has nodes and no tools")
	}
}

func TestRevision(t *testing.T) {
	if a, b := Revision("a"), Revision("a "); a == b || len(a) != 16 {
		t.Errorf("revisions %s and %s", a, b)
	}
}
