package run

import "slices"

// blockSize is how many items a block holds.
const blockSize = 1024

// blocks are a list that is not copied as it grows: copying a million items holds up
// whoever appends, and while garbage is collected everybody else. The zero list is empty.
type blocks[T any] struct {
	full [][]T
	last []T
}

func (b *blocks[T]) len() int { return len(b.full)*blockSize + len(b.last) }

func (b *blocks[T]) at(i int) *T {
	if block := i / blockSize; block < len(b.full) {
		return &b.full[block][i%blockSize]
	}
	return &b.last[i%blockSize]
}

func (b *blocks[T]) add(item T) {
	if len(b.last) == blockSize {
		b.full, b.last = append(b.full, b.last), make([]T, 0, blockSize)
	}
	b.last = append(b.last, item)
}

// fork returns a list that begins with b and is its own from then on.
func (b *blocks[T]) fork() blocks[T] { return blocks[T]{slices.Clip(b.full), slices.Clip(b.last)} }
