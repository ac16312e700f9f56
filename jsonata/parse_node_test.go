package jsonata

import (
	"strings"
	"testing"
)

// Lists of nodes share arrays: one that grows does not write into another.
func TestParseKeepsListsApart(t *testing.T) {
	path := "a" + strings.Repeat(".b[x.y].(p; q.r).c[$g(u.v, [w], z)][0].d", 10)
	src := "$f(" + path + ", {'a': b.c, 'd': e.f.g}, [1, h.i, [j, k.l.m], n]^(<o.p, >q.r), function($s, $t){ $s.t ? u.v : w.x })"
	ast, fault := Parse(src)
	if fault != nil {
		t.Fatal(fault)
	}
	seen := map[*Node]bool{}
	ast.Root.Each(func(n *Node) {
		if seen[n] {
			t.Errorf("%s is in two lists", ast.Text(n))
		}
		seen[n] = true
		for i, arg := range n.Args {
			if arg.Start < n.Start || arg.End > n.End || i > 0 && arg.Start < n.Args[i-1].End {
				t.Errorf("%s is not in its place in %s", ast.Text(arg), ast.Text(n))
			}
		}
	})
	if steps := ast.Root.Args[1].Args; len(steps) != 41 {
		t.Errorf("the path has %d steps, want 41", len(steps))
	}
}

// Nodes and their lists are made in chunks, not one by one.
func TestParseAllocatesInChunks(t *testing.T) {
	src := "[" + strings.Repeat("a.b.c + $sum(d.e.f, 1), ", 200) + "0]"
	ast, fault := Parse(src)
	if fault != nil {
		t.Fatal(fault)
	}
	nodes := 0
	ast.Root.Each(func(*Node) { nodes++ })
	if allocs := testing.AllocsPerRun(5, func() { _, _ = Parse(src) }); allocs > float64(nodes)/10 {
		t.Errorf("%d nodes are made in %v allocations", nodes, allocs)
	}
}
