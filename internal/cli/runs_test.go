package cli

import (
	"encoding/json"
	"testing"
)

// A line of a table is cut between characters.
func TestOneLine(t *testing.T) {
	for text, want := range map[string]string{
		`{"a": 1}`:    `{"a": 1}`,
		"[1,\n 2]":    "[1, 2]",
		`"ééééééééé"`: `"ééééééé…`,
	} {
		if got := oneLine(json.RawMessage(text), 8); got != want {
			t.Errorf("%s becomes %s, want %s", text, got, want)
		}
	}
}
