package expr

import (
	"encoding/json"
	"slices"
	"strconv"
	"strings"

	"github.com/patchbay-mcp/patchbay/jsonata"
)

// isLogicPath reports whether a var at the top is a JSON Logic path rather than
// JSONata: the whole context, or a path with an index in it, such as "items.0".
func isLogicPath(s string) bool {
	return s == "" || slices.ContainsFunc(strings.Split(s, "."), func(part string) bool {
		return part != "" && strings.Trim(part, "0123456789") == ""
	})
}

// maxIndex is how many digits an index has at most.
const maxIndex = 10

// logicPath follows a JSON Logic path, which maps over nothing: names and indexes
// joined with dots, or one index; null and the empty string are data itself. It
// returns nil when the path leads nowhere.
func logicPath(data, key any) any {
	var text string
	switch k := key.(type) {
	case string:
		text = k
	case json.Number:
		text = string(k)
	case float64:
		text = jsonata.NumberText(k)
	case nil:
		return data
	default:
		if IsNull(key) {
			return data
		}
		return nil
	}
	if text == "" {
		return data
	}
	for part := range strings.SplitSeq(text, ".") {
		switch d := data.(type) {
		case Object:
			v, ok := d.Get(part)
			if !ok {
				return nil
			}
			data = v
		case []any:
			if len(part) > maxIndex {
				return nil
			}
			i, err := strconv.Atoi(part)
			if err != nil || i < 0 || i >= len(d) {
				return nil
			}
			data = d[i]
		default:
			return nil
		}
	}
	return data
}
