package transport

import (
	"encoding/json"
	"testing"
)

// TestEventTap cuts an event stream at every place.
func TestEventTap(t *testing.T) {
	const result = `{"z":9007199254740993,"a":1.10,"m":{"y":1,"b":2}}`
	stream := "event: message\r\nid: 1\ndata: {\"jsonrpc\":\"2.0\",\"method\":\"x\"}\n\n: comment\n\r\ndata:{\"jsonrpc\":\"2.0\",\"id\":3,\ndata: \"result\":" + result + "}\n\n"
	for i := range stream {
		c := &capture{}
		tap := &eventTap{id: json.RawMessage("3"), capture: c}
		tap.write([]byte(stream[:i]))
		tap.write([]byte(stream[i:]))
		tap.end()
		if got, _, _ := c.Take(); string(got) != result {
			t.Fatalf("cut at %d: %s", i, got)
		}
	}
}
