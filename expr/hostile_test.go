package expr

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"runtime/debug"
	"strings"
	"testing"
	"time"

	"github.com/patchbay-mcp/patchbay/internal/tests/testenv"
)

// hostile are expressions that would take all time or memory there is, and the
// codes of the errors that may end them. They run one to a process, so that one
// which kills its process fails a test rather than the tests, and so that the
// memory is its own.
var hostile = []struct {
	name, src string
	codes     string
}{
	{"string doubling", `($f := function($s, $n) { $n = 0 ? $s : $f($s & $s, $n - 1) }; $f("x", 60))`, "too-big too-much-memory too-much-work"},
	{"string doubling in names", `(` + doublings(60) + `$s)`, "too-big too-much-memory too-much-work"},
	{"array doubling", `($f := function($a, $n) { $n = 0 ? $a : $f([$a, $a], $n - 1) }; $f(1, 60))`, "too-big too-much-memory too-much-work"},
	{"append doubling", `($f := function($a, $n) { $n = 0 ? $a : $f($append($a, $a), $n - 1) }; $f([1], 60))`, "too-big"},
	{"zip doubling", `($f := function($a, $n) { $n = 0 ? $a : $f($zip($a, $a), $n - 1) }; $f([1], 60))`, "too-much-work too-big too-deep too-much-memory U1001"},
	{"object doubling", `($f := function($o, $n) { $n = 0 ? $o : $f({"a": $o, "b": $o}, $n - 1) }; $f(1, 60))`, "too-big"},
	{"large range", `[1..1e7]`, "too-big too-much-memory too-much-work"},
	{"too large range", `[1..1e9]`, "D2014"},
	{"several ranges", `[[1..1e7], [1..1e7], [1..1e7], [1..1e7], [1..1e7], [1..1e7], [1..1e7], [1..1e7]]`, "too-big too-much-memory"},
	{"computed ranges", `($n := $eval("3e6"); $map([1..10], function($i) { [$i..$n] }))`, "too-big too-much-memory"},
	{"many small ranges", `$sum([1..4000000].($count([1..$ % 7])))`, "too-big too-much-memory too-much-work"},
	{"evaluated ranges", `$map([1..10], function() { $eval("[1..1e7]") })`, "too-big too-much-memory"},
	{"copied range", `($r := [1..1e6]; [1..1000].[$r, $r, $r, $r])`, "too-big too-much-memory too-much-work"},
	{"doubled range", `($a := [1..1e6]; $b := [$a, $a]; $c := [$b, $b]; $d := [$c, $c]; $e := [$d, $d]; $f := [$e, $e]; $g := [$f, $f]; $h := [$g, $g])`, "too-big too-much-memory too-much-work"},
	{"doubled pieces", `($a := $split($pad("", 2000000, "x,"), ","); $b := [$a, $a]; $c := [$b, $b]; $d := [$c, $c]; $e := [$d, $d]; $f := [$e, $e]; $g := [$f, $f]; $h := [$g, $g]; $i := [$h, $h])`, "too-big too-much-memory too-much-work"},
	{"doubled steps of pieces", `[$split($pad("", 2000000, "x,"), ",")].[$, $].[$, $].[$, $].[$, $].[$, $].[$, $].[$, $].[$, $].[$, $].[$, $].[$, $]`, "too-big too-much-memory too-much-work"},
	{"copied pieces", `($a := $split($pad("", 2000000, "x,"), ","); $map($a, function() { [$a, $a, $a] }))`, "too-big too-much-memory too-much-work"},
	{"joined copies", `($a := $split($pad("", 2000000, "x,"), ","); [` + strings.Repeat("$a, ", 300) + `1])`, "too-big too-much-memory too-much-work"},
	{"searched pieces", `($a := $split($pad("", 2000000, "x,"), ","); $count($a[$ & "y" in $a]))`, "too-much-work"},
	{"compared pieces", `($a := $split($pad("", 2000000, "x,"), ","); $count($a[$a = $a]))`, "too-much-work"},
	{"doubled steps", `[1..1000].[$$].[1..1000].[$, $].[$, $].[$, $].[$, $].[$, $].[$, $].[$, $].[$, $].[$, $].[$, $].[$, $].[$, $].[$, $]`, "too-big too-much-memory too-much-work"},
	{"doubled items", `[[1..100000]].[$, $].[$, $].[$, $].[$, $].[$, $].[$, $].[$, $].[$, $].[$, $].[$, $].[$, $].[$, $].[$, $].[$, $].[$, $]`, "too-big too-much-memory too-much-work"},
	{"product of ranges", `[1..100000].($x := $; [1..100000].($x * $))`, "too-much-work too-much-memory"},
	{"sum of a product of ranges", `$sum([1..100000].($x := $; $sum([1..100000].($x * $))))`, "too-much-work too-much-memory"},
	{"wide pad", `$pad("x", 1e9)`, "too-big"},
	{"wide pad of wide text", `$pad("x", -1e300, "é")`, "too-big"},
	{"endless recursion", `($f := function($x) { 1 + $f($x) }; $f(1))`, "U1001"},
	{"endless tail recursion", `($f := function($x) { $f($x + 1) }; $f(1))`, "U1001 too-much-work"},
	{"mutual recursion", `($f := function($x) { $g($x) }; $g := function($x) { $f($x) }; $f(1))`, "U1001 too-much-work"},
	{"growing recursion", `($f := function($x) { $f([$x, [1..1000]]) }; $f(1))`, "too-much-work too-much-memory"},
	{"composition", `($f := $trim; ` + strings.Repeat(`$f := $f ~> $f; `, 60) + `$f("x"))`, "too-much-work"},
	{"long source", strings.Repeat("1 + ", 1<<18) + "1", "too-long"},
	{"many parentheses", strings.Repeat("(", 200_000) + "1" + strings.Repeat(")", 200_000), "too-long"},
	{"deep parentheses", strings.Repeat("(", 20_000) + "1" + strings.Repeat(")", 20_000), "too-deep"},
	{"evaluated parentheses", `$eval($join([1..20000].("(")) & "1")`, "too-deep"},
	{"evaluated length", `$eval($pad("1", 1000000, " "))`, "too-long"},
	{"pathological regex", `$contains($pad("x", 100000, "x"), /(x+x+)+y/)`, ""},
	{"large regex", `$contains($pad("x", 1000000, "x"), /(((x{0,10}){0,10}){0,10}y){1,100}/)`, "too-much-work D3137"},
	{"many matches", `$match($pad("x", 8000000, "x"), /x/)`, "too-big"},
	{"replace", `$replace($pad("x", 100000, "x"), "x", $pad("y", 100000))`, "too-big"},
	{"split", `$split($pad("x", 8000000), "")`, "too-big"},
	{"joined shares", `($s := $pad("x", 1000000); $join([1..100000].($s)))`, "too-big"},
	{"text of shares", `($s := $pad("x", 1000000); $string([1..100000].[$s]))`, "too-big"},
	{"concatenated shares", `($s := $pad("x", 1000000); [1..100000].[$s] & "")`, "too-big"},
	{"result of shares", `($s := $pad("x", 1000000); [1..100000].[$s])`, "too-big"},
	{"descendants of descendants", `($f := function($x, $n) { $n = 0 ? $x : $f({"a": $x}, $n - 1) }; $count($f(1, 900).**.**.**.**))`, "too-deep"},
	{"descendants of the deep", `($f := function($x, $n) { $n = 0 ? $x : $f({"a": $x}, $n - 1) }; $count($f(1, 100000).**))`, "too-deep"},
	{"deep value", `($f := function($x, $n) { $n = 0 ? $x : $f([[[[[[[[[[$x]]]]]]]]]], $n - 1) }; $f(1, 200000))`, "too-deep too-much-memory too-much-work"},
	{"text of the deep", `($f := function($x, $n) { $n = 0 ? $x : $f([[[[[[[[[[$x]]]]]]]]]], $n - 1) }; $f(1, 200000) & "")`, "too-deep too-much-memory too-much-work"},
	{"comparison of the deep", `($f := function($x, $n) { $n = 0 ? $x : $f([[[[[[[[[[$x]]]]]]]]]], $n - 1) }; $f(1, 400000) = $f(1, 400000))`, "too-deep too-much-memory too-much-work"},
	{"truth of the deep", `($f := function($x, $n) { $n = 0 ? $x : $f([[[[[[[[[[$x]]]]]]]]]], $n - 1) }; $f(1, 800000) ? 1 : 2)`, "too-deep too-much-memory too-much-work"},
	{"sort", `$count([1..3000000]^(>$))`, "too-much-work too-much-memory"},
	{"distinct", `$count($distinct([1..30000].{"a": $, "b": {"c": [$]}}))`, ""},
	{"words", `$length($formatInteger(1e300, "w"))`, ""},
	{"Roman numeral", `$formatInteger(1e15, "I")`, "too-big"},
	{"small Roman numeral", `$formatInteger(-1e15, "i;o")`, "too-big"},
	{"Roman numeral of the context", `[1e15].$formatInteger("I")`, "too-big"},
	{"Roman numerals", `$map([1e15, 1e18], function($n) { $formatInteger($n, "i") })`, "too-big"},
	{"partial Roman numeral", `($f := $formatInteger(?, "I"); $f(1e15))`, "too-big"},
	{"evaluated Roman numeral", `$eval("$formatInteger(1e15, 'I')")`, "too-big"},
	{"width of a month", `$fromMillis(0, "[M1,9000000000]")`, "too-big"},
	{"width of a day with spaces", `$now("[D1, 900 000 0000-*]")`, "too-big"},
	{"widths of days", `$fromMillis(0, $replace($pad("", 60, "x"), "x", "[D1,9999999]"))`, "too-big too-much-memory"},
}

