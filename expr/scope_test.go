package expr

import (
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
)

// fixedHistory is a run that executed these nodes, in this order.
type fixedHistory []struct {
	id  string
	out Value
}

func (h fixedHistory) Previous(n int) (Value, bool) {
	if n > len(h) {
		return nil, false
	}
	return h[len(h)-n].out, true
}

func (h fixedHistory) Executions(id string) []Value {
	var all []Value
	for _, e := range h {
		if e.id == id {
			all = append(all, e.out)
		}
	}
	return all
}

func (h fixedHistory) Count(id string) int { return len(h.Executions(id)) }

func (h fixedHistory) Execution(id string, i int) (Value, bool) {
	all := h.Executions(id)
	if i < 0 {
		i += len(all)
	}
	if i < 0 || i >= len(all) {
		return nil, false
	}
	return all[i], true
}

func history(t testing.TB, outputs ...string) fixedHistory {
	t.Helper()
	var h fixedHistory
	for _, o := range outputs {
		id, src, _ := strings.Cut(o, "=")
		h = append(h, fixedHistory{{id, decode(t, src)}}...)
	}
	return h
}

func TestHistoryFunctions(t *testing.T) {
	h := history(t, `a={"c":1}`, `b=2`, `a={"c":9007199254740993}`, `sw="b"`)
	s := NewScope(h, Limits{})
	s.Set("a", decode(t, `{"c":1}`))
	for src, want := range map[string]string{
		`$previousNode()`:                                      `"b"`,
		`$previousNode(2).c`:                                   `9007199254740993`,
		`$previousNode(9)`:                                     `null`,
		`$executionCount("a")`:                                 `2`,
		`$executionCount("none")`:                              `0`,
		`$nodeExecution("a", 0)`:                               `{"c":1}`,
		`$nodeExecution("a", -1).c`:                            `9007199254740993`,
		`$nodeExecution("a", 2)`:                               `null`,
		`$nodeExecution("a", -3)`:                              `null`,
		`$nodeExecutions("a").c`:                               `[1,9007199254740993]`,
		`$nodeExecutions("none")`:                              `[]`,
		`"a" ~> $executionCount`:                               `2`,
		`$map(["a", "b"], $executionCount)`:                    `[2,1]`,
		`$nodeExecution("a", $executionCount("a") - 1).c & ""`: `"9007199254740993"`,
	} {
		p, fault := Compile(src)
		if fault != nil {
			t.Fatal(fault)
		}
		v, err := p.Eval(t.Context(), s)
		if err != nil {
			t.Errorf("%s: %v", src, err)
			continue
		}
		if b, _ := Encode(v); string(b) != want {
			t.Errorf("%s is %s, want %s", src, b, want)
		}
	}
}

func TestScope(t *testing.T) {
	s := NewScope(nil, Limits{})
	at := func(s *Scope, src string) string {
		t.Helper()
		p, fault := Compile(src)
		if fault != nil {
			t.Fatal(fault)
		}
		v, err := p.Eval(t.Context(), s)
		if err != nil {
			t.Fatal(err)
		}
		b, err := Encode(v)
		if err != nil {
			t.Fatal(err)
		}
		return string(b)
	}
	same := func(got, want string) {
		t.Helper()
		if got != want {
			t.Errorf("got %s, want %s", got, want)
		}
	}
	s.Set("z", 1.0)
	s.Set("a", 2.0)
	s.Bind("item", "outer")
	c := s.Child(nil)
	c.Set("z", 3.0)
	c.Bind("item", decode(t, `{"b":1,"a":2}`))
	c.Bind("index", 4.0)
	same(at(s, `$`), `{"z":1,"a":2}`)
	same(at(c, `$`), `{"z":3,"a":2}`)
	same(at(s, `$item & $index`), `"outer"`)
	same(at(c, `[$item, $index]`), `[{"b":1,"a":2},4]`)
	s.Set("z", nil)
	same(at(s, `$`), `{"a":2}`)

	s.SetNow(time.Date(2026, 1, 2, 3, 4, 5, 6_000_000, time.UTC))
	same(at(s, `$now()`), `"2026-01-02T03:04:05.006Z"`)
	same(at(s, `$now("[Y]-[M01]")`), `"2026-01"`)
	same(at(s, `$millis()`), `1767323045006`)
	same(at(s.Child(nil), `$millis()`), `1767323045006`)
	const drawn = `[$random(), $random(), $shuffle([1..50])]`
	s.setSeed(1)
	once := at(s, drawn)
	s.setSeed(1)
	same(at(s, drawn), once)
	s.setSeed(2)
	if at(s, drawn) == once {
		t.Error("another seed draws the same")
	}
}

// Eight runs of one expression, each with its own history and variables.
func TestConcurrentRuns(t *testing.T) {
	p, fault := Compile(`$count([1..100].($executionCount("a"))) & $item & $string($nodeExecution("a", -1)) & ($f := function($n) { $n = 0 ? "" : $item & $f($n - 1) }; $f(20))`)
	if fault != nil {
		t.Fatal(fault)
	}
	rule, faults := CompileRule(decode(t, `{"and": [{"==": [{"var": "$executionCount('a')"}, {"var": "want"}]}, {"some": [{"var": "list"}, {"==": [{"var": ""}, 3]}]}]}`))
	if faults != nil {
		t.Fatal(faults[0])
	}
	var wg sync.WaitGroup
	for i := range 8 {
		wg.Go(func() {
			name := string(rune('a' + i))
			s := NewScope(history(t, slices.Repeat([]string{`a="` + name + `"`}, i+1)...), Limits{Timeout: 20 * time.Second})
			s.Bind("item", name)
			s.Set("want", float64(i+1))
			s.Set("list", []any{1.0, 3.0})
			want := "100" + strings.Repeat(name, 22)
			for range 50 {
				v, err := p.Eval(t.Context(), s)
				if err != nil || v != want {
					t.Errorf("run %d: got %v, %v, want %s", i, v, err, want)
					return
				}
				if v, err := rule.Eval(t.Context(), s); err != nil || v != true {
					t.Errorf("run %d: the rule is %v, %v", i, v, err)
					return
				}
			}
		})
	}
	wg.Wait()
}

// setSeed freezes $random and $shuffle: the same seed gives the same numbers in
// the same order.
func (s *Scope) setSeed(seed uint64) { s.random = rand.New(rand.NewPCG(seed, 0)) }
