package catalog_test

import (
	"fmt"
	"slices"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

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

// Servers that come and go together change the catalog once, 50 ms after the first; who reads
// it does not wait.
func TestSoon(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := catalog.New()
		var changes atomic.Int64
		has := func(n int) {
			t.Helper()
			if got := idsOf(c.Snapshot().All()); len(got) != n {
				t.Errorf("the catalog has %q, want %d tools", got, n)
			}
		}
		c.OnChange(func() { changes.Add(1) })
		c.Soon("server:first", tools("first", "log"))
		has(1)
		for i := range 10 {
			c.Soon(fmt.Sprint("server:", i), tools(strconv.Itoa(i), "log"))
		}
		c.Soon("server:3", nil)
		before := c.Snapshot()
		has(10)
		if n := changes.Load(); n != 0 {
			t.Errorf("%d changes are reported before the time", n)
		}
		time.Sleep(50 * time.Millisecond)
		synctest.Wait()
		if n := changes.Load(); n != 1 || c.Snapshot() != before {
			t.Errorf("%d changes are reported, want one", n)
		}
		c.Soon("server:first", tools("first", "log"))
		time.Sleep(50 * time.Millisecond)
		synctest.Wait()
		if changes.Load() != 1 {
			t.Error("what changes nothing is reported as a change")
		}
		c.Soon("server:first", nil)
		c.Replace("server:first", tools("first", "log", "diff")) // the last counts
		has(11)
	})
}