// doublings binds $s to a string that doubles n times without any function.
func doublings(n int) string {
	return `$s := "x"; ` + strings.Repeat(`$s := $s & $s; `, n)
}

// TestHostileChild is the child of TestHostile.
func TestHostileChild(t *testing.T) {
	src, ok := os.LookupEnv("PATCHBAY_HOSTILE")
	if !ok {
		t.Skip("runs as a child of TestHostile")
	}
	if file, ok := strings.CutPrefix(src, "@"); ok {
		b, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		src = string(b)
	}
	debug.SetGCPercent(400) // as the product
	code := func() string {
		p, fault := Compile(src)
		if fault != nil {
			return fault.Code
		}
		v, err := p.Eval(t.Context(), NewScope(nil, Limits{Timeout: -1}))
		if err != nil {
			return codeOf(err)
		}
		if _, err := Encode(v); err != nil {
			return "encode: " + err.Error()
		}
		return ""
	}()
	b, err := json.Marshal(map[string]any{"code": code, "mib": peakMiB()})
	if err != nil {
		t.Fatal(err)
	}
	fmt.Printf("\nCHILD %s\n", b)
}

// peakMiB is the most memory this process had, or 0 where the system does not
// say. What the parent learns of its child includes the parent's own, from the
// moment of the fork.
func peakMiB() (mib int64) {
	status, err := os.ReadFile("/proc/self/status")
	if err != nil {
		return 0
	}
	_, after, _ := strings.Cut(string(status), "VmHWM:")
	if _, err := fmt.Sscanf(after, "%d", &mib); err != nil {
		return 0
	}
	return mib >> 10
}

