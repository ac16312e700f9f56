package expr

import (
	"context"
	"testing"
	"time"
)

func TestEnding(t *testing.T) {
	p, fault := Compile(`$sum([1..1000].($x := $; [1..1000].($x * $)))`)
	if fault != nil {
		t.Fatal(fault)
	}
	cancelled, cancel := context.WithCancel(t.Context())
	cancel()
	short, cancel := context.WithTimeout(t.Context(), time.Millisecond)
	defer cancel()
	for _, tt := range []struct {
		ctx  context.Context
		l    Limits
		code string
	}{
		{cancelled, Limits{}, "cancelled"},
		{short, Limits{}, "timeout"},
		{t.Context(), Limits{Timeout: time.Millisecond}, "timeout"},
	} {
		_, err := p.Eval(tt.ctx, NewScope(nil, tt.l))
		if code := codeOf(err); code != tt.code {
			t.Errorf("got %v, want %s", err, tt.code)
		}
	}
}

func TestLimits(t *testing.T) {
	for _, tt := range []struct {
		src  string
		l    Limits
		code string
	}{
		{`$pad("", 100)`, Limits{MaxResult: 99}, "too-big"},
		{`[1..30].("abcd")`, Limits{MaxResult: 100}, "too-big"},
		{`$append([1..10], [1..10])`, Limits{MaxItems: 19}, "too-big"},
		{`($a := [1..100001]; [$a, 1])`, Limits{MaxItems: 100_000}, "too-big"},
		{`($f := function($x) { $x }; $a := [1..100001]; [1, $f($a)])`, Limits{MaxItems: 100_000}, "too-big"},
		{`($a := [1..100001]; [$a, $a])`, Limits{MaxRange: 250_000}, "too-big"},
		{`$split("a b c", " ")`, Limits{MaxItems: 2}, "too-big"},
		{`[1..10].[1..9]`, Limits{MaxRange: 99}, "too-big"},
		{`$count([1..10]) + $sum($eval("[1..90]"))`, Limits{MaxRange: 99}, "too-big"},
		{`[100000..100020]`, Limits{MaxResult: 99}, "too-big"},
		{`$eval("1 + 1")`, Limits{MaxBytes: 4}, "too-long"},
		{`$formatInteger(99000, "I")`, Limits{MaxResult: 98}, "too-big"},
		{`$fromMillis(0, "[M1,99]")`, Limits{MaxResult: 98}, "too-big"},
	} {
		p, fault := Compile(tt.src)
		if fault != nil {
			t.Fatal(fault)
		}
		tt.l.Timeout = time.Minute
		_, err := p.Eval(t.Context(), NewScope(nil, tt.l))
		if code := codeOf(err); code != tt.code {
			t.Errorf("%s: got %v, want %s", tt.src, err, tt.code)
		}
		if _, err := p.Eval(t.Context(), NewScope(nil, Limits{Timeout: time.Minute})); err != nil {
			t.Errorf("%s within the default limits: %v", tt.src, err)
		}
	}
}
