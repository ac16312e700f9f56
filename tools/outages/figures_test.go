//go:build linux || darwin

package outages

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"
)

// figures are what was done to each server, and how the calls of it ended.
type figures struct {
	servers []server
	mu      sync.Mutex
	of      map[string]*figure
}

type figure struct {
	done  map[string]int
	codes map[string]int
	own   int
	times []time.Duration
}

func newFigures(servers []server) *figures {
	f := &figures{servers: servers, of: map[string]*figure{}}
	for _, s := range servers {
		f.of[s.name()] = &figure{done: map[string]int{}, codes: map[string]int{}}
	}
	return f
}

func (f *figures) did(s server, name string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.of[s.name()].done[name]++
}

func (f *figures) called(s server, a answer, took time.Duration) {
	f.mu.Lock()
	defer f.mu.Unlock()
	o := f.of[s.name()]
	o.times = append(o.times, took)
	if a.own {
		o.own++
	} else {
		o.codes[a.code]++
	}
}

// table is the result as a table of Markdown.
func (f *figures) table() string {
	var b strings.Builder
	b.WriteString("| server | done to it | calls | own answers | errors | median | slowest |\n|---|---|--:|--:|---|--:|--:|\n")
	for _, s := range f.servers {
		o := f.of[s.name()]
		slices.Sort(o.times)
		median, slowest := time.Duration(0), time.Duration(0)
		if n := len(o.times); n > 0 {
			median, slowest = o.times[n/2], o.times[n-1]
		}
		fmt.Fprintf(&b, "| %s | %s | %d | %d | %s | %d ms | %d ms |\n", s.title(), counts(o.done), len(o.times), o.own, counts(o.codes), median.Milliseconds(), slowest.Milliseconds())
	}
	return b.String()
}

func counts(of map[string]int) string {
	var all []string
	for _, name := range slices.Sorted(maps.Keys(of)) {
		all = append(all, fmt.Sprintf("%s %d", name, of[name]))
	}
	return strings.Join(all, ", ")
}
