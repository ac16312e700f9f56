package lists_test

import (
	"slices"
	"strconv"
	"testing"

	"github.com/patchbay-mcp/patchbay/internal/sys/lists"
)

func TestLists(t *testing.T) {
	numbers := []int{3, 1, 2}
	if got := lists.Each(numbers, strconv.Itoa); !slices.Equal(got, []string{"3", "1", "2"}) {
		t.Error(got)
	}
	if got := lists.Each(nil, strconv.Itoa); got == nil || len(got) != 0 {
		t.Error("no list of nothing")
	}
	if got := lists.Only(numbers, func(n int) bool { return n > 1 }); !slices.Equal(got, []int{3, 2}) || !slices.Equal(numbers, []int{3, 1, 2}) {
		t.Error(got, numbers)
	}
	if got := lists.Only(numbers, func(n int) bool { return n > 3 }); got != nil {
		t.Error(got)
	}
}
