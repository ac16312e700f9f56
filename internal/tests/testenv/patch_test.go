package testenv_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/internal/tests/testenv"
)

func TestPatch(t *testing.T) {
	const doc = `{"a":{"b":[1,2,3]},"m~n":{"x/y":1.10},"z":1}`
	for _, c := range []struct{ ops, want, err string }{
		{`[]`, doc, ""},
		{`[{"op":"add","path":"/a/b/1","value":9}]`, `{"a":{"b":[1,9,2,3]},"m~n":{"x/y":1.10},"z":1}`, ""},
		{`[{"op":"add","path":"/a/b/-","value":{"k":5}}]`, `{"a":{"b":[1,2,3,{"k":5}]},"m~n":{"x/y":1.10},"z":1}`, ""},
		{`[{"op":"add","path":"/z","value":null}]`, `{"a":{"b":[1,2,3]},"m~n":{"x/y":1.10},"z":null}`, ""},
		{`[{"op":"remove","path":"/a/b/0"},{"op":"remove","path":"/z"}]`, `{"a":{"b":[2,3]},"m~n":{"x/y":1.10}}`, ""},
		{`[{"op":"replace","path":"/m~0n/x~1y","value":"s"}]`, `{"a":{"b":[1,2,3]},"m~n":{"x/y":"s"},"z":1}`, ""},
		{`[{"op":"move","from":"/z","path":"/y"}]`, `{"a":{"b":[1,2,3]},"m~n":{"x/y":1.10},"y":1}`, ""},
		{`[{"op":"move","from":"/a/b/0","path":"/a/b/2"}]`, `{"a":{"b":[2,3,1]},"m~n":{"x/y":1.10},"z":1}`, ""},
		{`[{"op":"replace","path":"","value":[]}]`, `[]`, ""},
		{`[{"op":"remove","path":"/q"}]`, "", `operation 0, remove "/q": there is no key "q"`},
		{`[{"op":"add","path":"/a/b/4","value":1}]`, "", `"4" is not an index from 0 to 3`},
		{`[{"op":"replace","path":"/a/b/01","value":1}]`, "", `"01" is not an index from 0 to 2`},
		{`[{"op":"add","path":"/z/k","value":1}]`, "", `"k" leads into json.Number`},
		{`[{"op":"add","path":"a","value":1}]`, "", `does not start with "/"`},
		{`[{"op":"move","from":"/a","path":"/a/b/c"}]`, "", "into itself"},
		{`[{"op":"merge","path":"/a"}]`, "", "no such operation"},
	} {
		var ops []diag.PatchOp
		if err := json.Unmarshal([]byte(c.ops), &ops); err != nil {
			t.Fatal(err)
		}
		got, err := testenv.Patch([]byte(doc), ops)
		switch {
		case c.err != "":
			if err == nil || !strings.Contains(err.Error(), c.err) {
				t.Errorf("%s: got %s, %v, want the error %q", c.ops, got, err, c.err)
			}
		case err != nil || string(got) != c.want:
			t.Errorf("%s: got %s, %v, want %s", c.ops, got, err, c.want)
		}
	}
	if _, err := testenv.Patch([]byte(`{"a":`), nil); err == nil {
		t.Error("a document that is not JSON is patched")
	}
}
