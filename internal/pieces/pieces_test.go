package pieces

import (
	"slices"
	"testing"
)

func TestSlicesAreWhatAppendMakes(t *testing.T) {
	for _, n := range []int{0, 1, length[int]() - 1, length[int](), length[int]() + 1, 3*length[int]() + 7} {
		more := make([]int, n)
		for i := range more {
			more[i] = i
		}
		var pushed []int
		for i := range n {
			pushed = Push(pushed, i)
		}
		want := append([]int{-1}, more...)
		for name, got := range map[string][]int{"Append": Append([]int{-1}, more), "Push": append([]int{-1}, pushed...), "Grow": append(Grow([]int{-1}, n), more...)} {
			if !slices.Equal(got, want) {
				t.Errorf("%s of %d items: got %d, which differ", name, n, len(got))
			}
		}
		if grown := Grow(more, 5); cap(grown)-len(grown) < 5 || len(grown) != n {
			t.Errorf("room for 5 after %d items: length %d, capacity %d", n, len(grown), cap(grown))
		}
	}
}

func TestWhatIsGrownKeepsTheOriginal(t *testing.T) {
	s := make([]any, 10*length[any]())
	grown := Push(s, any(1))
	grown[0] = "changed"
	if s[0] != nil {
		t.Error("the items of the first slice changed")
	}
}

// The number of copies stays proportional to the length.
func BenchmarkPush(b *testing.B) {
	for _, n := range []int{10, 1000, 1_000_000} {
		b.Run(map[int]string{10: "10", 1000: "1k", 1_000_000: "1M"}[n], func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				var s []any
				for range n {
					s = Push(s, any(true))
				}
			}
		})
	}
}
