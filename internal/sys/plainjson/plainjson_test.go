package plainjson_test

import (
	"testing"

	"github.com/patchbay-mcp/patchbay/internal/sys/plainjson"
)

func TestPlainJSON(t *testing.T) {
	const text = `{"a":"<b> & \"c\"","n":12345678901234567890.10}`
	var v any
	if err := plainjson.Decode([]byte(text+" "), &v); err != nil {
		t.Fatal(err)
	}
	if b, err := plainjson.Marshal(v); err != nil || string(b) != text {
		t.Errorf("%s: %v", b, err)
	}
	if got := plainjson.Quote("a<\n"); got != `"a<\n"` {
		t.Error(got)
	}
	if _, err := plainjson.Marshal(func() {}); err == nil {
		t.Error("a function is JSON")
	}
}
