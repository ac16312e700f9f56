package run_test

import (
	"errors"
	"testing"

	"github.com/patchbay-mcp/patchbay/run"
)

func TestReadResult(t *testing.T) {
	r, err := run.ReadResult([]byte(`{"_meta":{"a":1},"content":[{"type":"new","n":1.10}],"structuredContent":null,"isError":true,"more":2}`))
	if err != nil || !r.IsError || r.Structured != nil || len(r.Content) != 1 || string(r.Content[0]) != `{"type":"new","n":1.10}` || r.AsksForInput() {
		t.Errorf("the result is %+v, %v", r, err)
	}
	for raw, want := range map[string]string{
		`{"content":{}}`:             `"content" is not an array`,
		`{"isError":"no"}`:           `"isError" is a JSON string`,
		`{"_meta":{}}`:               `it has neither "content" nor "structuredContent"`,
		`{"structuredContent":null}`: `it has neither "content" nor "structuredContent"`,
		`{"resultType":"input_required","inputRequests":{}}`: run.ErrAsksForInput.Error(),
	} {
		if _, err := run.ReadResult([]byte(raw)); err == nil || err.Error() != want {
			t.Errorf("%s: %v, want %s", raw, err, want)
		}
	}
	asks := &run.Result{Raw: []byte(`{"resultType":"input_required","inputRequests":{}}`)}
	if _, err := run.ReadResult(asks.Raw); !asks.AsksForInput() || !errors.Is(err, run.ErrAsksForInput) {
		t.Errorf("a result that asks for input is not told: %v", err)
	}
}
