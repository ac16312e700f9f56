package jsonata_test

import (
	"encoding/json"
	"testing"

	"github.com/patchbay-mcp/patchbay/jsonata"
)

// Values inside of other Go values are encoded as they are: in order, with their digits.
func TestValuesAreMarshalled(t *testing.T) {
	o := jsonata.NewObject()
	o.Set("z", json.Number("9007199254740993"))
	o.Set("a", jsonata.Null())
	b, err := json.Marshal(map[string]any{"details": o})
	if want := `{"details":{"z":9007199254740993,"a":null}}`; err != nil || string(b) != want {
		t.Errorf("%s, %v", b, err)
	}
}
