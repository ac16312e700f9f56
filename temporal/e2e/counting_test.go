package e2e_test

import (
	"fmt"
	"testing"
)

// counting counts the members that were not in its state when it added them.
const counting = `name: counting
inputSchema: {type: object, properties: {n: {type: integer}}, required: [n]}
nodes:
  - {id: entry, type: entry, next: add}
  - {id: add, type: state, key: seen, add: {expr: '[$item]'}, foreach: {items: {expr: '[1..$.entry.n]'}, as: item, concurrency: 8}, next: exit}
  - {id: exit, type: exit, result: {expr: '{"n": $count($.add.added)}'}}
`

// A change of state is made once, although workers that make it are killed: a member whose change was
// made again would have been there already. There are more changes than one execution of
// the workflow of the state makes.
func TestKillWhileStateCounts(t *testing.T) {
	const total = 520
	s := newSite(t, counting)
	done := s.run(fmt.Sprintf("n=%d", total))
	s.work("--only", "runs")
	calls := s.work("--only", "calls")
	for _, n := range []int{150, 350} {
		s.until(fmt.Sprintf("%d members", n), func() bool { return s.members() >= n })
		s.kill(calls)
		calls = s.work("--only", "calls")
	}
	o := <-done
	if o.Status != "succeeded" || o.Result.N != total || s.members() != total {
		t.Fatalf("%s %+v %s, and %d members", o.Status, o.Result, o.Error, s.members())
	}
}

// members is how many members the graph has stored.
func (s *site) members() (n int) {
	var list struct {
		State []struct {
			Members int `json:"members"`
		} `json:"state"`
	}
	s.read(&list, "state", "list")
	for _, e := range list.State {
		n += e.Members
	}
	return n
}
