// Package plainjson writes and reads JSON as people write it: <, > and & are themselves, and
// numbers have their digits. It imports nothing of ours.
package plainjson

import (
	"bytes"
	"encoding/json"
)

// Marshal is [json.Marshal] without escapes for HTML.
func Marshal(v any) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	err := e.Encode(v)
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), err
}

// Quote is a text as JSON.
func Quote(text string) string {
	b, _ := Marshal(text) // a text cannot fail
	return string(b)
}

// Decode reads the first JSON value of a text. A number is a json.Number where any value fits.
func Decode(text []byte, into any) error {
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	return d.Decode(into)
}
