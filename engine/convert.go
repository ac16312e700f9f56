package engine

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/graph"
	"github.com/patchbay-mcp/patchbay/schema"
)

// absence are the words for no value of other languages, which are text here.
var absence = []string{"None", "null", "nil", "undefined", "NULL", "Null"}

// convert offers the value that was meant where a literal only has the wrong
// form.
func convert(v graph.Value, m schema.Mismatch) (diag.Fix, bool) {
	if m.Keyword == "enum" {
		var choices []string
		if list, ok := m.Want.([]any); ok {
			for _, c := range list {
				if s, ok := c.(string); ok {
					choices = append(choices, s)
				}
			}
		}
		if near := diag.Closest(v.Text(), choices); near != "" {
			return v.Replace(fmt.Sprintf("change to %q", near), near), true
		}
		return diag.Fix{}, false
	}
	want, _ := m.Want.(string)
	if m.Keyword != "type" || want == "" {
		return diag.Fix{}, false
	}
	text := v.Text()
	for w := range strings.SplitSeq(want, " or ") {
		switch {
		case w == "string" && (v.Is(graph.Number) || v.Is(graph.Bool)):
			return v.Replace("quote it", text), true
		case (w == "number" || w == "integer") && v.Is(graph.String) && isJSONNumber(text, w):
			return v.Replace("write the number "+text, json.RawMessage(text)), true
		case w == "boolean" && v.Is(graph.String) && slices.Contains([]string{"yes", "no", "on", "off"}, strings.ToLower(text)):
			value := strings.EqualFold(text, "yes") || strings.EqualFold(text, "on")
			return v.Replace(fmt.Sprintf("write %v", value), value), true
		case w == "boolean" && v.Is(graph.String) && (strings.EqualFold(text, "true") || strings.EqualFold(text, "false")):
			return v.Replace("write "+strings.ToLower(text), json.RawMessage(strings.ToLower(text))), true
		case w == "array" && !v.Is(graph.List) && !v.Is(graph.Null):
			if v.Is(graph.String) && strings.HasPrefix(strings.TrimSpace(text), "[") && json.Valid([]byte(text)) {
				return v.Replace("turn the text into a list", json.RawMessage(text)), true
			}
			return v.Replace("make it a list of one", []any{raw(v)}), true
		case w == "object" && v.Is(graph.String) && strings.HasPrefix(strings.TrimSpace(text), "{") && json.Valid([]byte(text)):
			return v.Replace("turn the text into a map", json.RawMessage(text)), true
		}
	}
	return diag.Fix{}, false
}

func isJSONNumber(s, want string) bool {
	var n json.Number
	if json.Unmarshal([]byte(s), &n) != nil || n == "" {
		return false
	}
	_, err := strconv.ParseInt(s, 10, 64)
	return want != "integer" || err == nil
}