func TestHostile(t *testing.T) {
	if testing.Short() || raceEnabled {
		t.Skip("takes 20 s, and measures memory: not run with -short or the race detector")
	}
	for _, h := range hostile {
		t.Run(h.name, func(t *testing.T) {
			t.Parallel()
			ctx, cancel := context.WithTimeout(t.Context(), testenv.Limit(time.Minute)) // far beyond what any of them takes
			defer cancel()
			file := t.TempDir() + "/src"
			if err := os.WriteFile(file, []byte(h.src), 0o600); err != nil {
				t.Fatal(err)
			}
			c := exec.CommandContext(ctx, os.Args[0], "-test.run=^TestHostileChild$", "-test.v")
			c.Env = append(os.Environ(), "PATCHBAY_HOSTILE=@"+file)
			out, err := c.CombinedOutput()
			_, line, found := strings.Cut(string(out), "CHILD ")
			if !found {
				t.Fatalf("the process died: %v\n%.600s", err, out)
			}
			var got struct {
				Code string
				MiB  int64
			}
			line, _, _ = strings.Cut(line, "\n")
			if err := json.Unmarshal([]byte(line), &got); err != nil {
				t.Fatal(err)
			}
			t.Logf("%q, %d MiB", got.Code, got.MiB)
			if codes := " " + h.codes + " "; !strings.Contains(codes, " "+got.Code+" ") {
				t.Errorf("ended with %q, want one of %q", got.Code, h.codes)
			}
			if got.MiB >= 1024 {
				t.Errorf("took %d MiB, want less than 1 GiB", got.MiB)
			}
		})
	}
}
