package diag

import (
	"encoding/json"
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// excerptRunes is how many runes of an author's text a message repeats, the
// ellipsis included.
const excerptRunes = 41

// maxMessage is the size of the longest message in bytes, and keptMessage how much
// of a longer one is kept: the rest is for its size, and for words that say where
// it happened.
const (
	maxMessage  = 4 << 10
	keptMessage = maxMessage - 512
)

// Cut returns s, or, of a text of more than n runes, the first n-1 and "…".
func Cut(s string, n int) string {
	if len(s) <= n {
		return s
	}
	runes, end := 0, 0
	for i := range s {
		if runes++; runes == n {
			end = i
		} else if runes > n {
			return s[:end] + "…"
		}
	}
	return s
}

// Excerpt returns the beginning of s, as messages repeat what an author wrote.
func Excerpt(s string) string { return Cut(s, excerptRunes) }

// Quote returns an excerpt of s in double quotes, for a message.
func Quote(s string) string { return `"` + Excerpt(s) + `"` }

// OneLine returns s with one space in the place of each run of white space.
func OneLine(s string) string {
	if !strings.Contains(s, "  ") && !strings.ContainsFunc(s, func(r rune) bool { return r != ' ' && unicode.IsSpace(r) }) {
		return strings.TrimSpace(s)
	}
	return strings.Join(strings.Fields(s), " ")
}

// CutJSON returns b, or, of JSON of more than n bytes, a JSON string of its first n
// bytes at most, which end with a whole character.
func CutJSON(b []byte, n int) []byte {
	if len(b) <= n {
		return b
	}
	short, _ := json.Marshal(string(b[:wholeRunes(b, n)]) + "…")
	return short
}

// Brief returns a message that may come from a graph or a server as faults keep
// it: of one over 4 KiB the beginning, cut between runes, and its size.
func Brief(message string) string {
	if len(message) <= maxMessage {
		return message
	}
	end := wholeRunes(message, keptMessage)
	return fmt.Sprintf("%s… (the first %d of %d bytes)", message[:end], end, len(message))
}

// wholeRunes returns n, or the index before n where the character begins that n
// would cut in two.
func wholeRunes[T string | []byte](s T, n int) int {
	end := n
	for end > max(0, n-utf8.UTFMax) && !utf8.RuneStart(s[end]) {
		end--
	}
	return end
}

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
