// Package conformance reads the third-party conformance data that tests use, from
// the folder that PATCHBAY_TEST_DATA names.
package conformance

import (
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"testing"
)

// Path returns the path of a file of third-party test data.
func Path(t testing.TB, name string) string {
	t.Helper()
	dir := os.Getenv("PATCHBAY_TEST_DATA")
	if dir == "" {
		t.Skip("PATCHBAY_TEST_DATA is not set: it names the folder with jsonata/cases.json and jsonlogic/cases.json")
	}
	return filepath.Join(dir, name)
}

// A Case is one case of the official JSONata suite.
type Case struct {
	ID        string          `json:"id"`
	Group     string          `json:"group"`
	Expr      string          `json:"expr"`
	Data      json.RawMessage `json:"data"`
	HasData   bool            `json:"hasData"`
	Bindings  json.RawMessage `json:"bindings"`
	Kind      string          `json:"kind"` // result, undef or error
	Result    json.RawMessage `json:"result"`
	Code      string          `json:"code"`
	Unordered bool            `json:"unordered"`
}

// UnmarshalJSON implements [json.Unmarshaler]. Half of a character in a string of the
// expression, which no string of Go's decoder can hold, becomes its escape in JSONata.
func (c *Case) UnmarshalJSON(b []byte) error {
	type fields Case
	raw := struct {
		*fields
		Expr json.RawMessage `json:"expr"`
	}{fields: (*fields)(c)}
	if err := json.Unmarshal(b, &raw); err != nil {
		return err
	}
	return json.Unmarshal(loneHalf.ReplaceAll(raw.Expr, []byte(`'\\$1'`)), &c.Expr)
}

var loneHalf = regexp.MustCompile(`'\\(u[dD][89abAB][0-9a-fA-F]{2})'`)

// Cases returns the cases of the JSONata suite. The test is skipped without them.
func Cases(t testing.TB) []Case {
	t.Helper()
	b, err := os.ReadFile(Path(t, "jsonata/cases.json"))
	if err != nil {
		t.Fatal(err)
	}
	var cases []Case
	if err := json.Unmarshal(b, &cases); err != nil {
		t.Fatal(err)
	}
	return cases
}
