package schema

import (
	"encoding/json"
	"regexp/syntax"
	"strings"
)

// comparison is the work of comparing with a value, in sixteenths of a step.
// Numbers are parsed each time.
func comparison(v any) int64 {
	switch v := v.(type) {
	case json.Number:
		return 16
	case map[string]any:
		n := int64(1)
		for _, member := range v {
			n += comparison(member)
		}
		return n
	case []any:
		n := int64(1)
		for _, item := range v {
			n += comparison(item)
		}
		return n
	}
	return 1
}

// instructions is about how large a pattern is once its repetitions are written out.
func instructions(pattern string) int64 {
	if !strings.Contains(pattern, "{") {
		return int64(len(pattern)) + 1
	}
	re, err := syntax.Parse(pattern, syntax.Perl)
	if err != nil {
		return 1 // it is not used
	}
	prog, err := syntax.Compile(re.Simplify())
	if err != nil {
		return 1
	}
	return int64(len(prog.Inst))
}
