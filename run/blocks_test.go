package run

import "testing"

// A list and its forks have the same items up to the fork, and their own afterwards.
func TestBlocks(t *testing.T) {
	for _, n := range []int{0, 1, blockSize - 1, blockSize, blockSize + 1, 3*blockSize - 1, 3 * blockSize} {
		var list blocks[int]
		for i := range n {
			list.add(i)
		}
		lists := []*blocks[int]{&list}
		for range 2 {
			fork := list.fork()
			lists = append(lists, &fork)
		}
		for i := range 2 * blockSize {
			for k, l := range lists {
				l.add(i*10 + k)
			}
		}
		for k, l := range lists {
			if l.len() != n+2*blockSize {
				t.Fatalf("a list has %d items, want %d", l.len(), n+2*blockSize)
			}
			for i := range l.len() {
				want := i
				if i >= n {
					want = (i-n)*10 + k
				}
				if got := *l.at(i); got != want {
					t.Fatalf("item %d of list %d is %d, want %d", i, k, got, want)
				}
			}
		}
	}
}

// TestBlocksDoNotMove: an item stays where it is, however many are added.
func TestBlocksDoNotMove(t *testing.T) {
	var list blocks[int]
	for i := range blockSize + 1 {
		list.add(i)
	}
	first, last := list.at(0), list.at(blockSize)
	for i := range blockSize - 1 {
		list.add(i)
	}
	for i := range 10 * blockSize {
		list.add(i)
	}
	if list.at(0) != first || list.at(blockSize) != last {
		t.Error("items were copied")
	}
}
