// Package linear is for tests: it makes documents whose references double from level to
// level, and tells whether the work on them grows with their size alone.
package linear

import (
	"fmt"
	"runtime"
	"strings"
	"testing"
	"time"
)

// maxGrowth is how much more work twice as many levels may take: linear work takes twice
// as much, or four times where each level has as many references as there are levels, and
// doubling takes a thousand times as much.
const maxGrowth = 10

// Work fails the test unless the work on a document grows with its size. Use prepares the
// work on a document of so many levels. The levels are doubled step by step, so that work
// that would not end is found before. The first step is from few levels, or from as many
// as a bound allows.
func Work(t *testing.T, first int, use func(levels int) (work func())) {
	t.Helper()
	for levels := first; levels <= 16; levels *= 2 {
		few, many := use(levels), use(2*levels)
		for attempt := 1; ; attempt++ { // other work of the machine counts a little
			less, more := cost(few), cost(many)
			if more <= maxGrowth*less+100*time.Microsecond {
				break
			}
			if attempt == 10 || more > time.Second {
				t.Fatalf("%d levels take %s of a processor, %d levels take %s: the work is not linear", levels, less, 2*levels, more)
			}
		}
	}
}

// enough is how long is measured at least: some systems count in milliseconds.
const enough = 2 * time.Millisecond

// cost is how long the work takes a processor.
func cost(work func()) time.Duration {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	begun := threadTime()
	for n := 1; ; n++ {
		work()
		if spent := threadTime() - begun; spent >= enough || n == 10_000 {
			return spent / time.Duration(n)
		}
	}
}

// forms are schemas that refer twice to the next level, R, or as often as there are
// levels, M.
var forms = map[string]string{
	"allOf":                `{"allOf":[R,R]}`,
	"anyOf":                `{"anyOf":[R,R]}`,
	"oneOf":                `{"oneOf":[R,R]}`,
	"allOf and anyOf":      `{"description":"x","allOf":[R],"anyOf":[R,{"type":"null"}]}`,
	"anyOf of many":        `{"anyOf":[M]}`,
	"allOf of many":        `{"allOf":[M]}`,
	"properties":           `{"type":"object","properties":{"a":R,"b":R},"required":["a","b"]}`,
	"optional properties":  `{"properties":{"a":R,"b":R}}`,
	"items":                `{"type":"array","minItems":2,"prefixItems":[R],"items":R}`,
	"additionalProperties": `{"type":"object","properties":{"a":R},"additionalProperties":R}`,
	"not":                  `{"not":R,"if":R}`,
	"nullable":             `{"nullable":true,"allOf":[R,R]}`,
	"objects in allOf":     `{"properties":{"L":{"type":"string"}},"allOf":[R,R]}`,
}

// Schemas are schemas by name, for each of so many levels: level refers to each by
// {"$ref": PREFIX + "l0"} and so on; the last is a string.
func Schemas(prefix string, levels int) map[string]string {
	out := map[string]string{}
	for name, form := range forms {
		var b strings.Builder
		for i := range levels {
			next := fmt.Sprintf(`{"$ref":"%sl%d"}`, prefix, i+1)
			fmt.Fprintf(&b, `"l%d":%s,`, i, strings.NewReplacer("R", next, "M", strings.Repeat(next+",", levels)+next, "L", fmt.Sprint("f", i)).Replace(form))
		}
		fmt.Fprintf(&b, `"l%d":{"type":"string"}`, levels)
		out[name] = b.String()
	}
	return out
}
