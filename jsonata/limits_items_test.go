package jsonata

import (
	"context"
	"testing"
)

// Functions that make arrays count their items before they make them.
func TestItemsThatFunctionsMake(t *testing.T) {
	for _, src := range []string{
		`$reverse([1..20])`, `$shuffle([1..20])`, `$sort([1..20])`, `$sort([1..20], function($a, $b) { $a < $b })`, `$map([1..20], $string)`,
		`$filter([1..20], function($x) { true })`, `$distinct([1..20])`, `$append([1..10], [1..10])`, `$flatten([[1..10], [1..10]])`,
	} {
		if fault, _, _ := faultOf(t, src, Limits{MaxItems: 19}); fault.Code != "too-big" {
			t.Errorf("%s ends with %s", src, fault.Code)
		}
		if _, err := compile(t, src).Eval(t.Context(), nil, WithLimits(Limits{MaxItems: 20})); err != nil {
			t.Errorf("%s with as many as there may be: %v", src, err)
		}
	}
}

// The array in which a step of a path collects what it finds counts as large as it is made.
func TestMemoryOfPaths(t *testing.T) {
	const src = `($a := [1..10000]; $a.($ > 9998 ? $))`
	const ofRange, ofPath = 24 * 10_000, 16 * 10_000
	if fault, _, _ := faultOf(t, src, Limits{MaxMemory: ofRange + ofPath/2}); fault.Code != "too-much-memory" {
		t.Errorf("it ends with %s", fault.Code)
	}
	if _, err := compile(t, src).Eval(t.Context(), nil, WithLimits(Limits{MaxMemory: ofRange + 2*ofPath})); err != nil {
		t.Error(err)
	}
}

// asked counts how often it is looked whether an evaluation may continue.
type asked struct {
	context.Context
	times int
}

func (a *asked) Err() error {
	a.times++
	return a.Context.Err()
}

// A function that goes over many items looks again and again whether it may continue.
func TestFunctionsLook(t *testing.T) {
	const items = 100_000
	list := make([]any, items)
	for i := range list {
		list[i] = float64(i)
	}
	for _, name := range []string{"shuffle", "sort"} {
		ctx := &asked{Context: t.Context()}
		if _, err := compile(t, "$count($"+name+"(list))").Eval(ctx, objectFrom([]string{"list"}, []any{list}, nil)); err != nil {
			t.Fatal(err)
		}
		if ctx.times < items/stepsUnseen {
			t.Errorf("$%s of %d items looks %d times", name, items, ctx.times)
		}
	}
}

// The steps of a text are in proportion to its length, so that the limit is reached by what
// makes long texts, too.
func TestStepsOfTexts(t *testing.T) {
	for _, src := range []string{`$pad("x", 1000000)`, `($f := function($s, $n) { $n = 0 ? $s : $f($s & $s, $n - 1) }; $f("x", 20))`} {
		if fault, _, _ := faultOf(t, src, Limits{MaxSteps: 12_000}); fault.Code != "too-much-work" {
			t.Errorf("%s ends with %v", src, fault)
		}
	}
}

// A million items are sorted within the limits.
func TestAMillionItemsAreSorted(t *testing.T) {
	list := make([]any, 1_000_000)
	for i := range list {
		list[i] = objectFrom([]string{"n"}, []any{float64(i * 7919 % len(list))}, nil)
	}
	v, err := compile(t, "list^(n).n").Eval(t.Context(), objectFrom([]string{"list"}, []any{list}, nil))
	if err != nil {
		t.Fatal(err)
	}
	for i, n := range v.([]any) {
		if n != float64(i) {
			t.Fatal(i, n)
		}
	}
}
