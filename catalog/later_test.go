package catalog_test

import (
	"slices"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/patchbay-mcp/patchbay/catalog"
	"github.com/patchbay-mcp/patchbay/specs"
)

// What is filed later is there for whoever reads the catalog, is made once, and does not
// replace what its origin has been given since.
func TestLater(t *testing.T) {
	var made atomic.Int32
	c := catalog.New()
	c.Later("built-in", func() []*specs.Spec {
		made.Add(1)
		return kinds("entry", "exit")
	})
	c.Later("idioms", func() []*specs.Spec { return kinds("loop") })
	c.Replace("graphs", nil)
	if made.Load() != 0 {
		t.Error("it was made before anybody needs the catalog")
	}
	c.OnChange(func() { t.Error("reading the catalog is reported as a change") })
	var readers sync.WaitGroup
	for range 8 {
		readers.Go(func() {
			if got, want := idsOf(c.Snapshot().All()), []string{"entry", "exit", "loop"}; !slices.Equal(got, want) {
				t.Errorf("the catalog has %q, want %q", got, want)
			}
		})
	}
	readers.Wait()
	if n := made.Load(); n != 1 {
		t.Errorf("it was made %d times", n)
	}

	c = catalog.New()
	c.Later("built-in", func() []*specs.Spec { return kinds("entry") })
	c.Replace("server:git", tools("git", "log"))
	if got := idsOf(c.Snapshot().All()); !slices.Equal(got, []string{"entry", "mcp:git/log"}) {
		t.Errorf("the catalog has %q", got)
	}

	c = catalog.New()
	c.Later("built-in", func() []*specs.Spec { return kinds("entry") })
	c.Replace("built-in", kinds("exit"))
	if got := idsOf(c.Snapshot().All()); !slices.Equal(got, []string{"exit"}) {
		t.Errorf("the catalog has %q, want what it was given last", got)
	}
}
