package schema

import (
	"encoding/json"
	"testing"
)

// Patterns of schemas are JavaScript's, as those of expressions, and their matching is
// bounded.
func TestPatternsAreJavaScripts(t *testing.T) {
	s := New(json.RawMessage(`{"type": "object", "properties": {
		"password": {"type": "string", "pattern": "^(?=.*[0-9])(?=.*[a-z]).{8,}$"},
		"quoted": {"type": "string", "pattern": "^(['\"]).*\\1$"},
		"hostile": {"type": "string", "pattern": "^(?=a)(a+)+$"}}}`))
	if err := s.Err(); err != nil || len(s.Unchecked()) > 0 {
		t.Fatal(err, s.Unchecked())
	}
	for text, want := range map[string]int{
		`{"password": "abcdefg1", "quoted": "'a'"}`:                       0,
		`{"password": "abcdefgh"}`:                                        1,
		`{"password": "abc1", "quoted": "'a\""}`:                          2,
		`{"hostile": "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa!"}`: 0, // not found out
	} {
		if found := len(s.Check([]byte(text))); found != want {
			t.Errorf("%s: %d mismatches, want %d", text, found, want)
		}
	}
}
