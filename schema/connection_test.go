package schema_test

import (
	"encoding/json"
	"testing"

	"github.com/patchbay-mcp/patchbay/schema"
	"github.com/patchbay-mcp/patchbay/specs"
)

func port(typ, mime, data, check string) *specs.Port {
	p := &specs.Port{Name: "p", Type: typ}
	if mime != "" || data != "" {
		p.DataFormat = &specs.DataFormat{MimeType: mime}
		if data != "" {
			p.DataFormat.Schema = json.RawMessage(data)
		}
	}
	if check != "" {
		p.ValidationSchema = json.RawMessage(check)
	}
	return p
}

func TestConnect(t *testing.T) {
	const (
		status  = `{"type":"object","required":["status"],"properties":{"status":{"type":"integer"}}}`
		name    = `{"type":"object","required":["name"],"properties":{"name":{"type":"string"}}}`
		maybe   = `{"type":"object","properties":{"name":{"type":"string"}}}`
		list    = `{"type":"array","items":{"type":"string"}}`
		numbers = `{"type":"array","items":{"type":"number"}}`
		text    = `{"type":"object","required":["status"],"properties":{"status":{"type":"string"}}}`
	)
	for _, tc := range []struct {
		name             string
		from, to         *specs.Port
		refused, because string
	}{
		{"the same type", port("MAIN", "", "", ""), port("MAIN", "", "", ""), "", ""},
		{"in other capitals", port("main", "", "", ""), port("MAIN", "", "", ""), "", ""},
		{"data of a node that runs here", port("object", "", "", ""), port("MAIN", "", "", ""), "", ""},
		{"a type of another catalog", port("SCHEDULE", "", "", ""), port("SCHEDULE", "", "", ""), "", ""},
		{"an error into an error", port("ERROR", "", "", ""), port("ERROR", "", "", ""), "", ""},
		{"an error into main", port("ERROR", "", "", ""), port("MAIN", "", "", ""), "", "an error output may lead to a main input, whose node then handles the error"},
		{"main into an error", port("MAIN", "", "", ""), port("ERROR", "", "", ""), "the output has the type MAIN, the input takes ERROR", ""},
		{"a tool into main", port("AI_TOOL", "", "", ""), port("MAIN", "", "", ""), "the output has the type AI_TOOL, the input takes MAIN", ""},
		{"a memory into tools", port("AI_MEMORY", "", "", ""), port("AI_TOOL", "", "", ""), "the output has the type AI_MEMORY, the input takes AI_TOOL", ""},
		{"the same media type", port("MAIN", "application/json; charset=utf-8", "", ""), port("MAIN", "application/json", "", ""), "", ""},
		{"another media type", port("MAIN", "text/csv", "", ""), port("MAIN", "application/json", "", ""), "the output gives text/csv, the input takes application/json", ""},
		{"a range", port("MAIN", "image/png", "", ""), port("MAIN", "image/*", "", ""), "", ""},
		{"any media type", port("MAIN", "text/csv", "", ""), port("MAIN", "*/*", "", ""), "", ""},
		{"a schema on one side", port("MAIN", "application/json", status, ""), port("MAIN", "application/json", "", ""), "", ""},
		{"the field is there", port("MAIN", "application/json", name, ""), port("MAIN", "", "", name), "", ""},
		{"the field may be there", port("MAIN", "application/json", maybe, ""), port("MAIN", "", "", name), "", ""},
		{"another field", port("MAIN", "application/json", status, ""), port("MAIN", "", "", name), `the input needs the field "name", which the output does not have`, ""},
		{"a field of another type", port("MAIN", "application/json", status, ""), port("MAIN", "", "", text), `the field "status" does not fit: got integer, expected string`, ""},
		{"another shape", port("MAIN", "application/json", list, ""), port("MAIN", "", "", name), "the data does not fit: got [string], expected {name: string}", ""},
		{"other items", port("MAIN", "application/json", list, ""), port("MAIN", "application/json", numbers, ""), `the field "*" does not fit: got string, expected number`, ""},
		{"the validation schema counts before the format", port("MAIN", "application/json", name, ""), port("MAIN", "application/json", status, name), "", ""},
	} {
		t.Run(tc.name, func(t *testing.T) {
			got := schema.Connect(tc.from, tc.to)
			if want := (schema.Connection{Refused: tc.refused, Because: tc.because}); got != want {
				t.Errorf("got %+v, want %+v", got, want)
			}
		})
	}
}
