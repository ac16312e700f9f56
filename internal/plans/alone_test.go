package plans

import (
	"strings"
	"testing"
)

// A saved graph that makes the program fail keeps no other from being served.
func TestAlone(t *testing.T) {
	var empty []int
	beyond := func(i int) { _ = empty[i] }
	if err := Alone(func() { beyond(0) }); err == nil || !strings.Contains(err.Error(), "out of range") {
		t.Errorf("got %v", err)
	}
	if err := Alone(func() {}); err != nil {
		t.Error(err)
	}
}
