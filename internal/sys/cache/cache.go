// Package cache has bounded caches, which drop the entry that was unused for the longest time.
// It imports nothing of ours.
package cache

import (
	"sync"

	"github.com/hashicorp/golang-lru/v2/simplelru"
)

// A Cache has the entries that were used last. It is safe for concurrent use.
type Cache[K comparable, V any] struct {
	mu      sync.Mutex
	entries *simplelru.LRU[K, V]
	size    func(K, V) int
	max     int // of the sizes together
	used    int
}

// New returns a cache of at most so many entries, which is a positive number.
func New[K comparable, V any](entries int) *Cache[K, V] {
	return Sized(entries, 0, func(K, V) int { return 0 })
}

// Sized returns a cache of at most so many entries, whose sizes together are at most max.
func Sized[K comparable, V any](entries, max int, size func(K, V) int) *Cache[K, V] {
	c := &Cache[K, V]{max: max, size: size}
	var err error
	if c.entries, err = simplelru.NewLRU(entries, func(k K, v V) { c.used -= size(k, v) }); err != nil {
		panic(err) // entries is not positive
	}
	return c
}

// Texts returns a cache of values by texts, which have at most so many bytes together: what is
// compiled of a text takes memory in proportion to it.
func Texts[V any](entries, bytes int) *Cache[string, V] {
	return Sized(entries, bytes, func(text string, _ V) int { return len(text) })
}

// Get returns the value of a key.
func (c *Cache[K, V]) Get(key K) (v V, ok bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.entries.Get(key)
}

// Add adds an entry, unless the key has one, and reports whether it had none.
func (c *Cache[K, V]) Add(key K, v V) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.entries.Contains(key) {
		return false
	}
	c.used += c.size(key, v)
	for c.entries.Add(key, v); c.used > c.max; {
		c.entries.RemoveOldest()
	}
	return true
}

// Set adds an entry, or replaces the one of the key.
func (c *Cache[K, V]) Set(key K, v V) {
	c.Remove(key)
	c.Add(key, v)
}

// Remove removes the entry of a key.
func (c *Cache[K, V]) Remove(key K) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.entries.Remove(key)
}

// Purge removes all entries.
func (c *Cache[K, V]) Purge() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.entries.Purge()
}

// Values returns the values, that of the entry that was unused for the longest time first.
func (c *Cache[K, V]) Values() []V {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.entries.Values()
}

// Used returns how many entries there are, and their sizes together.
func (c *Cache[K, V]) Used() (entries, size int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.entries.Len(), c.used
}
