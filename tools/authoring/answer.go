package main

import (
	"encoding/json"
	"fmt"
	"math"
	"strings"

	"github.com/patchbay-mcp/patchbay/graph"
)

// answerSchema is the schema of a task's answer: that of its graph.
func answerSchema(t *task) (json.RawMessage, error) {
	doc, found := graph.Parse(t.Name, t.Graph)
	if doc == nil || len(doc.Tools()) != 1 {
		return nil, fmt.Errorf("the graph of %s cannot be read: %v", t.Name, found)
	}
	return doc.Tools()[0].OutputSchema.JSON(), nil
}

// lastObject is the last JSON object of a text, which may be in a fence or follow words.
func lastObject(text string) (any, bool) {
	end := strings.LastIndexByte(text, '}')
	if end < 0 {
		return nil, false
	}
	for at := range end {
		var v map[string]any
		if text[at] == '{' && json.Unmarshal([]byte(text[at:end+1]), &v) == nil {
			return v, true
		}
	}
	return nil, false
}

// same reports whether two JSON values are the same, numbers to the cent.
func same(a, b any) bool {
	switch a := a.(type) {
	case map[string]any:
		b, ok := b.(map[string]any)
		if !ok || len(a) != len(b) {
			return false
		}
		for key, v := range a {
			w, there := b[key]
			if !there || !same(v, w) {
				return false
			}
		}
		return true
	case []any:
		b, ok := b.([]any)
		if !ok || len(a) != len(b) {
			return false
		}
		for i := range a {
			if !same(a[i], b[i]) {
				return false
			}
		}
		return true
	case float64:
		b, ok := b.(float64)
		return ok && math.Abs(a-b) < 0.01
	}
	return a == b
}
