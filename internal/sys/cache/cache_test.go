package cache

import (
	"fmt"
	"testing"
)

// What is kept is bounded by the number of texts and by how long they are together.
func TestBounds(t *testing.T) {
	for _, test := range []struct{ length, texts, bytes int }{{2, 10, 20}, {10, 5, 50}, {50, 1, 50}, {51, 0, 0}} {
		c := Texts[int](10, 50)
		for i := range 100 {
			c.Add(fmt.Sprintf("%0*d", test.length, i), i)
		}
		if texts, bytes := c.Used(); texts != test.texts || bytes != test.bytes {
			t.Errorf("of texts of %d bytes %d are kept with %d bytes, want %d with %d", test.length, texts, bytes, test.texts, test.bytes)
		}
		if v, ok := c.Get(fmt.Sprintf("%0*d", test.length, 99)); ok != (test.texts > 0) || ok && v != 99 {
			t.Errorf("the last of %d bytes: %d %t", test.length, v, ok)
		}
		c.Purge()
		if texts, bytes := c.Used(); texts != 0 || bytes != 0 {
			t.Errorf("afterwards %d texts with %d bytes are kept", texts, bytes)
		}
	}
}

// The text that was not used for longest goes first, and the first value of a text stays.
func TestUse(t *testing.T) {
	c := Texts[int](10, 3)
	for i, text := range []string{"a", "b", "a", "c"} {
		c.Add(text, i)
	}
	if v, ok := c.Get("a"); !ok || v != 0 {
		t.Errorf("a has %d, %t", v, ok)
	}
	c.Add("d", 4)
	if _, ok := c.Get("b"); ok {
		t.Error("b is kept, which was not used for longest")
	}
	for _, text := range []string{"a", "c", "d"} {
		if _, ok := c.Get(text); !ok {
			t.Errorf("%s is not kept", text)
		}
	}
}
