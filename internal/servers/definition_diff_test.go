package servers

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
)

// The diff of a large definition is short, and computed once.
func TestBriefChanges(t *testing.T) {
	definition := func(word string) json.RawMessage {
		var b strings.Builder
		for i := range 2000 {
			fmt.Fprintf(&b, `%s"key%d":{"type":"string"}`, strings.Repeat(",", min(i, 1)), i)
		}
		return json.RawMessage(`{"description":"` + word + `","properties":{` + strings.ReplaceAll(b.String(), "string", word) + `}}`)
	}
	c := newChanges()
	from, to := definition("string"), definition("number")
	got := c.Brief("t", "1", from, "2", to)
	if !strings.Contains(got, `-  "description": "string"`) || len(got) > maxDiff+100 {
		t.Errorf("got %d bytes: %.300s", len(got), got)
	}
	if n := testing.AllocsPerRun(10, func() { c.Brief("t", "1", from, "2", to) }); n > 5 {
		t.Errorf("a change that was shown takes %.0f allocations", n)
	}
	if got := c.Brief("t", "2", to, "1", from); !strings.Contains(got, `-  "description": "number"`) {
		t.Errorf("the change back: %.300s", got)
	}
}
