package diag

import (
	"fmt"
	"unicode/utf8"
)

// maxMessage is how many bytes of a message are kept, and keptMessage how many of
// one that is longer: the rest is for its size, and for words that say where it
// happened.
const (
	maxMessage  = 4 << 10
	keptMessage = maxMessage - 512
)

// Brief returns a message that may come from a graph or a server as faults keep
// it: of one over 4 KiB the beginning, cut between runes, and its size.
func Brief(message string) string {
	if len(message) <= maxMessage {
		return message
	}
	end := keptMessage
	for end > keptMessage-utf8.UTFMax && !utf8.RuneStart(message[end]) {
		end--
	}
	return fmt.Sprintf("%s… (the first %d of %d bytes)", message[:end], end, len(message))
}
