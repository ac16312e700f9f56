package jsonata

import (
	"cmp"
	"context"
	"errors"
	"runtime"
	"strings"
	"sync"
	"testing"
	"unicode/utf8"
)

func compile(t testing.TB, src string) *Expr {
	t.Helper()
	x, err := Compile(src)
	if err != nil {
		t.Fatal(src, err)
	}
	return x
}

// fault evaluates src and returns the error, with the text at its place and the call it
// was in.
func faultOf(t *testing.T, src string, l Limits) (fault *Error, at, call string) {
	t.Helper()
	l.Timeout = cmp.Or(l.Timeout, -1) // work is counted, on a slow machine too
	x, err := Compile(src)
	if err == nil {
		_, err = x.Eval(t.Context(), mustDecode(t, []byte(`{"s": "x", "n": 1, "list": [1, 2, 3]}`)), WithLimits(l))
	}
	fault, ok := errors.AsType[*Error](err)
	if !ok {
		t.Fatalf("%s: got %v, want an error", src, err)
	}
	return fault, src[fault.Start:fault.End], src[fault.CallStart:fault.CallEnd]
}

// An evaluation ends at the same step each time, whatever else runs.
func TestStepsAreTheSame(t *testing.T) {
	const src = `$sum($map([1..200], function($i) { $length($string($i)) + $count(list[$ > 1]) }))`
	x, input := compile(t, src), mustDecode(t, []byte(`{"list": [1, 2, 3]}`))
	least := func() int {
		low, high := 1, 1<<20
		for low < high {
			middle := (low + high) / 2
			if _, err := x.Eval(t.Context(), input, WithLimits(Limits{MaxSteps: middle})); err == nil {
				high = middle
			} else {
				low = middle + 1
			}
		}
		return low
	}
	want := least()
	var all sync.WaitGroup
	for range 64 {
		all.Go(func() {
			if _, err := x.Eval(t.Context(), input, WithLimits(Limits{MaxSteps: want - 1})); err == nil {
				t.Error("it ends within fewer steps")
			}
			if v, err := x.Eval(t.Context(), input, WithLimits(Limits{MaxSteps: want})); err != nil || v != 892.0 {
				t.Errorf("it ends with %v, %v", v, err)
			}
		})
	}
	all.Wait()
}

func TestDepth(t *testing.T) {
	for src, want := range map[string]float64{
		`($f := function($n) { $n = 0 ? 0 : 1 + $f($n - 1) }; $f(10000))`:                                                           10000,
		`($f := function($n, $sum) { $n = 0 ? $sum : $f($n - 1, $sum + 1) }; $f(200000, 0))`:                                        200000,
		`($even := function($n) { $n = 0 ? 1 : $odd($n - 1) }; $odd := function($n) { $n = 0 ? 0 : $even($n - 1) }; $even(100000))`: 1,
	} {
		if v, err := compile(t, src).Eval(t.Context(), nil); err != nil || v != want {
			t.Errorf("%s is %v, %v", src, v, err)
		}
	}
	if fault, _, _ := faultOf(t, `($f := function($n) { 1 + $f($n) }; $f(1))`, Limits{}); fault.Code != "U1001" {
		t.Errorf("endless recursion ends with %v", fault)
	}
}

// A cancelled evaluation ends, in the middle of what does much in one call.
func TestCancel(t *testing.T) {
	for _, src := range []string{
		`[1..1e6]^(>$)`, `$split($pad("", 2000000, "x,"), ",")`, `$sort([1..300000], function($a, $b) { $a < $b })`, `$count([1..9999999])`,
		`($s := $pad("x", 1000000); $string([1..20].($s)))`, `$contains($pad("x", 5000, "x"), /(x+x+)+y(?=z)/)`, `$parseCsv($pad("", 3000000, "a\n"))`, `$lines($pad("", 3000000, "a\n"))`,
	} {
		ctx, cancel := context.WithCancel(t.Context())
		e := Evaluator{Pause: nil}
		looks := 0
		e.Now = nil
		x := compile(t, src)
		counted := countingContext{ctx, &looks, cancel}
		_, err := e.Eval(counted, x, nil)
		if fault, ok := errors.AsType[*Error](err); !ok || fault.Code != "cancelled" {
			t.Errorf("%s ends with %v after %d looks", src, err, looks)
		}
		cancel()
	}
}

// A countingContext is cancelled when it has been looked at a few times.
type countingContext struct {
	context.Context
	looks  *int
	cancel func()
}

func (c countingContext) Err() error {
	if *c.looks++; *c.looks == 5 {
		c.cancel()
	}
	return c.Context.Err()
}

