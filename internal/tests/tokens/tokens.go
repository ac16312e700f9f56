// Package tokens counts what a text costs a model to read. It is for tests and for
// programs that measure: the vocabulary is larger than the rest of the product, so
// nothing that is part of the binary imports it.
package tokens

import (
	"encoding/json"
	"fmt"
	"sync"

	"github.com/tiktoken-go/tokenizer"
)

// codec is the vocabulary of current models, which is part of the library.
var codec = sync.OnceValues(func() (tokenizer.Codec, error) { return tokenizer.Get(tokenizer.O200kBase) })

// Count returns how many tokens a text has.
func Count(text string) (int, error) {
	c, err := codec()
	if err != nil {
		return 0, fmt.Errorf("count tokens: %w", err)
	}
	return c.Count(text)
}

// CountJSON returns how many tokens a value has as compact JSON.
func CountJSON(v any) (int, error) {
	text, err := json.Marshal(v)
	if err != nil {
		return 0, fmt.Errorf("count tokens: %w", err)
	}
	return Count(string(text))
}
