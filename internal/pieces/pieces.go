// Package pieces grows and copies large slices piece by piece. The runtime copies a slice
// in one go: while it copies tens of megabytes, above all pointers that the garbage
// collector marks at the same time, nothing else of the process may get its turn.
// Between two pieces others do.
package pieces

import (
	"slices"
	"unsafe"
)

// size is how many bytes are copied in one go.
const size = 64 << 10

// length is how many items of a type are a piece.
func length[T any]() int {
	var item T
	return max(size/max(int(unsafe.Sizeof(item)), 1), 1)
}

// Grow returns s with room for n more items, as [slices.Grow] does.
func Grow[S ~[]T, T any](s S, n int) S {
	if cap(s)-len(s) >= n || len(s) <= length[T]() {
		return slices.Grow(s, n)
	}
	larger := make(S, len(s), max(len(s)+n, len(s)+len(s)/4))
	Copy(larger, s)
	return larger
}

// Append appends the items of more to s.
func Append[S ~[]T, T any](s, more S) S {
	if len(s)+len(more) <= length[T]() {
		return append(s, more...)
	}
	s = Grow(s, len(more))
	at := len(s)
	s = s[:at+len(more)]
	Copy(s[at:], more)
	return s
}

// Push appends one item to s.
func Push[S ~[]T, T any](s S, item T) S {
	if len(s) == cap(s) && len(s) > length[T]() {
		s = Grow(s, 1)
	}
	return append(s, item)
}

// Copy copies items as the function copy does. Where the two overlap, to must begin before
// from does.
func Copy[S ~[]T, T any](to, from S) {
	n := min(len(to), len(from))
	to, from = to[:n], from[:n]
	each := length[T]()
	for len(from) > each {
		copy(to, from[:each])
		to, from = to[each:], from[each:]
	}
	copy(to, from)
}
