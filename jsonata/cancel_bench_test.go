//go:build linux

package jsonata

import (
	"context"
	"fmt"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"
)

// large are expressions of one function each that does as much as it may in one call, over
// the input of [largeInput].
var large = []string{
	`$count($sort(numbers))`, `$count($sort(texts))`, `$count($reverse(numbers))`, `$count($shuffle(numbers))`, `$count($append(numbers, 1))`, `$count($zip(numbers, texts))`,
	`$count($distinct(texts))`, `$count($distinct(numbers))`, `$count($flatten(numbers))`, `$count(numbers.($))`, `$count(objects.id)`, `$count($map(numbers, $string))`, `$count([numbers, 1])`,
	`$count([1..1900000])`, `$sum(numbers)`, `$max(numbers)`, `$average(numbers)`, `$boolean([0, numbers[$ < 0]])`, `1 in texts`, `$count(numbers[-1])`, `$count(objects^(id))`, `$count($keys(objects))`,
	`$count($merge(objects))`, `$count($spread(objects))`, `$length($join(texts))`, `$length($join(texts, ","))`, `$length($string(numbers))`, `$length($string(objects))`, `$length(objects & "")`,
	`$length($pad("x", 30000000))`, `$length($pad("x", 7000000, "ab"))`, `$count($split(csv, ","))`, `$count($split(text, "", 1900000))`, `$count($split(csv, /,/, 200000))`, `$count($lines(lines))`,
	`$length($replace(csv, ",", ";"))`, `$length($replace(text, "xx", "y", 1000000))`, `$length($uppercase(text))`, `$length($lowercase(text))`, `$length($uppercase(greek))`, `$length($lowercase(greek))`, `$length($trim(csv))`,
	`$length($trim(text))`, `$length(text)`, `$length(greek)`, `$length($substring(text, 9999999))`, `$length($substringBefore(text, "b"))`, `$length($substringAfter(text, "b"))`, `$contains(text, "b")`,
	`$contains(text, /b/)`, `$contains(text, /(?=b)b/)`, `$count($match(csv, /[a-z]+/, 200000))`, `$length($base64encode(text))`, `$length($base64decode(text))`, `$length($encodeUrlComponent(csv))`,
	`$length($decodeUrlComponent(csv))`, `$count($parseJson(json))`, `$count($parseCsv(lines))`, `$length($formatInteger(30000000000, "I"))`, `$clone(objects)[0]`, `$count($ ~> |objects|{"b": 1}|)`, `numbers = numbers`,
	`$count($eval("numbers"))`,
}

// largeInput has arrays of two million items or less, and texts of 10 MB.
func largeInput() Value {
	numbers, texts, objects := make([]any, 1_900_000), make([]any, 1_900_000), make([]any, 150_000)
	for i := range numbers {
		numbers[i] = float64(i * 7919 % 1_900_001)
		texts[i] = fmt.Sprint("t", i*7919%1_900_001)
	}
	for i := range objects {
		objects[i] = objectFrom([]string{"id", "name"}, []any{float64(i * 7919 % 150_001), "x"}, nil)
	}
	const size = 10_000_000
	return objectFrom(
		[]string{"numbers", "texts", "objects", "text", "greek", "csv", "lines", "json"},
		[]any{
			numbers, texts, objects, strings.Repeat("x", size), strings.Repeat("αβ", size/4), strings.Repeat("abcdefg, ", size/9), strings.Repeat("abcd\n", size/5), "[" + strings.Repeat("1,", size/2) + "1]",
		}, nil,
	)
}

// A stopwatch is a context that notes the processor time of its thread between two looks at
// it: a cancelled evaluation goes on for so long at most.
type stopwatch struct {
	context.Context
	last, longest time.Duration
}

func (s *stopwatch) Err() error {
	now := threadTime()
	s.longest = max(s.longest, now-s.last)
	s.last = now
	return nil
}

// threadTime is what the thread has used of the processors.
func threadTime() time.Duration {
	const thread = 1 // RUSAGE_THREAD
	var u syscall.Rusage
	if err := syscall.Getrusage(thread, &u); err != nil {
		panic(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// BenchmarkCancel measures for how long a cancelled evaluation goes on at most, in functions
// that do much in one call. The better of two runs counts, as the collector takes part.
func BenchmarkCancel(b *testing.B) {
	input := largeInput()
	longest := time.Duration(0)
	for _, src := range large {
		b.Run(src, func(b *testing.B) {
			runtime.LockOSThread()
			defer runtime.UnlockOSThread()
			x, least := compile(b, src), time.Hour
			for range 2 {
				s := &stopwatch{Context: b.Context(), last: threadTime()}
				_, err := x.Eval(s, input, WithLimits(Limits{MaxSteps: 1 << 40, MaxMemory: 4 << 30, MaxItems: 4_000_000, Timeout: -1}))
				if _ = s.Err(); err != nil && codeOf(err) != "too-big" {
					b.Fatal(src, err)
				}
				least = min(least, s.longest)
			}
			b.ReportMetric(float64(least)/1e6, "longest-ms")
			b.ReportMetric(0, "ns/op")
			longest = max(longest, least)
		})
	}
	b.ReportMetric(float64(longest)/1e6, "longest-ms")
	b.ReportMetric(0, "ns/op")
}
