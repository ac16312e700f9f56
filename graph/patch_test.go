package graph

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/patchbay-mcp/patchbay/diag"
)

func TestApplyPatch(t *testing.T) {
	const doc = `{"z":1,"a":{"b":[1,2,3]},"m~n":{"x/y":1.10}}`
	for _, c := range []struct{ ops, want, err string }{
		{`[]`, doc, ""},
		{`[{"op":"add","path":"/a/b/1","value":9}]`, `{"z":1,"a":{"b":[1,9,2,3]},"m~n":{"x/y":1.10}}`, ""},
		{`[{"op":"add","path":"/a/b/-","value":{"k":5}}]`, `{"z":1,"a":{"b":[1,2,3,{"k":5}]},"m~n":{"x/y":1.10}}`, ""},
		{`[{"op":"add","path":"/z","value":null}]`, `{"z":null,"a":{"b":[1,2,3]},"m~n":{"x/y":1.10}}`, ""},
		{`[{"op":"remove","path":"/a/b/0"},{"op":"remove","path":"/z"}]`, `{"a":{"b":[2,3]},"m~n":{"x/y":1.10}}`, ""},
		{`[{"op":"replace","path":"/m~0n/x~1y","value":"s"}]`, `{"z":1,"a":{"b":[1,2,3]},"m~n":{"x/y":"s"}}`, ""},
		{`[{"op":"move","from":"/z","path":"/y"}]`, `{"y":1,"a":{"b":[1,2,3]},"m~n":{"x/y":1.10}}`, ""},
		{`[{"op":"move","from":"/a/b/0","path":"/a/b/2"}]`, `{"z":1,"a":{"b":[2,3,1]},"m~n":{"x/y":1.10}}`, ""},
		{`[{"op":"copy","from":"/a/b","path":"/c"},{"op":"add","path":"/c/0","value":0}]`, `{"z":1,"a":{"b":[1,2,3]},"m~n":{"x/y":1.10},"c":[0,1,2,3]}`, ""},
		{`[{"op":"test","path":"/m~0n","value":{"x/y":1.1}}]`, doc, ""},
		{`[{"op":"replace","path":"","value":[]}]`, `[]`, ""},
		{`[{"op":"test","path":"/z","value":2}]`, "", "the value there is 1"},
		{`[{"op":"remove","path":"/q"}]`, "", `operation 0, remove "/q": there is no key "q"`},
		{`[{"op":"add","path":"/a/b/4","value":1}]`, "", `"4" is not an index from 0 to 3`},
		{`[{"op":"replace","path":"/a/b/01","value":1}]`, "", `"01" is not an index`},
		{`[{"op":"add","path":"/z/k","value":1}]`, "", `"k" leads into a number`},
		{`[{"op":"add","path":"a","value":1}]`, "", `does not start with "/"`},
		{`[{"op":"move","from":"/a","path":"/a/b/c"}]`, "", "into itself"},
		{`[{"op":"merge","path":"/a"}]`, "", "no such operation"},
	} {
		var ops []diag.PatchOp
		if err := json.Unmarshal([]byte(c.ops), &ops); err != nil {
			t.Fatal(err)
		}
		got, err := ApplyPatch([]byte(doc), ops)
		switch {
		case c.err != "":
			if err == nil || !strings.Contains(err.Error(), c.err) {
				t.Errorf("%s: got %s, %v, want the error %q", c.ops, got, err, c.err)
			}
		case err != nil || string(got) != c.want:
			t.Errorf("%s: got %s, %v, want %s", c.ops, got, err, c.want)
		}
	}
	if _, err := ApplyPatch([]byte(`{"a":`), nil); err == nil {
		t.Error("a document that is not JSON is patched")
	}
}
