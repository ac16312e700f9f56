package catalog

// Settled reports whether nothing goes on in the background.
func (c *Catalog) Settled() bool { return len(c.settle) == 0 && c.Snapshot().index.Settled() }
