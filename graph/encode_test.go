package graph

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestEncode(t *testing.T) {
	value := json.RawMessage(`{"version":"1.0","name":"count_files","big":1e400,"tools":[{"name":"t","inputSchema":{"type":"object","properties":{"directory":{"type":"string"}},"required":["directory"]},
		"nodes":[{"id":"entry","type":"entry","next":"list"},
		{"id":"list","type":"mcp","server":"filesystem","tool":"list_directory","args":{"path":{"expr":"$.entry.directory"}},"next":"count","retry":{"maxAttempts":3}},
		{"id":"count","type":"transform","transform":{"expr":"(\n  $x := 1;\n  { \"n\": $x }\n)\n"}},
		{"id":"yes","type":"transform","transform":{"expr":"{ \"count\": $count($split($.list.content, \"\\n\")) }"}},
		{"id":"empty","args":{},"list":[],"none":null,"text":"","matrix":[[1,2],[3]],"s":[" x","it's","a: b","- a","x #y","012","1:30","2001-01-01","~","@x","null","end:","\u2028","tab\there"]}]}]}`)
	want := `version: '1.0'
name: count_files
big: 1e400
tools:
  - name: t
    inputSchema: {type: object, properties: {directory: {type: string}}, required: [directory]}
    nodes:
      - {id: entry, type: entry, next: list}
      - id: list
        type: mcp
        server: filesystem
        tool: list_directory
        args: {path: {expr: $.entry.directory}}
        next: count
        retry: {maxAttempts: 3}
      - id: count
        type: transform
        transform:
          expr: |
            (
              $x := 1;
              { "n": $x }
            )
      - id: 'yes'
        type: transform
        transform: {expr: '{ "count": $count($split($.list.content, "\n")) }'}
      - id: empty
        args: {}
        list: []
        none: null
        text: ''
        matrix:
          - [1, 2]
          - [3]
        s:
          - ' x'
          - it's
          - 'a: b'
          - '- a'
          - 'x #y'
          - '012'
          - '1:30'
          - '2001-01-01'
          - '~'
          - '@x'
          - 'null'
          - 'end:'
          - "\u2028"
          - "tab\there"
`
	got := string(Encode(value))
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
	if again := string(Encode(parse(t, got).Root)); again != got {
		t.Errorf("encoding what was encoded changes it:\n%s\nagain:\n%s", got, again)
	}
}

// Texts that YAML 1.1 or 1.2 readers take for something else are quoted.
func TestEncodeQuotesWhatIsNotText(t *testing.T) {
	for _, s := range []string{
		"null", "Null", "~", "true", "True", "TRUE", "yes", "Yes", "no", "NO", "on", "Off", "y", "N", "=", "<<",
		"1", "-1", "+1", "1.5", ".5", "1.", "1e3", "1_000", "0x1F", "0o17", "017", "0b101", "1:30", "190:20:30.15",
		".inf", "-.INF", ".nan", ".NaN", "2001-01-01", "2001-1-1T10:00:00Z", "2001-12-14 21:59:43.10 -5", "", " ", "---", "-", "?", "# c",
		"%x", "@x", "`x", "&x", "*x", "!x", "|", ">", "a: b", "a:", "a #b", "'x", "\"x", "{", "[", ",", "]", "}", "\ufeffx", "x\u0085y", "a\u202eb",
	} {
		if got := string(Encode(s)); got[0] != '\'' && got[0] != '"' {
			t.Errorf("%q is written %s", s, got)
		}
	}
	for _, s := range []string{"a", "count_files", "$.a.b", "$f(x)", "1.0.0", "v1", "é ü", "https://x.y/z", "a-b", "-x", "file.txt", "x?y", "日本語"} {
		if got := string(Encode(s)); got != s+"\n" {
			t.Errorf("%q is written %s", s, got)
		}
	}
}

// Keys that only YAML 1.1 takes for booleans stay as people write them.
func TestEncodeKeys(t *testing.T) {
	const text = "ui: {x: 1, y: 2}\n'yes': {n: 1, N: 2, Y: y}\ny: 'n'\n"
	value := json.RawMessage(`{"ui":{"x":1,"y":2},"yes":{"n":1,"N":2,"Y":"y"},"y":"n"}`)
	got := string(Encode(value))
	if want := strings.Replace(text, "Y: y}", "Y: 'y'}", 1); got != want {
		t.Errorf("written %s, want %s", got, want)
	}
	if diff := cmp.Diff(string(value), string(parse(t, got).Root.JSON())); diff != "" {
		t.Errorf("it reads back otherwise: %s", diff)
	}
}
