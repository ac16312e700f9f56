package expr

import (
	"strings"
	"testing"
)

func TestEncodeWithin(t *testing.T) {
	o := NewObject()
	o.Set("key", []any{1.0, "two"})
	for _, tt := range []struct {
		v      Value
		most   int
		want   string // or what it begins with
		larger bool
	}{
		{nil, 0, `null`, false},
		{"abc", 5, `"abc"`, false},
		{"abc", 4, `"abc`, true},
		{"abcdef", 3, `"abc`, true},
		{"\n\n", 4, `"\n\n`, true},
		{o, 17, `{"key":[1,"two"]}`, false},
		{o, 16, `{"key":[1,"two"]`, true},
		{o, 10, `{"key":[1,`, true},
		{[]any{}, 1, `[`, true},
	} {
		b, larger, err := EncodeWithin(tt.v, tt.most)
		if err != nil || larger != tt.larger || !strings.HasPrefix(string(b), tt.want) || !larger && string(b) != tt.want {
			t.Errorf("%v within %d: %s, %v, %v, want %s, %v", tt.v, tt.most, b, larger, err, tt.want, tt.larger)
		}
	}
	if _, _, err := EncodeWithin(func() {}, 10); err == nil {
		t.Error("a function is encoded")
	}
}

// TestEncodeWithinStops encodes the beginning of a value that is far too large to be
// encoded as a whole.
func TestEncodeWithinStops(t *testing.T) {
	var v Value = "leaf"
	for range 100 {
		v = []any{v, v}
	}
	if b, larger, err := EncodeWithin(v, 1000); err != nil || !larger || len(b) < 1000 || len(b) > 2000 {
		t.Errorf("%d bytes, larger %v, %v", len(b), larger, err)
	}
	long := strings.Repeat("x", 1<<20)
	if b, larger, err := EncodeWithin([]any{long}, 1000); err != nil || !larger || len(b) > 2000 {
		t.Errorf("%d bytes, larger %v, %v", len(b), larger, err)
	}
}
