package diag

import "testing"

func TestPointer(t *testing.T) {
	for _, tt := range []struct {
		path []string
		want string
	}{
		{nil, ""},
		{[]string{""}, "/"},
		{[]string{"a", "0", "b c"}, "/a/0/b c"},
		{[]string{"a/b", "~", "~1"}, "/a~1b/~0/~01"},
	} {
		if got := Pointer(tt.path); got != tt.want {
			t.Errorf("%q is %s, want %s", tt.path, got, tt.want)
		}
		for _, step := range tt.path {
			if got := UnescapePointer(EscapePointer(step)); got != step {
				t.Errorf("%q comes back as %q", step, got)
			}
		}
	}
}
