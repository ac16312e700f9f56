package listing

import (
	"encoding/json"
	"strings"
	"testing"
)

// A result arrives as it is, or as text that says why it does not fit what is listed.
func TestResults(t *testing.T) {
	const fits, asks = `{"content":[{"type":"text","text":"a"}],"structuredContent":{"a":"b"}}`, `{"resultType":"input_required","inputRequests":{}}`
	const schema = `{"type":"object","properties":{"a":{"type":"string"}},"required":["a"]}`
	text := func(s string) string { return `{"content":[{"type":"text","text":"` + s + `"},` }
	const misfit = `{"type":"text","text":"The result of the tool is text, since it does not fit the outputSchema `
	const made = `. The call was made: only for that is it marked as an error."}],"isError":true}`
	for _, c := range []struct {
		raw, schema string
		modern      bool
		want        string
	}{
		{fits, schema, false, fits},
		{fits, schema, true, fits},
		{fits, ``, true, fits},
		{asks, schema, true, asks},
		{`{"content":[],"isError":true}`, schema, false, `{"content":[],"isError":true}`},
		{`{"content":[{"type":"text","text":"a"}],"structuredContent":{"a":null}}`, schema, false, text("a") + misfit + `(structuredContent: at /a got null, expected string)` + made},
		{`{"content":[],"structuredContent":{"a":5}}`, schema, true, text(`{\"a\":5}`) + misfit + `(structuredContent: at /a got number, expected string)` + made},
		{`{"content":[{"type":"text","text":"a"}]}`, schema, true, text("a") + misfit + `(it has no structured content)` + made},
		{`{"content":[],"structuredContent":[1]}`, schema, false, text("[1]") + misfit + `(it has no structured content)` + made},
		{`{"content":[],"isError":true,"structuredContent":{}}`, schema, false, text("{}") + misfit + `(structuredContent: at the top missing \"a\")."}],"isError":true}`},
	} {
		if got := string(Result(json.RawMessage(c.raw), json.RawMessage(c.schema), c.modern)); got != c.want || !json.Valid([]byte(got)) {
			t.Errorf("%s: got  %s\nwant %s", c.raw, got, c.want)
		}
	}
}

// Of many outputSchemas the largest are left out: clients compile all of them.
func TestManyOutputs(t *testing.T) {
	many := make([]int, 1000)
	for i := range many {
		many[i] = i + 600
	}
	if few, all := MaxOutput([]int{100, 60 << 10}), MaxOutput(many); few != maxOutput || all < 1000 || all > 1300 {
		t.Errorf("%d of few, %d of many", few, all)
	}
	if alone := MaxOutput([]int{100 << 10}); alone >= 100<<10 {
		t.Errorf("%d", alone)
	}
	def := json.RawMessage(`{"name":"a","inputSchema":{"type":"object"},"outputSchema":{"type":"object","title":"` + strings.Repeat("long", 50) + `"}}`)
	if out, notes, err := Tool(def, "", 100); err != nil || strings.Contains(string(out), "outputSchema") || len(notes) != 1 || !strings.Contains(notes[0], "clients compile all of them") {
		t.Errorf("%s %q %v", out, notes, err)
	}
}
