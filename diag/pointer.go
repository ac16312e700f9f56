package diag

import "strings"

// Pointer writes the steps of a path as a JSON Pointer (RFC 6901).
func Pointer(path []string) string {
	var b strings.Builder
	for _, step := range path {
		b.WriteByte('/')
		b.WriteString(EscapePointer(step))
	}
	return b.String()
}

// EscapePointer returns a key as one step of a JSON Pointer, without the slash.
func EscapePointer(key string) string {
	if !strings.ContainsAny(key, "~/") {
		return key
	}
	return strings.ReplaceAll(strings.ReplaceAll(key, "~", "~0"), "/", "~1")
}

// UnescapePointer returns the key that a step of a JSON Pointer stands for.
func UnescapePointer(step string) string {
	if !strings.Contains(step, "~") {
		return step
	}
	return strings.ReplaceAll(strings.ReplaceAll(step, "~1", "/"), "~0", "~")
}
