// Package textcache keeps what is compiled of texts. What is kept is bounded by how long
// the texts are together, which the memory it takes follows. The package imports nothing
// of ours.
package textcache

import (
	"sync"

	"github.com/hashicorp/golang-lru/v2/simplelru"
)

// A Cache keeps a value for each of the texts that were used last. It is safe for
// concurrent use.
type Cache[V any] struct {
	mu   sync.Mutex
	kept *simplelru.LRU[string, V]
	most int // bytes of all texts
	used int
}

// New returns a cache of so many texts, which have so many bytes together.
func New[V any](texts, bytes int) *Cache[V] {
	c := &Cache[V]{most: bytes}
	kept, err := simplelru.NewLRU(texts, func(text string, _ V) { c.used -= len(text) })
	if err != nil {
		panic(err) // texts is not positive
	}
	c.kept = kept
	return c
}

// Get returns the value of a text, if it is kept.
func (c *Cache[V]) Get(text string) (v V, ok bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.kept.Get(text)
}

// Add keeps the value of a text, unless the text has one, and lets go of those that were
// not used for longest.
func (c *Cache[V]) Add(text string, v V) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.kept.Contains(text) {
		return
	}
	c.used += len(text)
	for c.kept.Add(text, v); c.used > c.most; {
		c.kept.RemoveOldest()
	}
}

// Purge lets go of all.
func (c *Cache[V]) Purge() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.kept.Purge()
}

// Kept returns how many texts are kept, and how many bytes they have.
func (c *Cache[V]) Kept() (texts, bytes int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.kept.Len(), c.used
}
