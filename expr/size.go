package expr

import "encoding/json"

// Size returns about how many bytes v takes as JSON, escapes left aside. It stops
// counting beyond most, and then returns more than that.
func Size(v Value, most int) int {
	return sizeOf(v, most, 0)
}

func sizeOf(v Value, most, depth int) int {
	if depth > maxDepth {
		return most + 1
	}
	switch v := v.(type) {
	case string:
		return len(v) + 2
	case float64:
		return sizeOfNumber(v)
	case bool:
		return 5
	case json.Number:
		return len(v)
	case []any:
		return sizeOfItems(v, most, depth)
	case Object:
		n := 1
		for _, key := range v.Keys() {
			if n > most {
				break
			}
			member, _ := v.Get(key)
			n += len(key) + 4 + sizeOf(member, most-n, depth+1)
		}
		return n + 1
	}
	return 4
}

func sizeOfItems(items []any, most, depth int) int {
	n := 1
	for _, item := range items {
		if n > most {
			break
		}
		n += 1 + sizeOf(item, most-n, depth+1)
	}
	return n + 1
}

// sizeOfNumber counts the digits of whole numbers; others mostly take all that a
// float64 has.
func sizeOfNumber(v float64) int {
	n := 1
	if v < 0 {
		v, n = -v, 2
	}
	if v != float64(int64(v)) || v >= 1e15 {
		return n + 17
	}
	for ; v >= 10; v /= 10 {
		n++
	}
	return n
}
