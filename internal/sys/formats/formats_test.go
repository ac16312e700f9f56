package formats_test

import (
	"encoding/json"
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/patchbay-mcp/patchbay/internal/sys/formats"
)

func TestDecode(t *testing.T) {
	f := formats.Format{Name: "x", Version: 2}
	want := map[string]string{"a": "b", "format": "c"}
	written, err := json.MarshalIndent(f.Wrap(want), "", "  ")
	if err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{
		"as written": string(written),
		"in a line":  `{"format":2,"content":{"a":"b","format":"c"}}`,
		"format 1":   `{"a":"b","format":"c"}`,
		"a key of format 1 that is called format": `{"format":"c","a":"b"}`,
	} {
		var got map[string]string
		if err := f.Decode([]byte(text), &got); err != nil || !cmp.Equal(got, want) {
			t.Errorf("%s: %v, %v", name, got, err)
		}
	}
	var list []int
	if err := f.Decode([]byte(`[1,2]`), &list); err != nil || len(list) != 2 {
		t.Errorf("a list of format 1: %v, %v", list, err)
	}
	var none map[string]string
	for _, text := range []string{``, `{"format":2}`, `{"format":2,"content":`, `{"format":1,"other":{}}`, `{`} {
		if err := f.Decode([]byte(text), &none); err == nil {
			t.Errorf("%q is read: %v", text, none)
		}
	}
}

// A file of a later format is refused before it is read, whatever it has.
func TestDecodeRefusesLaterFormats(t *testing.T) {
	f := formats.Format{Name: "x", Version: 2}
	got := map[string]int{"kept": 1}
	err := f.Decode([]byte(`{"format": 3, "new": []}`), &got)
	newer, ok := errors.AsType[*formats.NewerError](err)
	if !ok || newer.Found != 3 || len(got) != 1 {
		t.Fatalf("%v: %v", err, got)
	}
	const want = "a newer version of patchbay wrote it (format 3, this program reads up to 2): install that version of patchbay or a later one, or move the file away"
	if err.Error() != want {
		t.Errorf("got %q", err)
	}
}

func TestNames(t *testing.T) {
	seen := map[string]bool{}
	for _, f := range formats.All() {
		if f.Name == "" || f.Version < 1 || f.Of == "" || seen[f.Name] {
			t.Errorf("%+v", f)
		}
		seen[f.Name] = true
	}
}
