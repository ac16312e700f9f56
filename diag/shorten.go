package diag

import (
	"fmt"
)

// excerptLength is how many runes of an author's text a message repeats.
const excerptLength = 40

// Excerpt returns s, cut to excerptLength runes.
func Excerpt(s string) string {
	n := 0
	for i := range s {
		if n++; n > excerptLength {
			return s[:i] + "…"
		}
	}
	return s
}

// Quote returns a cut s in double quotes, for a message.
func Quote(s string) string { return `"` + Excerpt(s) + `"` }

// Bytes writes a number of bytes for people, such as 256 MiB.
func Bytes(n int64) string {
	switch {
	case n >= 1<<20 && n%(1<<20) == 0:
		return fmt.Sprintf("%d MiB", n>>20)
	case n >= 1<<10 && n%(1<<10) == 0:
		return fmt.Sprintf("%d KiB", n>>10)
	}
	return fmt.Sprintf("%d bytes", n)
}