// A path whose stream of tuples has not begun is evaluated without it.
func TestStreamsThatDoNotBegin(t *testing.T) {
	for src, want := range map[string]string{
		`($v := "k"; [n, s]@$v{$v: 1})`:                `{"k":1}`,
		`($v := "k"; nothing.a@$w{$v: 1})`:             `{"k":1}`,
		`[{"c": [[1, 2]]}].c[]`:                        `[[1,2]]`,
		`($v := 1; [n, $v]#$w.$w)`:                     `undefined`,
		`($v := 1; nothing.b@$w.{"n": $v + 1}{$v: 1})`: `T1003`,
	} {
		v, err := compile(t, src).Eval(t.Context(), mustDecode(t, []byte(`{"n": 1, "s": "x"}`)))
		got := codeOf(err)
		if err == nil {
			b, _ := Encode(v)
			if got = string(b); v == nil {
				got = "undefined"
			}
		}
		if got != want {
			t.Errorf("%s is %s (%v), want %s", src, got, err, want)
		}
	}
}

// The text of an error is short, whatever an expression puts into it.
func TestLongErrorTexts(t *testing.T) {
	for _, src := range []string{`$error($pad("x", 1000000, "y"))`, `$assert(false, $pad("é", 1000000, "é"))`, `$parseJson($pad("[", 1000000, "["))`, `$toMillis($pad("x", 1000000))`, `$eval($pad("(", 60000, "("))`} {
		if fault, _, _ := faultOf(t, src, Limits{}); len(fault.Message) > 4<<10 || len(fault.Hint) > 4<<10 {
			t.Errorf("%s: an error of %d bytes", src, len(fault.Message))
		}
	}
}

// A refused evaluation lets go of all that it made, also if its Evaluator is kept.
func TestRefusedMemoryIsReturned(t *testing.T) {
	e := &Evaluator{Limits: Limits{MaxMemory: 64 << 20}}
	x := compile(t, `($f := function($list, $n) { $n = 0 ? $list : $f([$list, [1..100000]], $n - 1) }; $f([], 1000))`)
	used := func() uint64 {
		runtime.GC()
		var stats runtime.MemStats
		runtime.ReadMemStats(&stats)
		return stats.HeapAlloc
	}
	before := used()
	for range 2 {
		_, err := e.Eval(t.Context(), x, nil)
		if fault, ok := errors.AsType[*Error](err); !ok || fault.Code != "too-much-memory" {
			t.Fatalf("got %v, want too-much-memory", err)
		}
		if after := used(); after > before+16<<20 {
			t.Errorf("%d MiB are still held", (after-before)>>20)
		}
	}
	runtime.KeepAlive(e)
}

// The places that a function finds in a text are steps: the text is read up to each.
func TestPlacesOfMatchesAreCounted(t *testing.T) {
	const src = `($f := function($t) { {"match": "a", "start": $place, "end": $place + 1, "groups": [], "next": $f} }; $count($split($, $f, 100)))`
	steps := func(length int) int {
		e := Evaluator{Vars: map[string]Value{"place": float64(length - 1)}}
		e.Begin(t.Context())
		defer e.End()
		if _, err := e.Run(compile(t, src), strings.Repeat("a", length)); err != nil {
			t.Fatal(err)
		}
		n, _ := e.Used()
		return n
	}
	if few, many := steps(100), steps(1_000_000); many < few+1_000_000 {
		t.Errorf("%d steps in a short text, %d in a long one", few, many)
	}
}

// Long texts of any characters are what they are after functions that change nothing.
func TestLongTexts(t *testing.T) {
	for _, unit := range []string{"é", "a", "€b", "😀", "  x", "ß%41"} {
		s := strings.Repeat(unit, 100_000/len(unit))
		for _, n := range []int{0, 1, 50_000/len(unit) + 1, 200_000} {
			if got, want := offset(s, n), len(string([]rune(s)[:min(n, utf8.RuneCountInString(s))])); got != want {
				t.Errorf("%q: the character %d begins at %d, want %d", unit, n, got, want)
			}
		}
		for _, src := range []string{`$decodeUrlComponent($encodeUrlComponent($)) = $`, `$replace($, /q/, "") = $`, `$replace("b" & $, "q\\ud83d", "") = "b" & $`, `$join($split($, /(?=b)b/), "b") = $`, `$base64decode($base64encode("b" & $uppercase("a"))) = "bA"`, `$length($trim($)) <= $length($)`, `$join($split($, "b"), "b") = $`} {
			if v, err := compile(t, src).Eval(t.Context(), s, WithLimits(Limits{Timeout: -1})); v != true {
				t.Errorf("%q: %s is %v, %v", unit, src, v, err)
			}
		}
	}
}
