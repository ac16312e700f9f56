package schema

import (
	"encoding/json"
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
