package observed

import (
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/patchbay-mcp/patchbay/expr"
	"github.com/patchbay-mcp/patchbay/run"
	"github.com/patchbay-mcp/patchbay/specs"
)

func tool(name string) *specs.Spec {
	return &specs.Spec{NodeType: specs.MCP, Subtype: "s/" + name, Version: "1"}
}

func value(t testing.TB, text string) expr.Value {
	t.Helper()
	v, err := expr.Decode([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// While the disk does not answer, results are learned and looked up as ever, and what
// is learned meanwhile is written at once afterwards.
func TestABlockedDiskHoldsNothingUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		o := Open(t.TempDir(), "", nil, func() {})
		release := make(chan struct{})
		var written []string
		o.file.update = func(_ string, _ fs.FileMode, change func([]byte) ([]byte, error)) error {
			<-release
			data, err := change(nil)
			written = append(written, string(data))
			return err
		}
		for i := range 50 {
			o.Add(tool(fmt.Sprint("t", i)), value(t, `{"a": 1}`))
			synctest.Wait() // the first write has begun
		}
		if got := o.Of(tool("t49")); got == nil || got.Samples != 1 {
			t.Errorf("got %+v", got)
		}
		o.Close() // waits a second, and no longer
		if len(written) > 0 {
			t.Fatal("the disk was not blocked")
		}
		close(release)
		o.Close()
		if len(written) != 2 || !strings.Contains(written[1], "mcp:s/t49@1") {
			t.Errorf("%d writes, the last of %.200s", len(written), written[len(written)-1])
		}
	})
}

func TestStoreIsKept(t *testing.T) {
	dir := t.TempDir()
	o := Open(dir, "p", nil, func() {})
	for _, text := range []string{`{"a": 1}`, `{"a": 1.5, "b": "x"}`} {
		o.Add(tool("t"), value(t, text))
	}
	want := *o.Of(tool("t"))
	o.Close()
	if got := Open(dir, "p", nil, nil).Of(tool("t")); got == nil || got.Samples != 2 || string(got.Schema) != string(want.Schema) {
		t.Errorf("got %+v, want %+v", got, want)
	}
	for _, text := range []string{"", "no JSON", "[]", `{"mcp:s/t@1": null}`, `{"mcp:s/t@1": 5}`} {
		if err := os.WriteFile(filepath.Join(dir, "observed-p.json"), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if got := Open(dir, "p", nil, nil).Of(tool("t")); got != nil {
			t.Errorf("%q taught %+v", text, got)
		}
	}
}

// What would not be learned costs nothing, whatever its size.
func TestWants(t *testing.T) {
	o := Open("", "", nil, func() {})
	large := []byte(`"` + strings.Repeat("x", 10<<20) + `"`)
	results := map[string]*run.Result{
		"structured": {Structured: large, Content: []json.RawMessage{[]byte("{}")}},
		"content":    {Content: []json.RawMessage{[]byte("{}"), large}},
	}
	for name, res := range results {
		if cost := testing.AllocsPerRun(10, func() {
			if o.Wants(tool("t"), res) {
				t.Errorf("%s of 10 MB is wanted", name)
			}
		}); cost > 10 { // of the key
			t.Errorf("%s: %v allocations", name, cost)
		}
	}
	small := &run.Result{Structured: []byte(`{"a": 1}`)}
	for range maxSamples {
		if !o.Wants(tool("t"), small) {
			t.Fatal("a small result is not wanted")
		}
		o.Add(tool("t"), value(t, `{"a": 1}`))
	}
	if o.Wants(tool("t"), small) || !o.Wants(tool("u"), small) {
		t.Error("a tool that is known is wanted, or another is not")
	}
	o.Add(tool("t"), value(t, `{"b": 1}`))
	if got := o.Of(tool("t")); got.Samples != maxSamples || strings.Contains(string(got.Schema), `"b"`) {
		t.Errorf("got %+v", got)
	}
}

// Of a result with many values the first teach.
func TestSample(t *testing.T) {
	o := Open("", "", nil, func() {})
	o.Add(tool("t"), value(t, `{"first": {"a": null, "b": [true, "x"]}, "many": [`+strings.Repeat(`{"n": 1.5},`, 2000)+`{"late": 1}], "end": 1}`))
	const want = `{"properties":{"first":{"properties":{"a":{"type":"null"},"b":{"items":{"type":["boolean","string"]},"type":"array"}},"required":["a","b"],"type":"object"},"many":{"items":{"properties":{"n":{"type":"number"}},"required":["n"],"type":"object"},"type":"array"}},"required":["first","many"],"type":"object"}`
	if got := o.Of(tool("t")); got == nil || string(got.Schema) != want {
		t.Errorf("got %s\nwant %s", got.Schema, want)
	}
}

// BenchmarkAdd learns from results of the largest size: each takes a few milliseconds.
func BenchmarkAdd(b *testing.B) {
	var names, items strings.Builder
	for i := 0; names.Len() < maxSample-20; i++ {
		fmt.Fprintf(&names, `,"n%d":%d`, i, i)
	}
	for i := 0; items.Len() < maxSample-60; i++ {
		fmt.Fprintf(&items, `,{"a":%d,"b":{"c%d":"x"}}`, i, i%50)
	}
	for name, text := range map[string]string{"names": "{" + names.String()[1:] + "}", "items": "[" + items.String()[1:] + "]", "deep": strings.Repeat("[", 400) + strings.Repeat("]", 400)} {
		b.Run(name, func(b *testing.B) {
			o := Open("", "", nil, func() {})
			v := value(b, text)
			for i := 0; b.Loop(); i++ {
				o.Add(tool(strconv.Itoa(i/maxSamples)), v)
			}
		})
	}
}

// What one process learns does not undo what another has learned, of the same tool either.
func TestTwoProcessesLearn(t *testing.T) {
	dir := t.TempDir()
	first, second := Open(dir, "", nil, func() {}), Open(dir, "", nil, func() {})
	first.Add(tool("one"), value(t, `{"a": 1}`))
	first.Close()
	second.Add(tool("two"), value(t, `{"a": 1}`))
	second.Add(tool("one"), value(t, `{"b": 1}`))
	second.Close()
	first.Add(tool("three"), value(t, `{"a": 1}`))
	first.Close()
	all := Open(dir, "", nil, func() {})
	for _, name := range []string{"two", "three"} {
		if all.Of(tool(name)) == nil {
			t.Errorf("%s is forgotten", name)
		}
	}
	if one := all.Of(tool("one")); one == nil || !strings.Contains(string(one.Schema), `"a"`) || !strings.Contains(string(one.Schema), `"b"`) {
		t.Errorf("one is %+v", one)
	}
	if two := first.Of(tool("two")); two == nil {
		t.Error("the first process does not use what the second has learned")
	}
}
